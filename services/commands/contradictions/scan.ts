import { standing } from '../../../domain/maintenance/pairs.js';
import { type Side, sideDecider } from '../../../domain/maintenance/side.js';
import { type Conflict, conflictBetween, type Statement, statementOf } from '../../../domain/similarity/conflict.js';
import { overlap } from '../../../domain/similarity/diff.js';
import { cosine } from '../../embedding/vectors.js';
import { stateOf } from '../../eventlog/handle.js';
import { breather } from '../breather.js';
import type { CommandParts } from '../parts.js';
import type { Candidate } from './candidates.js';

/** Two memories that seem to contradict each other. */
export type Suspect = {
  readonly a: Candidate;
  readonly b: Candidate;
  /** 4 decimals. */
  readonly similarity: number;
  readonly conflict: Conflict;
  /** Whether the pair is flagged already. */
  readonly open: boolean;
};

export type Scan = {
  /** Those that are new first, each by likeness. */
  readonly suspects: readonly Suspect[];
  /** Pairs whose texts were compared. */
  readonly checked: number;
  /** Pairs that were alike and not compared for the bound. */
  readonly unchecked: number;
  /** Some memories had no vector and were compared by their words. */
  readonly byWords: boolean;
};

/** Likeness from which two texts may be about one thing (contract 11). */
const ALIKE = 0.5;
const MOST_COMPARED = 2_000;

/**
 * Compares memories with each other: the pairs that are alike, most alike first, at most 2,000 of them, by the rules of
 * `conflictBetween`. Pairs of two projects, of one document, of a fact and its source, and those that people settled are left
 * out.
 */
export const scanPairs = async (
  parts: CommandParts,
  candidates: readonly Candidate[],
  sameProject: (a: string, b: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<Scan> => {
  const breathe = breather(signal);
  const statements = new Map<string, Statement>();
  const read = ({ key, content }: Candidate): Statement => {
    const known = statements.get(key) ?? statementOf(content);
    statements.set(key, known);
    return known;
  };
  const alike = await alikePairs(candidates, sameProject, read, breathe);
  const compared = alike.slice(0, MOST_COMPARED);
  const found: Omit<Suspect, 'open'>[] = [];
  for (const pair of compared) {
    await breathe();
    const conflict = conflictBetween(read(pair.a), read(pair.b));
    if (conflict) found.push({ ...pair, conflict });
  }
  const suspects = await unsettled(parts, found);
  return {
    suspects: [...suspects.filter(({ open }) => !open), ...suspects.filter(({ open }) => open)],
    checked: compared.length,
    unchecked: alike.length - compared.length,
    byWords: candidates.some(({ vectors }) => vectors.length === 0),
  };
};

const alikePairs = async (
  candidates: readonly Candidate[],
  sameProject: (a: string, b: string) => boolean,
  read: (candidate: Candidate) => Statement,
  breathe: () => Promise<void>,
) => {
  const pairs: { readonly a: Candidate; readonly b: Candidate; readonly similarity: number }[] = [];
  for (const [i, a] of candidates.entries()) {
    await breathe();
    for (let j = i + 1; j < candidates.length; j++) {
      const b = candidates[j];
      if (!b || !comparable(a, b, sameProject)) continue;
      const similarity =
        a.vectors.length > 0 && b.vectors.length > 0 ? likeness(a.vectors, b.vectors) : overlap(read(a).content, read(b).content);
      if (similarity >= ALIKE) pairs.push({ a, b, similarity: Math.round(similarity * 1e4) / 1e4 });
    }
  }
  return pairs.sort((x, y) => y.similarity - x.similarity || order(x.a.key, y.a.key) || order(x.b.key, y.b.key));
};

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const comparable = (a: Candidate, b: Candidate, sameProject: (a: string, b: string) => boolean): boolean => {
  const [one, two] = [a.document, b.document];
  if (one.project !== undefined && two.project !== undefined && !sameProject(one.project, two.project)) return false;
  if (a.docId !== undefined && a.docId === b.docId) return false;
  if (one.enrichedFrom === b.key || two.enrichedFrom === a.key) return false;
  return one.enrichedFrom === undefined || one.enrichedFrom !== two.enrichedFrom;
};

const likeness = (a: readonly Float32Array[], b: readonly Float32Array[]): number =>
  Math.max(...a.flatMap((one) => b.map((other) => cosine(one, other))));

const unsettled = async ({ log }: CommandParts, found: readonly Omit<Suspect, 'open'>[]): Promise<readonly Suspect[]> => {
  const keys = [...new Set(found.flatMap(({ a, b }) => [a.key, b.key]))];
  if (keys.length === 0) return [];
  const sides = new Map<string, Side>((await log.load(keys)).map((history) => [history.subject, stateOf(sideDecider, history).state]));
  return found.flatMap((pair) => {
    const [a, b] = [pair.a, pair.b].map(({ key }) => ({ key, side: sides.get(key) ?? sideDecider.initialState() }));
    if (!a || !b) return [];
    const stands = standing(a, b);
    return stands === 'settled' ? [] : [{ ...pair, open: stands === 'open' }];
  });
};
