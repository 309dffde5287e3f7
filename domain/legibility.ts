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

/** Whether the vector of a query may find memories, or its words alone. */
export const isQueryRead = (query: string): boolean => legibility(query) >= QUERY_READ && foreignLanguage(query) === undefined;

/** Whether a cosine with another such text is evidence that both say the same or speak of the same. */
export const isTextRead = (text: string): boolean => legibility(text) >= TEXT_READ;
