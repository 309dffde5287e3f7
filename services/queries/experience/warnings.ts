import { parseQuery } from '../../../domain/content.js';
import { clip } from '../../../domain/passage.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { suggestionFor } from '../../../domain/project/scope.js';
import type { AbandonedMatch, AbandonedWarning, AbandonedWarnings, Call, WarnIfAbandonedInput, WarnIfAbandonedResult } from '../../api.js';
import { askEarlier, told } from '../../history/as-of.js';
import type { QueryParts } from '../parts.js';
import type { Question, Ranking } from '../rank.js';
import { type Buried, deadEndsFor, type FoundDeadEnd } from './dead-ends.js';

/** Matches that are told in one answer, and warnings beside the results of a recall. */
const MATCHES = 50;
const WARNINGS = 5;
const REASON = 300;

/**
 * Whether something that is being considered was tried and given up before. One look at what the process keeps of the log,
 * after it has met the log's head. Throws VALIDATION for a blank query.
 */
export const warnIfAbandoned = async (
  parts: QueryParts,
  { query, project, as_of }: WarnIfAbandonedInput,
  call: Call,
): Promise<WarnIfAbandonedResult> => {
  const question = parseQuery(query);
  const name = project === undefined ? undefined : parseProjectName(project);
  if (as_of !== undefined) {
    const { answer, ...moment } = await askEarlier(parts, as_of, call, async ({ index }) => warned(index, question, name));
    return { ...answer, ...told(moment) };
  }
  const stale = await parts.fresh();
  return { ...warned(parts.index, question, name), ...(stale && { stale }) };
};

const warned = (index: Buried, question: string, name: string | undefined): WarnIfAbandonedResult => {
  const { projects } = index;
  const suggestion = name === undefined ? undefined : suggestionFor(projects, [name]);
  const found = deadEndsFor(index, question, { names: name === undefined ? undefined : projects.namesOf(name) });
  const notes = suggestion && { project_suggestion: suggestion };
  if (found.length === 0) return { status: 'clear', ...notes };
  return { status: 'warning', matches: found.slice(0, MATCHES).map(matchOf), total: found.length, ...notes };
};

const matchOf = ({ key, approach, effort, project, state }: FoundDeadEnd): AbandonedMatch => ({
  memory_key: key,
  abandoned_name: approach.name,
  type: approach.type,
  reason: approach.reason,
  ...(effort !== undefined && { effort_score: effort }),
  ...(project !== undefined && { project }),
  attempted_at: approach.attempted_at,
  ...(state !== 'active' && { state }),
});

/** The newest dead ends that are told beside the results of a recall, each name once for a project. */
export const warningsBeside = (
  index: Buried,
  { query, namespaces }: Pick<Question, 'query' | 'namespaces'>,
  { scope: { names } }: Pick<Ranking, 'scope'>,
): AbandonedWarnings => {
  const named = new Map<string, FoundDeadEnd>();
  for (const found of deadEndsFor(index, parseQuery(query), { namespaces, names })) {
    const same = JSON.stringify([found.approach.name.toLowerCase(), found.project]);
    if (!named.has(same)) named.set(same, found);
  }
  if (named.size === 0) return {};
  return { abandoned_warnings: [...named.values()].slice(0, WARNINGS).map(warningOf) };
};

const warningOf = ({ key, namespace, approach, project, effort, state }: FoundDeadEnd): AbandonedWarning => ({
  result_type: 'abandoned_warning',
  key,
  namespace,
  name: approach.name,
  type: approach.type,
  reason: clip(approach.reason, REASON),
  ...(project !== undefined && { project }),
  ...(effort !== undefined && { effort_score: effort }),
  attempted_at: approach.attempted_at,
  ...(state !== 'active' && { state }),
});
