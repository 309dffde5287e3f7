import { knowsMore, needless, saysAllOf } from '../../../domain/maintenance/duplicates.js';
import { activeMemory, type Side, sideDecider } from '../../../domain/maintenance/side.js';
import { stateOf } from '../../eventlog/handle.js';
import { breather } from '../breather.js';
import { activeDocuments, type Candidate, type Scope, withTexts } from '../contradictions/candidates.js';
import type { CommandParts } from '../parts.js';
import { sameProject } from '../project-names.js';

/** An older memory that a newer one makes needless, with the texts that were judged. */
export type Duplicate = { readonly older: Candidate; readonly kept: Candidate };

export type Duplicates = {
  readonly duplicates: readonly Duplicate[];
  /** Copies that stay, for what they know of the work. */
  readonly knowing: readonly Duplicate[];
};

/** The newest memories that are compared with their neighbours. */
const MOST = 2_000;
const NEIGHBOURS = 10;

/**
 * Active memories of which a newer one says all: by the vectors that are stored, then word by word. Chunks of documents, facts
 * and what somebody brought back once are never copies.
 */
export const findNeedless = async (parts: CommandParts, scope: Scope, signal: AbortSignal | undefined): Promise<Duplicates> => {
  const { index } = parts;
  const space = index.serving;
  if (!space) return { duplicates: [], knowing: [] };
  const documents = activeDocuments(parts, scope).slice(0, MOST);
  const members = (await withTexts(parts, documents)).filter(({ docId, document }) => docId === undefined && !document.isFact);
  const byKey = new Map(members.map((member) => [member.key, member]));
  const filter = { states: ['active'] as const, ...(scope.projects && { projects: scope.projects }) };
  const { duplicate } = parts.thresholds(thresholdsOf(parts));
  const near = new Map<string, ReadonlyMap<string, number>>();
  const breathe = breather(signal);
  for (const { key, vectors } of members) {
    await breathe();
    const [vector, ...more] = vectors;
    // A text of several windows is no copy of another for sharing one of them.
    if (!vector || more.length > 0) continue;
    const hits = await space.index(scope.namespace).knn(vector, NEIGHBOURS, filter);
    near.set(key, new Map(hits.filter((hit) => hit.key !== key && hit.similarity >= duplicate).map((hit) => [hit.key, hit.similarity])));
  }
  const sides = await sidesOf(parts, [...new Set([...near].flatMap(([key, hits]) => (hits.size > 0 ? [key, ...hits.keys()] : [])))]);
  const found = needless(
    members,
    ({ key }) => [...(near.get(key)?.keys() ?? [])].flatMap((other) => byKey.get(other) ?? []),
    (kept, older) => isCopy(parts, kept, older, near.get(kept.key)?.get(older.key) ?? 0, sides),
  );
  const knowing = found.filter((pair) => hasMoreExperience(pair, sides));
  return { duplicates: found.filter((pair) => !knowing.includes(pair)), knowing };
};

const thresholdsOf = ({ embedder }: CommandParts) => {
  const ready = embedder();
  return ready === 'off' ? undefined : ready;
};

const sidesOf = async ({ log }: CommandParts, keys: readonly string[]): Promise<ReadonlyMap<string, Side>> =>
  keys.length === 0 ? new Map() : new Map((await log.load(keys)).map((history) => [history.subject, stateOf(sideDecider, history).state]));

const isCopy = (parts: CommandParts, kept: Candidate, older: Candidate, cosine: number, sides: ReadonlyMap<string, Side>): boolean => {
  if (older.vectors.length !== 1 || !filedTogether(parts, kept.document.project, older.document.project)) return false;
  if (sides.get(older.key)?.broughtBack === true) return false;
  return saysAllOf(kept.content, older.content, cosine, parts.thresholds(thresholdsOf(parts)));
};

const filedTogether = (parts: CommandParts, a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameProject(parts, a, b);

const hasMoreExperience = ({ older, kept }: Duplicate, sides: ReadonlyMap<string, Side>): boolean => {
  const [before, after] = [older, kept].map(({ key }) => activeMemory(sides.get(key) ?? sideDecider.initialState())?.experience);
  return before !== undefined && (after === undefined || knowsMore(before, after));
};

/** Whether the decision to archive still rests on what was judged. */
export const stillNeedless = ({ older, kept }: Duplicate, sides: ReadonlyMap<string, Side>): boolean => {
  const [before, after] = [older, kept].map(({ key }) => activeMemory(sides.get(key) ?? sideDecider.initialState()));
  return (
    before?.content === older.content &&
    after?.content === kept.content &&
    sides.get(older.key)?.broughtBack === false &&
    !knowsMore(before.experience, after.experience)
  );
};
