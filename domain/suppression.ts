import { foldForMatching, UNSPACED_SCRIPTS } from './characters.js';

/** The first suppressed topic that a text speaks of, or undefined. */
export type TopicMatcher = (text: string) => string | undefined;

const WORD = '[\\p{L}\\p{M}\\p{N}_]';
const SEPARATOR = '[\\s_\\-]+';
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
const WORD_CHARACTER = new RegExp(WORD, 'u');

const canonical = (folded: string): string => folded.split(/[\s_-]+/u).join(' ');
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A boundary belongs where the topic ends in a letter of a spaced script; `c` stops short of `c++` and `c#`. */
const boundary = (edge: string | undefined): boolean => edge !== undefined && WORD_CHARACTER.test(edge) && !UNSPACED.test(edge);

const pattern = (topic: string): string => {
  const characters = [...topic];
  const before = boundary(characters[0]) ? `(?<!${WORD})` : '';
  const after = boundary(characters.at(-1)) ? `(?!${WORD}|\\+\\+|#(?!\\d))` : '';
  return before + topic.split(' ').map(escaped).join(SEPARATOR) + after;
};

/** What a text must say to speak of a topic: two topics with one form keep out the same, however they are written. */
export const topicForm = (topic: string): string => canonical(foldForMatching(topic)).trim();

/**
 * Compiles topics once for many texts. A topic matches whole words (`go` does not hide `google`), whatever the case, the diacritics or the
 * blanks, hyphens and underscores between its words. In scripts without word boundaries it matches anywhere. Nothing in a topic is a pattern.
 */
export const compileTopics = (topics: readonly string[]): TopicMatcher => {
  const originals = new Map<string, string>();
  for (const topic of topics) {
    const form = topicForm(topic);
    if (form !== '' && !originals.has(form)) originals.set(form, topic);
  }
  if (originals.size === 0) return () => undefined;
  const longestFirst = [...originals.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(longestFirst.map(pattern).join('|'), 'u');
  return (text) => {
    const match = any.exec(foldForMatching(text));
    return match ? originals.get(canonical(match[0])) : undefined;
  };
};

/** Whether a text speaks of one of the topics. For many texts compile the topics once. */
export const isSuppressed = (text: string, topics: readonly string[]): boolean => compileTopics(topics)(text) !== undefined;
