import { parseQuery } from '../../../domain/content.js';
import { DomainError } from '../../../domain/errors.js';
import { sideDecider } from '../../../domain/maintenance/side.js';
import { clip } from '../../../domain/passage.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import type { Call, CheckContradictionsInput, CheckContradictionsResult, Contradiction } from '../../api.js';
import { handleCommand } from '../../eventlog/handle.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { projectNames, sameProject, suggested } from '../project-names.js';
import { expectFree } from '../retag.js';
import { candidatesOf } from './candidates.js';
import { type Found, flagAll } from './flag.js';
import { judged } from './judged.js';
import { type Scan, scanPairs } from './scan.js';

/** Pairs in one answer (contract 11). */
export const MOST_FOUND = 10;
const SHOWN = 80;

type Reported = Found & { readonly said?: string };

/**
 * Finds pairs of memories that contradict each other, and flags each on both under one correlation, so that recall shows it
 * until somebody settles it. Throws VALIDATION, UNAVAILABLE.
 */
export const checkContradictions = async (
  parts: CommandParts,
  input: CheckContradictionsInput,
  call: Call,
): Promise<CheckContradictionsResult> => {
  const namespace = NAMESPACES.find((known) => known === (input.namespace ?? 'episodic'));
  if (!namespace)
    throw new DomainError('VALIDATION', `namespace is not one of ${[...NAMESPACES].sort().join(', ')}`, 'Leave it out for episodic');
  const query = input.query === undefined || input.query.trim() === '' ? undefined : parseQuery(input.query);
  const project = input.project_filter === undefined ? undefined : parseProjectName(input.project_filter);
  const stamp = stampOf(parts, call);
  await parts.fresh();
  const scope = { namespace, projects: project === undefined ? undefined : projectNames(parts, project) };
  const candidates = await candidatesOf(parts, scope, query, call.signal);
  const scan = await scanPairs(parts, candidates, (a, b) => sameProject(parts, a, b), call.signal);
  const { reported, notes } = await confirmed(parts, scan, input.use_api === true, call);
  const suggestion = suggested(parts, project);
  if (reported.length === 0) return { contradictions: [], checked: scan.checked, ...suggestion, ...noteOf(scan, notes) };

  let standing: readonly Found[] = reported;
  const { appended } = expectFree(
    await handleCommand(parts.log, sideDecider, [...new Set(reported.flatMap(({ a, b }) => [a.key, b.key]))], stamp, (loaded) => {
      const flagged = flagAll(reported, new Map(loaded.map(({ subject, state }) => [subject, state])));
      standing = flagged.standing;
      return {
        writes: [...flagged.events].map(([subject, events]) => ({ subject, events })),
        result: { pairs: standing.map(({ a, b }) => [a.key, b.key]) },
      };
    }),
  );
  return {
    contradictions: reported.filter((one) => standing.includes(one)).map(shown),
    checked: scan.checked,
    ...suggestion,
    ...noteOf(scan, notes),
    ...(await visibility(parts, appended)),
  };
};

const confirmed = async (
  parts: CommandParts,
  { suspects }: Scan,
  useApi: boolean,
  call: Call,
): Promise<{ readonly reported: readonly Reported[]; readonly notes: readonly string[] }> => {
  const byRule = suspects.slice(0, MOST_FOUND).map((suspect): Reported => ({ ...suspect, method: 'heuristic' }));
  if (!useApi) return { reported: byRule, notes: [] };
  const { verdicts, note } = await judged(parts, suspects, MOST_FOUND, call);
  const notes = note === undefined ? [] : [note];
  if (verdicts === undefined) return { reported: byRule, notes };
  return {
    reported: verdicts.map(({ suspect, confidence, explanation }) => ({
      ...suspect,
      method: 'api_confirmed',
      confidence,
      ...(explanation !== '' && { said: explanation }),
    })),
    notes,
  };
};

const shown = ({ a, b, method, confidence, said, conflict, similarity }: Reported): Contradiction => ({
  key_a: a.key,
  key_b: b.key,
  content_a: clip(a.content, SHOWN),
  content_b: clip(b.content, SHOWN),
  method,
  ...(confidence !== undefined && { confidence }),
  explanation: said ?? conflict.explanation,
  similarity,
});

const noteOf = ({ unchecked, byWords }: Scan, more: readonly string[]): { readonly note?: string } => {
  const notes = [
    ...more,
    byWords && 'Some memories have no vector; they were compared by their words.',
    unchecked > 0 && `${unchecked} more pairs are alike and were not compared; narrow it with query or project_filter.`,
  ].filter((note) => typeof note === 'string');
  return notes.length === 0 ? {} : { note: notes.join(' ') };
};
