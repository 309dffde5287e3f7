import { isOtherChoice } from './choice.js';
import { opposedBy } from './contradiction.js';
import type { Hunk } from './diff.js';
import { around, differences, type Statement, says, statementOf } from './statement.js';
import { isDate, isLabelled, isOfTwoDays } from './subjects.js';
import type { Word, WordKind } from './words.js';

export { type Statement, statementOf };

/** Two texts that cannot both hold. Neither field carries words of the texts: fit for the log. */
export type Conflict = {
  /** The pair of opposite words (`never/always`), or the kind of value that differs (`number`). */
  readonly cue: string;
  /** For people. */
  readonly explanation: string;
};

/** Words that two texts share before the first value that differs, so that they speak of one thing. */
const SAME_SUBJECT = 2;
const MOST_WORDS_SWAPPED = 3;

const OPPOSITES: readonly (readonly string[])[] = [
  ['true', 'false'],
  ['yes', 'no'],
  ['required', 'optional'],
  ['mandatory', 'optional'],
  ['allowed', 'forbidden'],
  ['allow', 'deny'],
  ['before', 'after'],
  ['min', 'max'],
  ['minimum', 'maximum'],
  ['hourly', 'daily', 'weekly', 'monthly', 'yearly', 'nightly'],
  ['enabled', 'disabled'],
  ['always', 'never'],
];

/** Kinds of values of which a thing has one at a time. */
const VALUES: ReadonlySet<WordKind> = new Set(['number', 'version', 'weekday']);
/** Kinds that name a thing; they are values only where the sentence says so ("uses Postgres"). */
const NAMES: ReadonlySet<WordKind> = new Set(['name', 'identifier']);

const kindsOf = (words: readonly Word[]): readonly WordKind[] => words.map(({ kind }) => kind).filter((kind) => kind !== 'plain');

/** The one kind of value that this difference swaps, or undefined when it does anything else. */
const swapped = ({ removed, added }: Hunk): WordKind | undefined => {
  if (removed.length === 0 || added.length === 0) return undefined;
  if (removed.length > MOST_WORDS_SWAPPED || added.length > MOST_WORDS_SWAPPED) return undefined;
  if ([...removed, ...added].some(isDate)) return undefined;
  const [before, after] = [kindsOf(removed), kindsOf(added)];
  const [first] = before;
  const values = [...before, ...after];
  if (first === undefined || before.length !== after.length) return undefined;
  if (values.every((kind) => VALUES.has(kind))) return first;
  if (values.every((kind) => NAMES.has(kind)) && removed.length === 1 && added.length === 1) return 'name';
  const [from, to] = [removed[0]?.form ?? '', added[0]?.form ?? ''];
  const opposed = removed.length === 1 && added.length === 1 && OPPOSITES.some((words) => words.includes(from) && words.includes(to));
  return opposed ? 'qualifier' : undefined;
};

/** Whether the value is said of the subject, rather than being part of the subject's name. */
const isPredicate = (sentence: readonly Word[], hunk: Hunk, kind: WordKind): boolean => {
  const { before, after } = around(sentence, hunk);
  const said = says(before);
  if (NAMES.has(kind)) return said;
  if (VALUES.has(kind) && isLabelled(before)) return false;
  return said || !says(after);
};

const denialOf = (hunks: readonly Hunk[]): boolean => {
  const [hunk, ...more] = hunks;
  if (!hunk || more.length > 0 || (hunk.removed.length > 0 && hunk.added.length > 0)) return false;
  const words = [...hunk.removed, ...hunk.added];
  return words[0]?.kind === 'negation' && words.slice(1).every(({ form }) => form === 'longer');
};

const SHOWN: Partial<Readonly<Record<WordKind, string>>> = {
  number: 'a number',
  version: 'a version',
  weekday: 'a weekday',
  name: 'a name',
  qualifier: 'a word and its opposite',
};

const differsIn = (kind: WordKind): Conflict => ({
  cue: kind,
  explanation: `The texts say the same of one thing, with ${SHOWN[kind] ?? 'a value'} that differs.`,
});

const otherValue = (a: Statement, b: Statement): Conflict | undefined => {
  const hunks = differences(a, b);
  if (!hunks) return undefined;
  if (denialOf(hunks)) return { cue: 'not', explanation: 'One text denies what the other says in the same words.' };
  if (isOfTwoDays(a, hunks)) return undefined;
  if (isOtherChoice(a, b, hunks)) return differsIn('name');
  const kinds = hunks.map(swapped);
  const [kind] = kinds;
  const [first] = hunks;
  if (!first || !kind || kinds.some((each) => each === undefined)) return undefined;
  if (NAMES.has(kind) && hunks.length > 1) return undefined;
  const { before } = around(a.words, first);
  if (first.from < SAME_SUBJECT && !(first.from > 0 && says(before))) return undefined;
  return hunks.every((hunk, i) => isPredicate(a.words, hunk, kinds[i] ?? kind)) ? differsIn(kind) : undefined;
};

/** What two texts disagree on that are the same sentence with another value in the same place, or with a denial. Symmetric. */
export const conflictInOneSentence = (a: Statement, b: Statement): Conflict | undefined =>
  // In one order, so that the answer does not depend on who came first.
  a.text < b.text ? otherValue(a, b) : otherValue(b, a);

/**
 * What two texts disagree on, as far as rules without a model see: one affirms what the other denies (17 pairs of opposite words), or
 * both give one thing another number, version, weekday, name or opposite word. Undefined when nothing says so. Symmetric.
 */
export const conflictBetween = (a: Statement, b: Statement): Conflict | undefined => {
  const cue = opposedBy(a.claims, b.claims);
  if (cue !== undefined) return { cue, explanation: `One text affirms what the other denies of the same thing (${cue}).` };
  return conflictInOneSentence(a, b);
};
