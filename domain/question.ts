import { FUNCTION_WORDS, isTelling } from './text/languages.js';
import { STOP_WORDS } from './text/stop-words.js';

/** Of languages other than English. Some of them mean something in English, so none counts alone. */
const isFunctionWord = (word: string): boolean => Object.values(FUNCTION_WORDS).some((words) => words.has(word));

/** Letters between blanks, apostrophes and the marks of a sentence; signs may be what is asked for (`t.is()`). */
const PROSE = /^[\p{L}\p{M}\s'’?!.,¿¡]+$/u;
/** A capital alone is the name of something, but for the two that are words. */
const LETTER_NAME = /^[B-HJ-Z]$/;
/** So may a short query in capitals be, whatever its letters spell otherwise: `US`, `IT`, `WHO`. */
const ACRONYM = /^\p{Lu}{2,3}$/u;
const MOST_ACRONYMS = 3;

/**
 * Whether a query is made of function words only ("what is it", "the and of to"). Whatever shares such a word shares no subject,
 * so the words of the query are no evidence. Words that mean something in English (`COMMENT ON`) are none unless another shows the language.
 */
export const saysNothing = (query: string): boolean => {
  if (!PROSE.test(query)) return false;
  const words = query.match(/[\p{L}\p{M}]+/gu) ?? [];
  const [only, ...more] = words;
  if (only === undefined || (more.length === 0 && LETTER_NAME.test(only))) return false;
  if (words.length <= MOST_ACRONYMS && words.every((word) => ACRONYM.test(word))) return false;
  const foreign = words.map((word) => word.normalize('NFC').toLowerCase()).filter((word) => !STOP_WORDS.has(word));
  return foreign.length === 0 || (more.length > 0 && foreign.every(isFunctionWord) && foreign.some(isTelling));
};

/** What binds words in Japanese, Chinese and Korean, alone. */
const PARTICLES: ReadonlySet<string> = new Set(
  'の は が を に へ と も で や か ね よ な から まで です ます だ 的 了 是 吗 呢 吧 着 和 은 는 이 가 을 를 의 에 도'.split(' '),
);
/** Letters, figures and symbols such as emoji: what can be looked for. */
const SOUGHT = /[\p{L}\p{N}\p{So}]/gu;
/** What a search that found nothing returns, most often. */
const NOUGHT = /^(?:0|[-+\u2212\u2013]\s*\p{N})$/u;

/** Whether there is nothing to look for in a query: function words only, a particle alone, `-1` or `0`, or only punctuation. */
export const asksNothing = (query: string): boolean => {
  const sought = query.match(SOUGHT) ?? [];
  if (sought.length === 0 || NOUGHT.test(query.trim())) return true;
  return PARTICLES.has(query.replace(/[\s\p{P}]/gu, '')) || saysNothing(query);
};
