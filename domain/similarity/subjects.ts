import type { Hunk } from './diff.js';
import { around, differences, type Statement, says, wordSet } from './statement.js';
import type { Word } from './words.js';

/** What comes in a numbered series: issue 41 and issue 42 are two. */
const SERIES = `issue bug ticket pr mr adr rfc step chapter page part sprint milestone phase task item row column example figure question
  story epic commit section exercise lesson session meeting iteration attempt migration build`;
/** Words after which a number is the name of a thing and no property of one. */
const LABELS = wordSet(`${SERIES} chunk node rack shard no number day week month year quarter run release patch id case test line rule
  error code batch worker replica pod host machine job room floor option experiment model`);
const IN_SERIES = wordSet(SERIES);

/** Of these there is a version in use, if the sentence chooses one: "use Node 20". */
const CHOSEN = wordSet('node release model patch');
const CHOOSES = wordSet('use uses using run runs need needs require requires target targets support supports pin pinned on to');

/** Whether the number that follows these words is the name of a thing. */
export const isLabelled = (before: readonly Word[]): boolean => {
  const label = before.at(-1)?.form ?? '';
  if (!LABELS.has(label)) return false;
  return !(CHOSEN.has(label) && CHOOSES.has(before.at(-2)?.form ?? ''));
};

const ISO_DATE = /^\d{4}-\d{1,2}(-\d{1,2}.*)?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/;
export const isDate = ({ form }: Word): boolean => ISO_DATE.test(form);
const DAY_OF_MONTH = /^(?:[12]?\d|3[01])(?:st|nd|rd|th)?$/;

/** Whether two texts differ in a date here: 1 Nov and 8 Nov, January and February. */
const swapsDates = ({ words }: Statement, hunk: Hunk): boolean => {
  const { removed, added } = hunk;
  if (removed.length === 0 || added.length === 0) return false;
  if ([...removed, ...added].some((word) => word.kind === 'month' || isDate(word))) return true;
  const { before, after } = around(words, hunk);
  const besideMonth = before.at(-1)?.kind === 'month' || after[0]?.kind === 'month';
  return besideMonth && [removed, added].every(([first]) => DAY_OF_MONTH.test(first?.form ?? ''));
};

/** Whether the texts tell of two days, and something else of each: two observations. */
export const isOfTwoDays = (a: Statement, hunks: readonly Hunk[]): boolean => hunks.length > 1 && hunks.some((hunk) => swapsDates(a, hunk));

const CONTRASTS: readonly ReadonlySet<string>[] = [
  'old new',
  'first second third last',
  'left right',
  'previous next current',
  'min max',
  'minimum maximum',
  'upper lower',
].map(wordSet);

const swapsOne = ({ removed, added }: Hunk): readonly [Word, Word] | undefined => {
  const [from, to] = [removed[0], added[0]];
  return from && to && removed.length === 1 && added.length === 1 ? [from, to] : undefined;
};

/** The old laptop and the new one. */
const contrasts = (hunk: Hunk): boolean => {
  const [from, to] = swapsOne(hunk) ?? [];
  return from !== undefined && to !== undefined && CONTRASTS.some((words) => words.has(from.form) && words.has(to.form));
};

/** What any number of people may do, each for themselves. */
const EACH =
  wordSet(`like likes prefer prefers love loves hate hates enjoy enjoys know knows speak speaks want wants live lives work works joined attended
  asks asked thinks believes drinks eats plays studies studied visited`);

const isCapital = ({ shown }: Word): boolean => /^\p{Lu}/u.test(shown);

const swapsPeople = (a: Statement, hunk: Hunk): boolean => {
  const [from, to] = swapsOne(hunk) ?? [];
  if (!from || !to || !isCapital(from) || !isCapital(to)) return false;
  const { before, after } = around(a.words, hunk);
  return before.length === 0 && EACH.has(after[0]?.form ?? '');
};

const isNumber = ({ kind }: Word): boolean => kind === 'number' || kind === 'version';

const swapsMembers = (a: Statement, hunk: Hunk): boolean => {
  const [from, to] = swapsOne(hunk) ?? [];
  if (!from || !to || !isNumber(from) || !isNumber(to)) return false;
  const { before } = around(a.words, hunk);
  return IN_SERIES.has(before.at(-1)?.form ?? '') && !says(before);
};

/**
 * Whether two texts that are one sentence otherwise speak of two things by a clear sign: two numbers of a series, two people who
 * may do the same, two days or two that are contrasted, each with something else to say of it. Symmetric.
 */
export const speakOfTwo = (one: Statement, other: Statement): boolean => {
  const [a, b] = one.text < other.text ? [one, other] : [other, one];
  const hunks = differences(a, b);
  if (!hunks || hunks.length === 0) return false;
  if (hunks.some((hunk) => swapsMembers(a, hunk))) return true;
  if (hunks.length === 1) return hunks.some((hunk) => swapsPeople(a, hunk));
  return hunks.some((hunk) => contrasts(hunk) || (swapsDates(a, hunk) && !says(around(a.words, hunk).before)));
};
