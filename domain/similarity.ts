import { normalisedForIdentity } from './content.js';
import { isTextRead } from './legibility.js';
import { conflictBetween, conflictInOneSentence, statementOf } from './similarity/conflict.js';
import { looksContradictory } from './similarity/contradiction.js';
import { diffWords, type Hunk, isRotation, isSameSentence, surplus } from './similarity/diff.js';
import { speakOfTwo } from './similarity/subjects.js';
import { contentWords, type Word, type WordKind } from './similarity/words.js';

export { looksContradictory };

/** Cosine thresholds; those of the specification hold for all-MiniLM-L6-v2, another model carries its own. */
export type SimilarityThresholds = { readonly duplicate: number; readonly contradiction: number };
export const MINILM_THRESHOLDS: SimilarityThresholds = { duplicate: 0.92, contradiction: 0.7 };

/**
 * What a new text is to an existing neighbour. `duplicate`: says the same, need not be stored. `changed`: the same sentence with another
 * value: store it and flag it. `contradiction`: another sentence that denies it: store it and flag it. `none`: unrelated, as far as these rules see.
 */
export type Relation = 'duplicate' | 'changed' | 'contradiction' | 'none';

export type Neighbour = {
  readonly relation: Relation;
  /** Why, in words for people, without any text of either memory: fit for the log. */
  readonly explanation: string;
  /** The words that differ, for the answer only. */
  readonly difference?: { readonly old: string; readonly new: string };
};

/** Shared words before the first difference from which two texts speak of the same subject. */
const SAME_SUBJECT = 2;
/** New words beyond the dropped ones from which a rewording says more than the old text. */
const SAYS_MORE = 3;
const SHOWN_LENGTH = 80;

const KIND_NAMES: Readonly<Record<WordKind, string>> = {
  number: 'a number',
  version: 'a version',
  weekday: 'a weekday',
  month: 'a month',
  name: 'a name',
  identifier: 'an identifier',
  negation: 'a negation',
  qualifier: 'a condition or qualifier',
  symbol: 'a symbol',
  plain: 'a word',
};

const shown = (words: readonly Word[]): string =>
  words
    .map((word) => word.shown)
    .join(' ')
    .slice(0, SHOWN_LENGTH);

const changed = (explanation: string, old: readonly Word[], fresh: readonly Word[]): Neighbour => ({
  relation: 'changed',
  explanation,
  difference: { old: shown(old), new: shown(fresh) },
});
const verdict = (relation: Relation, explanation: string): Neighbour => ({ relation, explanation });

/** A capital at the beginning of a sentence is no sign of a name, unless capital was swapped for capital there. */
const swapsNames = ({ removed, added }: Hunk): boolean =>
  removed.length > 0 &&
  removed.length <= 3 &&
  added.length > 0 &&
  added.length <= 3 &&
  [...removed, ...added].every(({ shown: word }) => /^\p{Lu}/u.test(word));

/** The kinds of words in which the two differ that carry a claim by themselves, strongest first. */
const claimKinds = (hunks: readonly Hunk[], lost: readonly Word[], gained: readonly Word[]): readonly WordKind[] => {
  const kinds = new Set([...lost, ...gained].map(({ kind }) => kind));
  const first = hunks[0];
  if (hunks.length === 1 && first && swapsNames(first)) kinds.add('name');
  return (Object.keys(KIND_NAMES) as WordKind[]).filter((kind) => kind !== 'plain' && kinds.has(kind));
};

const POINTS_AT_ONE_THING: ReadonlySet<WordKind> = new Set(['number', 'version', 'weekday', 'month', 'name', 'identifier']);

/** Whether a difference puts another number, name or identifier in the place of one. */
const swapsSubject = (hunk: Hunk | undefined): boolean =>
  hunk !== undefined && [hunk.removed, hunk.added].every((words) => words.some(({ kind }) => POINTS_AT_ONE_THING.has(kind)));

/** Two swaps may be the opposites of two words, and turn the sentence round; one among words that were added or dropped is a rewording. */
const SWAPS_OF_OTHER_CLAIM = 2;
const swapsWords = ({ removed, added }: Hunk): boolean => removed.length > 0 && added.length > 0;

/** The verdict on two texts that share most of their words, or undefined when they are about different things. */
const compareSentences = (old: readonly Word[], fresh: readonly Word[], isClose: boolean): Neighbour | undefined => {
  const hunks = diffWords(old, fresh);
  if (hunks.length === 0) return verdict('duplicate', 'The texts differ in filler words, plurals or punctuation only.');
  const lost = surplus(old, fresh);
  const gained = surplus(fresh, old);
  if (lost.length === 0 && gained.length === 0)
    return isRotation(old, fresh)
      ? verdict('duplicate', 'The texts hold the same words, one part moved.')
      : changed(
          'The same words stand in another order.',
          hunks.flatMap(({ removed }) => removed),
          hunks.flatMap(({ added }) => added),
        );
  const kinds = claimKinds(hunks, lost, gained);
  if (kinds.length > 0) {
    if (hunks.length > 1 && (hunks[0]?.from ?? 0) < SAME_SUBJECT) {
      if (swapsSubject(hunks[0])) return verdict('none', 'The texts are alike, but the subject and what is said of it both differ.');
      if (!isClose) return undefined;
    }
    return changed(`The texts are alike but differ in ${kinds.map((kind) => KIND_NAMES[kind]).join(', ')}.`, lost, gained);
  }
  if (hunks.length === 1 && gained.length > 0 && (isClose || lost.length > 0))
    return changed(
      lost.length > 0 ? 'The texts are alike, with other words in one place.' : 'The new text says more than the old one.',
      lost,
      gained,
    );
  if (!isClose) return undefined;
  if (hunks.filter(swapsWords).length >= SWAPS_OF_OTHER_CLAIM)
    return changed('The texts are alike, with other words in several places.', lost, gained);
  if (gained.length - lost.length >= SAYS_MORE) return changed('The new text says more than the old one.', lost, gained);
  return verdict('duplicate', gained.length === 0 ? 'The old text already says all of the new one.' : 'The new text rewords the old one.');
};

/** Whether two texts that are near each other by their vectors are alike: the model reads both, or they share most of their words. */
export const meansLikeness = (a: string, b: string): boolean =>
  (isTextRead(a) && isTextRead(b)) || isSameSentence(contentWords(a), contentWords(b));

/**
 * Compares a new text with a neighbour found by search (cosine 0..1). Equal text (up to white space, case and Unicode form) is a duplicate.
 * Texts that share most words, or whose cosine reaches `duplicate`, are compared word by word: a difference in a number, version, weekday,
 * month, name, identifier, negation, condition, or one swapped word makes the new one `changed`, however close the vectors are. Otherwise a
 * cosine from `contradiction` and opposite claims about the same thing make a contradiction. The cosine counts for nothing where the model
 * cannot read one of the texts: then they are compared by their words.
 */
export const classifyNeighbour = (
  newText: string,
  oldText: string,
  cosine: number,
  thresholds: SimilarityThresholds = MINILM_THRESHOLDS,
): Neighbour => {
  if (normalisedForIdentity(newText) === normalisedForIdentity(oldText))
    return verdict('duplicate', 'The texts are equal, up to white space, case and Unicode form.');
  const old = contentWords(oldText);
  const fresh = contentWords(newText);
  const isRead = isTextRead(newText) && isTextRead(oldText);
  const isClose = isRead && cosine >= thresholds.duplicate;
  const compared = isClose || isSameSentence(old, fresh) ? compareSentences(old, fresh, isClose) : undefined;
  const [a, b] = [statementOf(newText), statementOf(oldText)];
  if (compared?.relation === 'changed')
    return speakOfTwo(a, b) ? verdict('none', 'The texts are alike, but speak of two things or two occasions.') : compared;
  const conflict = isRead && cosine >= thresholds.contradiction ? conflictBetween(a, b) : conflictInOneSentence(a, b);
  if (conflict) return verdict('contradiction', conflict.explanation);
  return compared ?? verdict('none', 'No rule relates the two texts.');
};
