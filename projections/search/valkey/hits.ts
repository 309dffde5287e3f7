import type { VectorHit } from '../ports.js';
import { rounded } from '../top-k.js';
import type { Row } from './commands.js';
import { SCORE } from './commands.js';
import { VECTOR_FIELD } from './definition.js';
import { FILTER_FIELDS, type StoredFacets, storedFacets } from './filter.js';

/** What a search is asked for. The vector, so that its similarity is told exactly and alike by every engine. */
export const HIT_FIELDS: readonly string[] = [SCORE, 'key', 'w', VECTOR_FIELD, ...FILTER_FIELDS.map(({ name }) => name)];
/** The same without KNN, where there is no score. */
export const ROW_FIELDS: readonly string[] = HIT_FIELDS.filter((name) => name !== SCORE);

/** One window of a memory, with its exact similarity, not yet rounded. */
export type Candidate = { readonly key: string; readonly window: number; readonly similarity: number; readonly facets: StoredFacets };

/** Undefined for a ghost: an entry whose hash expired, was overwritten, or holds a vector that none should. */
export const candidateOf = (row: Row, query: Float32Array): Candidate | undefined => {
  const field = (name: string): string => row.fields.get(name)?.toString() ?? '';
  const key = field('key');
  const window = Number(field('w') || Number.NaN);
  const similarity = dot(row.fields.get(VECTOR_FIELD), query);
  if (key === '' || !Number.isInteger(window) || similarity === undefined) return undefined;
  return { key, window, similarity, facets: storedFacets(field) };
};

/** Undefined when the bytes are no vector of this length, or not finite. */
export const dot = (bytes: Buffer | null | undefined, query: Float32Array): number | undefined => {
  if (bytes?.length !== query.byteLength) return undefined;
  let sum = 0;
  for (let i = 0; i < query.length; i++) sum += bytes.readFloatLE(4 * i) * (query[i] as number);
  return Number.isFinite(sum) ? sum : undefined;
};

/** Each memory once, by its best window (the first of equal ones), best first, ties by key. */
export const bestFirst = (candidates: Iterable<Candidate>): VectorHit[] => {
  const best = new Map<string, VectorHit>();
  for (const { key, window, similarity } of candidates) {
    const hit = { key, similarity: rounded(similarity), window };
    const other = best.get(key);
    if (!other || hit.similarity > other.similarity || (hit.similarity === other.similarity && window < other.window)) best.set(key, hit);
  }
  return [...best.values()].sort((a, b) => b.similarity - a.similarity || (a.key < b.key ? -1 : 1));
};
