import { DomainError } from '../../domain/errors.js';
import { clip } from '../../domain/passage.js';
import { parseProjectName } from '../../domain/project/name.js';
import { suggestionFor } from '../../domain/project/scope.js';
import { RANGES, withinRange } from '../../domain/range.js';
import { NAMESPACES, type State } from '../../domain/vocabulary.js';
import { counters, countSets, countShared, membersOf, membersShared, sets } from '../../projections/counters.js';
import { withServing } from '../../projections/generation.js';
import type { MemoryRow } from '../../projections/memories.js';
import type { Call, MemoryAuditInput, MemoryAuditResult } from '../api.js';
import { type AuditPage, type AuditScope, auditEarlier } from '../history/audit.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';

const DEFAULT_LIMIT = 100;
const SHOWN = 80;

/** What is stored, page by page, in a stable order: by namespace, then state, then age. Every namespace, every state counted. */
export const memoryAudit = async (parts: QueryParts, input: MemoryAuditInput, call: Call): Promise<MemoryAuditResult> => {
  const { redis, keys } = parts;
  const project = input.project === undefined ? undefined : parseProjectName(input.project);
  if (input.namespace !== undefined && !NAMESPACES.includes(input.namespace)) {
    throw new DomainError('VALIDATION', `namespace is not one of ${NAMESPACES.join(', ')}`, 'Leave it out for all of them');
  }
  const namespaces = input.namespace === undefined ? NAMESPACES : [input.namespace];
  const limit = withinRange('limit', input.limit ?? DEFAULT_LIMIT, RANGES.auditLimit);
  const offset = withinRange('offset', input.offset ?? 0, { min: 0, max: Number.POSITIVE_INFINITY });
  const listed: readonly State[] = input.include_archived === true ? ['active', 'deprioritised', 'archived'] : ['active', 'deprioritised'];
  const scope = { project, namespaces, listed, offset, limit };
  const clock = { now: parts.now(), days: parts.staleMemoryDays };
  if (input.as_of !== undefined) {
    const { answer, as_of, beginning } = await auditEarlier(parts, input.as_of, call, scope);
    return {
      ...resultOf(answer, scope, { ...clock, now: Date.parse(as_of.time) }),
      as_of,
      ...(beginning !== undefined && { message: beginning }),
    };
  }
  const stale = await parts.fresh();
  const names = project === undefined ? undefined : parts.index.projects.namesOf(project);

  const { summary, page } = await unavailableWhenDown(() =>
    withServing(redis, keys, counters.name, async (generation) => {
      const count = async (state: State): Promise<number> => {
        const groups = namespaces.map((namespace) => sets.state(namespace, state));
        const sizes =
          names === undefined
            ? await countSets(redis, keys, generation, groups)
            : await Promise.all(
                groups.flatMap((group) => names.map((name) => countShared(redis, keys, generation, group, sets.project(name)))),
              );
        return sizes.reduce((sum, size) => sum + size, 0);
      };
      const [active, deprioritised, archived] = await Promise.all([count('active'), count('deprioritised'), count('archived')]);
      const deleted = await countSets(
        redis,
        keys,
        generation,
        namespaces.map((namespace) => sets.state(namespace, 'forgotten')),
      );
      const groups = namespaces.flatMap((namespace) => listed.map((state) => sets.state(namespace, state)));
      return {
        // What was forgotten keeps no project, so that it counts only where no project is asked for.
        summary: { active, deprioritised, archived, deleted: project === undefined ? deleted.reduce((sum, size) => sum + size, 0) : 0 },
        page: await pageOf(parts, generation, groups, names, offset, limit),
      };
    }),
  );
  const suggestion = project === undefined ? undefined : suggestionFor(parts.index.projects, [project]);
  return { ...resultOf({ summary, page, rows: await rowsOf(parts, page), suggestion }, scope, clock), ...(stale && { stale }) };
};

type Clock = { readonly now: number; readonly days: number };

const DAY = 86_400_000;

const staleness = ({ namespace, state, updated_at }: MemoryRow, { now, days }: Clock): { readonly days_stale?: number } => {
  const age = Math.floor((now - Date.parse(updated_at)) / DAY);
  return namespace === 'episodic' && state === 'active' && age >= days ? { days_stale: age } : {};
};

const resultOf = (
  { summary, page, rows, suggestion }: AuditPage,
  { listed, offset, limit }: AuditScope,
  staleAfter: Clock,
): MemoryAuditResult => {
  const { active, deprioritised, archived } = summary;
  const matching_total = active + deprioritised + (listed.includes('archived') ? archived : 0);
  const entries = page.flatMap((key) => {
    const row = rows.get(key);
    return row
      ? [
          {
            key,
            content: clip(row.content, SHOWN),
            state: row.state,
            ...(row.project !== undefined && { project: row.project }),
            ...(row.tags.length > 0 && { tags: row.tags }),
            created_at: row.created_at,
            updated_at: row.updated_at,
            ...(row.effort_score !== undefined && { effort_score: row.effort_score }),
            ...(row.outcome !== undefined && { outcome: row.outcome }),
            ...staleness(row, staleAfter),
            licence: row.licence,
            ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
            provenance: row.provenance,
          },
        ]
      : [];
  });
  return {
    ...(suggestion && { project_suggestion: suggestion }),
    summary,
    total: active + deprioritised + archived,
    matching_total,
    offset,
    limit,
    returned: entries.length,
    has_more: offset + page.length < matching_total,
    entries,
  };
};

/** One page out of several sets read one after another. */
const pageOf = async (
  { redis, keys }: QueryParts,
  generation: number,
  groups: readonly string[],
  projects: readonly string[] | undefined,
  offset: number,
  limit: number,
): Promise<string[]> => {
  const page: string[] = [];
  let skip = offset;
  for (const group of groups) {
    const wanted = limit - page.length;
    if (wanted <= 0) break;
    if (projects !== undefined) {
      const filed = await Promise.all(projects.map((name) => membersShared(redis, keys, generation, [group, sets.project(name)])));
      const members = filed.flat().sort();
      page.push(...members.slice(skip, skip + wanted));
      skip = Math.max(0, skip - members.length);
      continue;
    }
    const [size = 0] = await countSets(redis, keys, generation, [group]);
    if (skip < size) page.push(...(await membersOf(redis, keys, generation, group, { offset: skip, limit: wanted })));
    skip = Math.max(0, skip - size);
  }
  return page;
};
