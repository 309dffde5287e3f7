import { type Claims, claimsIn } from './contradiction.js';
import { diffWords, type Hunk, isSameSentence } from './diff.js';
import { withFigures } from './numerals.js';
import { contentWords, type Word, wordsOf } from './words.js';

/** A text as it is compared, read once for any number of comparisons. */
export type Statement = {
  readonly text: string;
  readonly claims: Claims;
  /** The words that say something, and all of them. */
  readonly content: readonly Word[];
  readonly words: readonly Word[];
};

export const statementOf = (text: string): Statement => ({
  text,
  claims: claimsIn(text),
  content: withFigures(contentWords(text)),
  words: withFigures(wordsOf(text)),
});

/** Longer texts are compared by their claims only: one value among many sentences says too little. UTF-16 units. */
const COMPARED_LENGTH = 2_000;

/** Where two texts differ that are one sentence otherwise; undefined when they are two sentences. */
export const differences = (a: Statement, b: Statement): readonly Hunk[] | undefined => {
  if (Math.max(a.text.length, b.text.length) > COMPARED_LENGTH) return undefined;
  return isSameSentence(a.content, b.content) ? diffWords(a.content, b.content) : undefined;
};

/** Where a difference stands in the whole sentence, fillers included: what is said before it, and after it. */
export const around = (
  sentence: readonly Word[],
  { removed }: Hunk,
): { readonly before: readonly Word[]; readonly after: readonly Word[] } => {
  const at = sentence.findIndex((word) => word.form === removed[0]?.form && word.shown === removed[0]?.shown);
  return { before: sentence.slice(0, Math.max(0, at)), after: sentence.slice(at + removed.length) };
};

export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** What comes before one of these is what the sentence speaks of, and what comes after is said of it. */
const SAYS =
  wordSet(`is are was were be has have had uses use used using runs run running lives live lays stored listens listen listening needs need
  takes take must should shall can may will returns return expects allows supports requires means equals set sets defaults default called named
  points connects talks writes reads goes happens happen starts ends fails keeps holds gets costs lasts expires retries waits belongs owned
  owns at =`);

export const says = (words: readonly Word[]): boolean => words.some(({ form }) => SAYS.has(form));
