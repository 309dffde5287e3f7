import { UNSPACED_SCRIPTS } from '../characters.js';
import type { Word } from './words.js';

/** One place where two word lists differ. `from` is its position in the old list. */
export type Hunk = { readonly removed: readonly Word[]; readonly added: readonly Word[]; readonly from: number };

/** Beyond this many comparisons the middle of two long texts counts as one difference. */
const MAX_CELLS = 250_000;

const equal = (a: Word | undefined, b: Word | undefined): boolean => a?.form === b?.form;

/** Longest common subsequence lengths from each pair of positions to the end, row by row. */
const commonLengths = (old: readonly Word[], fresh: readonly Word[]): Uint16Array => {
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (index: number): number => lengths[index] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      lengths[i * width + j] = equal(old[i], fresh[j])
        ? at((i + 1) * width + j + 1) + 1
        : Math.max(at((i + 1) * width + j), at(i * width + j + 1));
  return lengths;
};

const diffMiddle = (old: readonly Word[], fresh: readonly Word[], offset: number): Hunk[] => {
  if (old.length === 0 && fresh.length === 0) return [];
  if (old.length * fresh.length > MAX_CELLS) return [{ removed: old, added: fresh, from: offset }];
  const lengths = commonLengths(old, fresh);
  const width = fresh.length + 1;
  const hunks: Hunk[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const startI = i;
    const startJ = j;
    while ((i < old.length || j < fresh.length) && !(i < old.length && j < fresh.length && equal(old[i], fresh[j]))) {
      const dropOld = lengths[(i + 1) * width + j] ?? 0;
      const addFresh = lengths[i * width + j + 1] ?? 0;
      if (j >= fresh.length || (i < old.length && dropOld >= addFresh)) i++;
      else j++;
    }
    if (i > startI || j > startJ) hunks.push({ removed: old.slice(startI, i), added: fresh.slice(startJ, j), from: offset + startI });
    while (i < old.length && j < fresh.length && equal(old[i], fresh[j])) {
      i++;
      j++;
    }
  }
  return hunks;
};

/** Where two word lists differ, by longest common subsequence. */
export const diffWords = (old: readonly Word[], fresh: readonly Word[]): readonly Hunk[] => {
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && equal(old[head], fresh[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equal(old[old.length - 1 - tail], fresh[fresh.length - 1 - tail])) tail++;
  return diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail), head);
};

const countForms = (words: readonly Word[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { form } of words) counts.set(form, (counts.get(form) ?? 0) + 1);
  return counts;
};

/** Words of `words` that `others` does not hold as often. */
export const surplus = (words: readonly Word[], others: readonly Word[]): readonly Word[] => {
  const left = countForms(others);
  return words.filter(({ form }) => {
    const count = left.get(form) ?? 0;
    left.set(form, count - 1);
    return count <= 0;
  });
};

/** How much of two word lists is shared, in any order: twice the shared words over all words, 0..1. */
export const overlap = (a: readonly Word[], b: readonly Word[]): number => {
  const all = a.length + b.length;
  return all === 0 ? 0 : (2 * (a.length - surplus(a, b).length)) / all;
};

/** Word overlap from which two texts are the same sentence with another value, whatever the embedder thinks. */
const SAME_SENTENCE = 0.6;
/** Any two texts of one script share most of its letters; from this share of neighbours in common they share words. */
const SAME_LETTERS = 0.5;

/** Where more than half of the words are one letter each: a script without blanks, read letter by letter. */
const isSpelt = (words: readonly Word[]): boolean => 2 * words.filter(({ form }) => ONE_LETTER.test(form)).length > words.length;
const ONE_LETTER = new RegExp(`^[${UNSPACED_SCRIPTS}]$`, 'u');

const neighbours = (words: readonly Word[]): readonly Word[] =>
  words.slice(1).map((word, i) => ({ ...word, form: `${words[i]?.form} ${word.form}` }));

/** Whether two texts are one sentence but for a few words. */
export const isSameSentence = (a: readonly Word[], b: readonly Word[]): boolean => {
  if (overlap(a, b) < SAME_SENTENCE) return false;
  return (!isSpelt(a) && !isSpelt(b)) || overlap(neighbours(a), neighbours(b)) >= SAME_LETTERS;
};

/** A rotation of more words is no longer one sentence turned round. */
const MAX_ROTATION = 200;

/** Whether one list is the other with its front moved to the back: "on start, run migrations". */
export const isRotation = (a: readonly Word[], b: readonly Word[]): boolean => {
  if (a.length !== b.length || a.length > MAX_ROTATION) return false;
  return a.some((_, shift) => b.every((word, at) => equal(word, a[(at + shift) % a.length])));
};
