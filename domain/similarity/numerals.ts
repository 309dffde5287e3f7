import type { Word } from './words.js';

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';

const VALUES: ReadonlyMap<string, number> = new Map([
  ...ONES.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, i) => [word, (i + 2) * 10] as const),
  ['hundred', 100],
  ['thousand', 1_000],
]);
const TIMES: ReadonlySet<string> = new Set(['once', 'twice']);

const figureOf = (form: string): number | undefined => {
  const parts = form.split('-').map((part) => VALUES.get(part));
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
};

/** Numbers as figures, so that "seven" and "7" are one, and "thirty" is a number as 30 is. */
export const withFigures = (words: readonly Word[]): readonly Word[] =>
  words.map((word) => {
    const value = figureOf(word.form);
    if (value !== undefined) return { ...word, form: String(value), kind: 'number' };
    return TIMES.has(word.form) ? { ...word, kind: 'number' } : word;
  });
