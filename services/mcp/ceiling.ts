import { estimateTokens } from '../../domain/budget.js';
import {
  type Bound,
  type Cut,
  entriesOf,
  type Fields,
  namedIn,
  plainFieldsOf,
  withFewerEntries,
  withFewerNames,
  withShorterLists,
  withShortTexts,
} from './shorter.js';

export type { Cut } from './shorter.js';

/** The JSON object that a tool answers. */
export type Answer = object;

export type CeilingOptions = {
  readonly cut?: Cut;
  /** The answer as the text that goes with it, which is bounded too. */
  readonly text?: (answer: Answer) => string;
  /** What set the bound, for the note. */
  readonly bound?: Bound;
};

const LONGEST = 100_000;
/** No text is cut to less than this while other things can give way. */
const READABLE = 400;
const SHORTEST = 64;
/** Of the text of a result: less than the first says too little to be worth its other fields, less than the second anything. */
const WITH_ITS_FIELDS = 120;
const WORTH_SHOWING = 16;

/**
 * The answer, or a shorter one of at most `maxTokens`, always whole JSON. What gives way, in this order: whole entries of its
 * list, down to one; the last of the names in `cut`, whose count stays; the text of that one entry, or it becomes a name too; long texts, cut at a
 * character boundary and marked; all its lists, to one length, with `cut.lists` saying how much of each is shown. As the last
 * resort its plain fields are left, with the lengths of its lists.
 */
export const withinCeiling = (
  answer: Answer,
  maxTokens: number,
  { cut, text, bound = 'MCP_MAX_RESPONSE_TOKENS' }: CeilingOptions = {},
): Answer => {
  const fields = answer as Fields;
  const fits = (candidate: object): boolean =>
    estimateTokens(JSON.stringify(candidate)) <= maxTokens && (text === undefined || estimateTokens(text(candidate)) <= maxTokens);
  /** The longest of the answers between two lengths that fits. */
  const longest = (from: number, to: number, made: (length: number) => Fields): Fields | undefined => {
    const length = largest(from, to, (candidate) => fits(made(candidate)));
    return length === undefined ? undefined : made(length);
  };
  if (fits(answer)) return answer;

  const keeping = (count: number): Fields => (cut ? withFewerEntries(fields, cut, count) : fields);
  const entries = entriesOf(fields, cut);
  const one = keeping(1);
  const unnamed = withFewerNames(one, 0, bound);
  const shortEntry = (bare: boolean) => (length: number) => ({
    ...unnamed,
    ...(cut && { [cut.list]: shortened(unnamed, cut, length, bare) }),
  });
  const reads = cut?.shorten !== undefined && entries > 0;
  const namesOnly = (none: Fields): Fields | undefined => longest(1, namedIn(none), (count) => withFewerNames(none, count, bound));
  const lastResort = (none: Fields): Fields => {
    const plain = plainFieldsOf(fields, none, cut, bound);
    return fits(plain) ? plain : unexplained(plain);
  };
  const lists = Math.max(1, ...Object.values(fields).map((value) => (Array.isArray(value) ? value.length : 0)), SHORTEST);
  const shortLists = (most: number): Fields => withShorterLists(withFewerNames(keeping(most), most, bound), most, bound);
  return (
    longest(1, entries, keeping) ??
    longest(0, namedIn(one), (count) => withFewerNames(one, count, bound)) ??
    (reads
      ? (longest(WITH_ITS_FIELDS, LONGEST, shortEntry(false)) ??
        longest(WORTH_SHOWING, LONGEST, shortEntry(true)) ??
        namesOnly(unexplained(keeping(0))))
      : undefined) ??
    longest(READABLE, LONGEST, (length) => withShortTexts(unnamed, length)) ??
    longest(1, lists, shortLists) ??
    longest(SHORTEST, LONGEST, (length) => withShortTexts(unexplained(shortLists(1)), length)) ??
    longest(SHORTEST, LONGEST, (length) => withShortTexts(unexplained(shortLists(0)), length)) ??
    lastResort(withFewerNames(keeping(0), 0, bound))
  );
};

/** How the search was made is the first thing that an answer of a few lines does without. */
const unexplained = ({ search_note: _how, ...answer }: Fields): Fields => answer;

const shortened = (answer: Fields, { list, shorten }: Cut, length: number, bare: boolean): readonly unknown[] =>
  (answer[list] as readonly unknown[]).map((entry) => (shorten ? shorten(entry, length, bare) : entry));

/** The largest whole number of the range that passes; `undefined` when none does. Passing must be monotone. */
const largest = (from: number, to: number, passes: (value: number) => boolean): number | undefined => {
  let best: number | undefined;
  for (let low = from, high = to; low <= high; ) {
    const middle = (low + high) >> 1;
    if (passes(middle)) {
      best = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
};
