import { STOP_WORDS } from './text/stop-words.js';
import { queryTerms } from './text/tokens.js';

/** What the tags of a memory name of a query: nothing, some of its words, or all of them. */
export type Tagged = 'nothing' | 'some' | 'all';

/** What separates the words of a tag such as `code-style`, and those of a query. */
const BETWEEN = /[^\p{L}\p{M}\p{N}.#+]+/u;
/** A query of more words is no question for a tag. */
const MOST_WORDS = 12;

const wordsOf = (text: string): string[] => text.split(BETWEEN).filter((word) => word !== '' && !STOP_WORDS.has(word.toLowerCase()));

/** A word as searches compare it: folded and stemmed. Empty for one that is never looked for. */
const formOf = (word: string): string =>
  queryTerms(word)
    .map(({ term }) => term)
    .sort()
    .join(' ');

const MOST_KNOWN = 20_000;
const known = new Map<string, readonly string[]>();
/** The forms of a tag's words. Memories share few tags, and every query is held against all of them. */
const formsOf = (tag: string): readonly string[] => {
  const before = known.get(tag);
  if (before) return before;
  const forms = wordsOf(tag).map(formOf);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(tag, forms);
  return forms;
};

/**
 * A reader of tags for one query: a tag is named by it when all of the tag's words are words of the query, compared as a word search
 * compares them.
 */
export const tagsAsked = (query: string): ((tags: readonly string[]) => Tagged) => {
  const words = wordsOf(query);
  const asked = new Set(words.length > MOST_WORDS ? [] : words.map(formOf).filter((form) => form !== ''));
  if (asked.size === 0) return () => 'nothing';
  return (tags) => {
    let named: Set<string> | undefined;
    for (const tag of tags) {
      const forms = formsOf(tag);
      if (!forms.every((form) => asked.has(form))) continue;
      named ??= new Set();
      for (const form of forms) named.add(form);
    }
    if (named === undefined || named.size === 0) return 'nothing';
    return named.size === asked.size ? 'all' : 'some';
  };
};
