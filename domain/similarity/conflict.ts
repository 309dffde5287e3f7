import { type Claims, claimsIn, opposedBy } from './contradiction.js';
import { diffWords, type Hunk, overlap } from './diff.js';
import { contentWords, type Word, type WordKind, wordsOf } from './words.js';

/** Two texts that cannot both hold. Neither field carries words of the texts: fit for the log. */
export type Conflict = {
  /** The pair of opposite words (`never/always`), or the kind of value that differs (`number`). */
  readonly cue: string;
  /** For people. */
  readonly explanation: string;
};

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
  content: contentWords(text),
  words: wordsOf(text),
});

/** Word overlap from which two texts are the same sentence with another value. */
const SAME_SENTENCE = 0.6;
/** Words that two texts share before the first value that differs, so that they speak of one thing. */
const SAME_SUBJECT = 2;
/** Longer texts are compared by their claims only: one value among many sentences says too little. UTF-16 units. */
const COMPARED_LENGTH = 2_000;
const MOST_WORDS_SWAPPED = 3;

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words after which a number is the name of a thing and no property of one: issue 41 and issue 42 are two. */
const LABELS =
  set(`issue bug ticket pr mr adr rfc step chapter page part chunk sprint milestone phase task item node rack shard no number day
  week month year quarter iteration attempt run build release patch id case test line section rule row column example figure question story
  epic commit error code session meeting batch worker replica pod host machine job room floor lesson exercise option experiment model`);
/** What comes before one of these is what the sentence speaks of, and what comes after is said of it. */
const SAYS =
  set(`is are was were be has have had uses use used using runs run running lives live lays stored listens listen listening needs need
  takes take must should shall can may will returns return expects allows supports requires means equals set sets defaults default called named
  points connects talks writes reads goes happens happen starts ends fails keeps holds gets costs lasts expires retries waits belongs owned
  owns at =`);
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

const isDate = ({ form }: Word): boolean => /^\d{4}-\d{1,2}(-\d{1,2}.*)?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(form);

const NUMERALS = set('one two three four five six seven eight nine ten once twice');

const kindsOf = (words: readonly Word[]): readonly WordKind[] =>
  words.map(({ form, kind }) => (NUMERALS.has(form) ? 'number' : kind)).filter((kind) => kind !== 'plain');

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

/** Where the difference stands in the whole sentence, fillers included: what is said before it, and after it. */
const around = (sentence: readonly Word[], { removed }: Hunk): { readonly before: readonly Word[]; readonly after: readonly Word[] } => {
  const at = sentence.findIndex((word) => word.form === removed[0]?.form && word.shown === removed[0]?.shown);
  return { before: sentence.slice(0, Math.max(0, at)), after: sentence.slice(at + removed.length) };
};

const says = (words: readonly Word[]): boolean => words.some(({ form }) => SAYS.has(form));

/** Whether the value is said of the subject, rather than being part of the subject's name. */
const isPredicate = (sentence: readonly Word[], hunk: Hunk, kind: WordKind): boolean => {
  const { before, after } = around(sentence, hunk);
  const said = says(before);
  if (NAMES.has(kind)) return said;
  if (VALUES.has(kind) && LABELS.has(before.at(-1)?.form ?? '')) return false;
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

/** The same sentence with another value in the same place. */
const otherValue = (a: Statement, b: Statement): Conflict | undefined => {
  if (Math.max(a.text.length, b.text.length) > COMPARED_LENGTH) return undefined;
  const [old, fresh] = [a.content, b.content];
  if (overlap(old, fresh) < SAME_SENTENCE) return undefined;
  const hunks = diffWords(old, fresh);
  if (denialOf(hunks)) return { cue: 'not', explanation: 'One text denies what the other says in the same words.' };
  const kinds = hunks.map(swapped);
  const [kind] = kinds;
  const [first] = hunks;
  if (!first || !kind || kinds.some((each) => each === undefined)) return undefined;
  if (NAMES.has(kind) && hunks.length > 1) return undefined;
  const sentence = a.words;
  const { before } = around(sentence, first);
  if (first.from < SAME_SUBJECT && !(first.from > 0 && says(before))) return undefined;
  if (!hunks.every((hunk, i) => isPredicate(sentence, hunk, kinds[i] ?? kind))) return undefined;
  return { cue: kind, explanation: `The texts say the same of one thing, with ${SHOWN[kind] ?? 'a value'} that differs.` };
};

/**
 * What two texts disagree on, as far as rules without a model see: one affirms what the other denies (17 pairs of opposite words), or
 * both give one thing another number, version, weekday, name or opposite word. Undefined when nothing says so. Symmetric.
 */
export const conflictBetween = (a: Statement, b: Statement): Conflict | undefined => {
  const cue = opposedBy(a.claims, b.claims);
  if (cue !== undefined) return { cue, explanation: `One text affirms what the other denies of the same thing (${cue}).` };
  // In one order, so that the answer does not depend on who came first.
  return a.text < b.text ? otherValue(a, b) : otherValue(b, a);
};
