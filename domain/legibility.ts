import { type FusedHit, relevanceByWords } from './fusion.js';
import { foreignLanguage } from './text/languages.js';

/**
 * What an English model's vocabulary is made of. Of other scripts it holds single characters or nothing, so that each of their
 * letters is a token that says nothing.
 */
const KNOWN = /[\p{Script=Latin}\p{N}]/gu;
const UNKNOWN = /(?!\p{Script=Latin})\p{L}/gu;
const NOT_ASCII = /\P{ASCII}/u;
const LETTER_OR_DIGIT = /[a-z\d]/i;
/** Characters in a token of English, about. */
const TOKEN_LENGTH = 4;

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/**
 * The share of a text's tokens, about, that the embedding models know, 0..1: both that OmniMem brings were trained on English. 0 for a
 * text without a letter or digit. The vectors of two texts that a model cannot read are near each other, whatever they say.
 */
export const legibility = (text: string): number => {
  if (!NOT_ASCII.test(text)) return LETTER_OR_DIGIT.test(text) ? 1 : 0;
  const known = count(text, KNOWN) / TOKEN_LENGTH;
  return known === 0 ? 0 : known / (known + count(text, UNKNOWN));
};

/** Chosen by measurement: docs/retrieval.md. A query's vector speaks for the query from here on. */
const QUERY_READ = 0.5;
/** That two texts say the same takes more: the few words between may be what they differ in. */
const TEXT_READ = 0.9;

/** Of a question in another language than English, a cosine below this is chance: docs/retrieval.md. */
export const FOREIGN_COSINE = 0.55;

/** Whether the vector of a query may rank memories, or its words alone. */
export const isScriptRead = (query: string): boolean => legibility(query) >= QUERY_READ;

/** Whether a cosine with the query is evidence by itself: in a script that the model reads, and in no language but English. */
export const isQueryRead = (query: string): boolean => isScriptRead(query) && foreignLanguage(query) === undefined;

/** The least relevance of a match: of what both searches say, and of what words alone say. */
export type Floors = { readonly fused: number; readonly lexical: number };

/**
 * Whether a memory is a match for a question in a language that the models read badly: its words are enough, or it is over the floor
 * and holds a word of the question or is very near to it.
 */
export const isForeignMatch = (hit: Pick<FusedHit, 'relevance' | 'lexical' | 'coverage' | 'cosine'>, floors: Floors): boolean =>
  relevanceByWords(hit) >= floors.lexical || (hit.relevance >= floors.fused && (hit.lexical > 0 || (hit.cosine ?? -1) >= FOREIGN_COSINE));

/** Whether a cosine with another such text is evidence that both say the same or speak of the same. */
export const isTextRead = (text: string): boolean => legibility(text) >= TEXT_READ;
