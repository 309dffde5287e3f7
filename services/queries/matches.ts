import type { QueryParts } from './parts.js';
import { rank } from './rank.js';
import { showable } from './rows.js';

/** An answer to a query that a command may act on. */
export type Match = { readonly key: string; readonly score: number; readonly confident: boolean };

/** Similarity above which a query is taken to mean a memory (specification: strictly above). */
const CONFIDENT = 0.85;
const SHOWN = 3;

/** The best three answers to a query, by likeness alone and without counting as a recall, for commands that take a query. */
export const bestMatches = async (parts: QueryParts, query: string, includeArchived: boolean): Promise<readonly Match[]> => {
  const { hits } = await rank(parts, { query, topK: SHOWN, anyState: includeArchived });
  // The contexts of projects are changed by their own tools.
  const memories = hits.filter(({ key }) => parts.index.documents.get(key)?.context === undefined);
  const shown = await showable(parts, memories, SHOWN);
  return shown.map(({ hit }) => ({ key: hit.key, score: hit.score, confident: hit.parts.similarity > CONFIDENT }));
};
