import { foldCase } from '../characters.js';

/** A word of a text as the comparison sees it. `form` is compared; `shown` is what people read. */
export type Word = { readonly form: string; readonly shown: string; readonly kind: WordKind };

/** All kinds but `plain` carry a claim by themselves: texts that differ in one say different things. */
export type WordKind = 'number' | 'version' | 'weekday' | 'month' | 'name' | 'identifier' | 'negation' | 'qualifier' | 'symbol' | 'plain';

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

const WEEKDAYS = set(`monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
  montag dienstag mittwoch donnerstag freitag samstag sonntag`);
const MONTHS = set(`january february march april may june july august september october november december
  jan feb mar apr jun jul aug sep sept oct nov dec`);
const NEGATIONS = set(`not no never none nothing neither nor without nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans sin
  nunca non senza 不 没 沒 无 無 非 勿 别 別 禁 未 莫`);
/** Condition, modality, quantity, order, tense, and words that come as opposites. */
const QUALIFIERS = set(`only except unless until before after during if when while must should shall may might can could would will optional
  required mandatory allowed forbidden always sometimes often rarely or and either both all any some every each most more less fewer
  min max minimum maximum first last next previous old new latest true false yes was were had did from off out over under above below up down
  left right daily weekly monthly hourly yearly nightly today tomorrow yesterday enable disable enabled disabled allow deny add remove avoid
  with deprecated recommended abandoned adopted failed succeeded he she they you i my your his her their one two three four five six
  seven eight nine ten once twice`);
/** Words that may change without a change of meaning. */
const LIGHT = set(`a an the this that these those it its of to in at on by for as is are am be being been has have do does
  and also just please we our us there here which currently really very so then`);

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
/** One character of a script without blanks; a word with what holds identifiers together; a flag or sign before a word; any other symbol that is neither
 * punctuation nor mark-up. */
const TOKEN = new RegExp(
  `[${UNSPACED}]|(?<![^\\s([{"'])[-+]{1,2}(?=[\\p{L}\\p{N}])|[^\\s\\p{P}\\p{S}${UNSPACED}]+(?:[.,:/@_'’\\\\-]+[^\\s\\p{P}\\p{S}${UNSPACED}]+)*(?:\\+\\+|#)?|_+[\\p{L}\\p{N}_]+|(?<=\\S )[*/](?= \\S)|(?:(?![\`´¨])[\\p{S}!%&])+`,
  'gu',
);
/** The end of a sentence, which the last alternative of TOKEN takes for an operator; before a colon (`feat!:`) it is one. */
const PUNCTUATION_ONLY = /^!+$/;
/** What stands in the brackets of a call or scope, `feat(api)`, is no remark; an ending, `test(s)`, is. */
const CALLED = /[\p{L}\p{N}_]\($/u;
const ENDING = /^(?:e?[snd]|r)$/u;

const CONTRACTIONS: ReadonlyMap<string, string> = new Map([
  ['cannot', 'can not'],
  ["can't", 'can not'],
  ["won't", 'will not'],
  ["shan't", 'shall not'],
]);

/** `don't` is `do not`: a negation must be seen however it is written. */
const expanded = (lower: string): string => CONTRACTIONS.get(lower) ?? lower.replace(/n't$/u, ' not');

const singular = (word: string): string => {
  if (/^[a-z]{2,}(?:ch|sh|x|ss)es$/.test(word)) return word.slice(0, -2);
  return /^[a-z]{3,}[^su]s$/.test(word) ? word.slice(0, -1) : word.replace(/'s$/u, '');
};

const kindOf = (form: string, written: string, opensSentence: boolean): WordKind => {
  if (WEEKDAYS.has(form)) return 'weekday';
  if (MONTHS.has(form)) return 'month';
  if (NEGATIONS.has(form)) return 'negation';
  if (QUALIFIERS.has(form)) return 'qualifier';
  if (!/[\p{L}\p{N}]/u.test(form)) return 'symbol';
  if (/^v?\d+(?:\.\d+)+/u.test(form)) return 'version';
  if (/^[\p{N}.,:/-]+\p{L}{0,3}$/u.test(form)) return 'number';
  if (/[\p{N}._:/@\\]|\p{Ll}\p{Lu}|[+#]$/u.test(written)) return 'identifier';
  return /^\p{Lu}/u.test(written) && !opensSentence ? 'name' : 'plain';
};

const opens = (text: string, index: number): boolean =>
  /(?:^|[.!?:。！？\n])["'“‘«([\s-]*$/u.test(text.slice(Math.max(0, index - 12), index));

/** The words of a text in order, `don't` in two, plurals singular, apostrophes straight. */
export const wordsOf = (text: string): readonly Word[] =>
  [...text.normalize('NFC').matchAll(TOKEN)]
    .filter(({ 0: written, index, input }) => !PUNCTUATION_ONLY.test(written) || input[index + written.length] === ':')
    .flatMap(({ 0: written, index, input }) => {
      const opensSentence = opens(input, index);
      const isCalled = CALLED.test(input.slice(Math.max(0, index - 2), index)) && !ENDING.test(written);
      const lower = foldCase(written).replace(/’/gu, "'");
      return expanded(lower)
        .split(' ')
        .map((part) => {
          const form = WEEKDAYS.has(singular(part)) ? singular(part) : QUALIFIERS.has(part) || LIGHT.has(part) ? part : singular(part);
          const kind = kindOf(form, written, opensSentence);
          return { form, shown: part === lower ? written : part, kind: kind === 'plain' && isCalled ? 'identifier' : kind };
        });
    });

/** The words that say something. A text of light words only keeps them all. */
export const contentWords = (text: string): readonly Word[] => {
  const words = wordsOf(text);
  const content = words.filter(({ form }) => !LIGHT.has(form));
  return content.length > 0 ? content : words;
};
