import { isMemoryKey } from '../../../domain/memory/key.js';
import { candidatesOf } from '../contradictions/candidates.js';
import { MOST_FOUND } from '../contradictions/check.js';
import type { Found } from '../contradictions/flag.js';
import { scanPairs } from '../contradictions/scan.js';
import type { CommandParts } from '../parts.js';
import { sameProject } from '../project-names.js';
import { type Duplicate, findNeedless } from './duplicates.js';

/** Knowledge whose time is over. */
export type Expired = { readonly key: string; readonly expiresAt: number };

/** What one run changes, within its cap. */
export type Plan = {
  readonly contradictions: readonly Found[];
  readonly duplicates: readonly Duplicate[];
  readonly expired: readonly Expired[];
  readonly knowing: readonly Duplicate[];
  /** Changes that the cap leaves for the next run. */
  readonly left: number;
};

export type PlanScope = {
  /** Every name of the one project; absent: the whole store. */
  readonly projects: readonly string[] | undefined;
  /** Expiry alone, as the daily job does it. */
  readonly expiryOnly?: boolean | undefined;
};

/** What a run would do now. Contradictions come first, for they are few; expiry last, for a daily job sees to it as well. */
export const planMaintenance = async (
  parts: CommandParts,
  { projects, expiryOnly = false }: PlanScope,
  cap: number,
  signal: AbortSignal | undefined,
): Promise<Plan> => {
  const scope = { namespace: 'episodic' as const, projects };
  const { duplicates, knowing } = expiryOnly ? { duplicates: [], knowing: [] } : await findNeedless(parts, scope, signal);
  const going = new Set(duplicates.map(({ older }) => older.key));
  const contradictions = expiryOnly ? [] : await newContradictions(parts, scope, going, signal);
  const expired = expiredKnowledge(parts, projects);
  let room = cap;
  const taken = <Item>(items: readonly Item[]): readonly Item[] => {
    const some = items.slice(0, room);
    room -= some.length;
    return some;
  };
  const plan = { contradictions: taken(contradictions), duplicates: taken(duplicates), expired: taken(expired) };
  const found = contradictions.length + duplicates.length + expired.length;
  return { ...plan, knowing, left: found - (cap - room) };
};

const newContradictions = async (
  parts: CommandParts,
  scope: Parameters<typeof candidatesOf>[1],
  going: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<readonly Found[]> => {
  const candidates = (await candidatesOf(parts, scope, undefined, signal)).filter(({ key }) => !going.has(key));
  const { suspects } = await scanPairs(parts, candidates, (a, b) => sameProject(parts, a, b), signal);
  return suspects
    .filter(({ open }) => !open)
    .slice(0, MOST_FOUND)
    .map((suspect) => ({ ...suspect, method: 'heuristic' as const }));
};

/** Longest expired first. */
export const expiredKnowledge = ({ index, now }: CommandParts, projects: readonly string[] | undefined): readonly Expired[] =>
  [...index.documents.values()]
    .flatMap(({ key, namespace, state, project, expiresAt, putBackExpired }) =>
      namespace === 'knowledge' &&
      state !== 'archived' &&
      putBackExpired !== true &&
      isMemoryKey(key) &&
      expiresAt !== undefined &&
      expiresAt <= now() &&
      (projects === undefined || (project !== undefined && projects.includes(project)))
        ? [{ key, expiresAt }]
        : [],
    )
    .sort((a, b) => a.expiresAt - b.expiresAt || (a.key < b.key ? -1 : 1));
