import type { Embedder } from '../embedding/port.js';

/** Chosen by measurement, in UTF-16 units: docs/retrieval.md, "Long queries". */
const LONG_QUERY = 500;
const ENDING = 200;
/** The first window of a model holds about so much. */
const READ_WHOLE = 1_000;

/** Whether a model leaves out some of a question, which only its words then speak for. */
export const isHalfRead = (query: string): boolean => query.length > READ_WHOLE;

/**
 * What a query means, as unit vectors: that of its first window, and of a long one that of its end, where the question stands under
 * what was pasted. `note` says so where text between the two has no say. Rejects as the embedder does.
 */
export const embedQuestion = async (
  embedder: Embedder,
  query: string,
  options?: { readonly signal?: AbortSignal },
): Promise<{ readonly vector: Float32Array; readonly ending?: Float32Array; readonly note?: string }> => {
  if (query.length <= LONG_QUERY) return { vector: await embedder.embedQuery(query, options) };
  const [vector, ending] = await Promise.all([embedder.embedQuery(query, options), embedder.embedQuery(endOf(query), options)]);
  if (!isHalfRead(query)) return { vector, ending };
  return { vector, ending, note: 'Of this long query the words were all searched, the meaning only of its beginning and its end.' };
};

/** The last words of a text. */
const endOf = (query: string): string => {
  const end = query.slice(-ENDING);
  const blank = end.search(/\s/u);
  const words = blank < 0 ? '' : end.slice(blank).trim();
  return words === '' ? end : words;
};
