import { isDomainError } from '../../domain/errors.js';
import { memoryDecider } from '../../domain/memory/memory.js';
import { allNames } from '../../domain/project/scope.js';
import { classifyNeighbour, type Neighbour } from '../../domain/similarity.js';
import type { Namespace } from '../../domain/vocabulary.js';
import { stateOf } from '../eventlog/handle.js';
import type { Embedded } from './embed.js';
import type { CommandParts } from './parts.js';

/** An existing memory that a new text says again, or says otherwise. */
export type Related = { readonly key: string; readonly content: string; readonly similarity: number; readonly neighbour: Neighbour };

/** Neighbours looked for; those of another project are sorted out after the search. */
const CANDIDATES = 20;
const WORD_CANDIDATES = 5;
/** Neighbours compared word by word: the nearest ones. */
const COMPARED = 5;
/** The share of the new text's words from which a find by words is worth comparing. */
const WORD_COVERAGE = 0.5;
/** Texts whose lengths differ by more than this factor neither say the same nor change one value of it. */
const LENGTH_FACTOR = 3;
/** Longer texts are compared as wholes only (by their claim): one window says too little of them. UTF-16 units. */
const COMPARED_LENGTH = 4_000;

/**
 * Memories of the same namespace and project that are related to a new text, nearest first. Archived ones do not count.
 * Advice on a fresh read: two writers at once may both miss each other; only equal texts are decided atomically.
 */
export const relatedMemories = async (
  parts: CommandParts,
  scope: { readonly namespace: Namespace; readonly project: string | undefined },
  content: string,
  embedded: Embedded,
  { textIndex = 0, duplicatesOnly = false }: { readonly textIndex?: number; readonly duplicatesOnly?: boolean } = {},
): Promise<readonly Related[]> => {
  if (content.length > COMPARED_LENGTH) return [];
  const { index, log } = parts;
  const names = scope.project === undefined ? undefined : allNames(index.projects, [scope.project]);
  const filter = { states: ['active', 'deprioritised'] as const, ...(names && { projects: names }) };
  const isInScope = (project: string | undefined): boolean =>
    names && project !== undefined ? names.includes(project) : project === scope.project;
  const similarity = new Map<string, number>();
  const embedder = embedded.state === 'stored' ? embedded.embedder : undefined;
  const windows = embedded.state === 'stored' ? embedded.windows[textIndex] : undefined;
  const space = index.serving;
  const sameSpace = embedder !== undefined && space !== undefined && space.model.id === embedder.identity.id;
  const thresholds = parts.thresholds(embedder);
  if (!duplicatesOnly || !sameSpace) {
    for (const { key, coverage } of index.words(scope.namespace).search(content, WORD_CANDIDATES, filter)) {
      if (coverage >= WORD_COVERAGE) similarity.set(key, 0);
    }
  }
  const [first] = windows ?? [];
  if (sameSpace && first) {
    const near = duplicatesOnly ? thresholds.duplicate : thresholds.contradiction;
    const hits = await orNone(async () => {
      const vectors = space.index(scope.namespace);
      return { known: await vectors.similarities(first, [...similarity.keys()]), nearest: await vectors.knn(first, CANDIDATES, filter) };
    });
    for (const hit of hits?.known ?? []) similarity.set(hit.key, hit.similarity);
    for (const hit of hits?.nearest ?? []) if (hit.similarity >= near) similarity.set(hit.key, hit.similarity);
  }
  const inScope = [...similarity]
    .filter(([key]) => index.documents.get(key)?.context === undefined && isInScope(index.documents.get(key)?.project))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, COMPARED);
  if (inScope.length === 0) return [];
  const histories = await log.load(inScope.map(([key]) => key));
  return histories.flatMap((history, i) => {
    const { state } = stateOf(memoryDecider, history);
    const cosine = inScope[i]?.[1] ?? 0;
    if (!('content' in state) || state.status === 'archived' || !comparable(content, state.content)) return [];
    const neighbour = classifyNeighbour(content, state.content, cosine, thresholds);
    return neighbour.relation === 'none' ? [] : [{ key: history.subject, content: state.content, similarity: cosine, neighbour }];
  });
};

/** Nobody's memory is refused because a search engine does not answer: that is for health to say. */
const orNone = async <T>(search: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await search();
  } catch (error) {
    if (isDomainError(error, 'UNAVAILABLE')) return undefined;
    throw error;
  }
};

const comparable = (a: string, b: string): boolean => Math.max(a.length, b.length) <= LENGTH_FACTOR * Math.min(a.length, b.length);
