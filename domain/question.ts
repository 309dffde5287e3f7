import { STOP_WORDS } from './text/stop-words.js';

/** Function words of German, French and Spanish. Some of them mean something in English, so none counts alone. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `der die das den dem des ein eine einen einem einer und oder ist sind war waren was wer wie wo wann warum wieso weshalb welche welcher welches
  wem wen ich du er sie es wir ihr mir mich dir dich uns hat haben habe wird werden wurde kann können soll muss man nicht auch nur noch so zu
  zum zur von vom im in mit auf für bei nach aus an am als wenn dass da hier dort dies diese dieser dieses denn doch mal
  le la les l un une du de et ou c ce que quoi qui quel quelle comment pourquoi quand où il elle ils elles je tu nous vous on ça cela est sont
  y a à au aux en dans pour par sur avec pas ne se sa son ses
  el los las una unos unas y o es son fue qué quién cómo cuándo dónde cuál para con del al lo su sus yo él ella esto eso esta este`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Letters between blanks, apostrophes and the marks of a sentence; signs may be what is asked for (`t.is()`). */
const PROSE = /^[\p{L}\p{M}\s'’?!.,¿¡]+$/u;
/** A capital alone is the name of something, but for the two that are words. */
const LETTER_NAME = /^[B-HJ-Z]$/;

/**
 * Whether a query is made of function words only ("what is it", "the and of to"). Whatever shares such a word shares no subject,
 * so the words of the query are no evidence.
 */
export const saysNothing = (query: string): boolean => {
  if (!PROSE.test(query)) return false;
  const words = query.match(/[\p{L}\p{M}]+/gu) ?? [];
  const [only, ...more] = words;
  if (only === undefined || (more.length === 0 && LETTER_NAME.test(only))) return false;
  return words
    .map((word) => word.normalize('NFC').toLowerCase())
    .every((word) => STOP_WORDS.has(word) || (more.length > 0 && FUNCTION_WORDS.has(word)));
};
