import { estimateTokens } from '../../domain/budget.js';

/** The JSON object that a tool answers. */
export type Answer = object;

/** Names the list of an answer that may be shortened, and how the answer then says what is missing. */
export type Cut = {
  readonly list: string;
  /** Where entries are taken away. */
  readonly from: 'start' | 'end';
  /** Fields that replace those of the answer: what is left out, and how to get it. */
  readonly say: (answer: Readonly<Record<string, unknown>>, dropped: readonly unknown[]) => Readonly<Record<string, unknown>>;
};

const SHORTEST = 64;
const LONGEST = 100_000;

/**
 * The answer, or a shorter one of at most `maxTokens`, always whole JSON: first whole entries of its list go, then long
 * texts are cut at a character boundary and say so, and as the last resort only its plain fields are left.
 */
export const withinCeiling = (
  answer: Answer,
  maxTokens: number,
  { cut, text }: { readonly cut?: Cut; readonly text?: (answer: Answer) => string } = {},
): Answer => {
  const fits = (candidate: object): boolean =>
    estimateTokens(JSON.stringify(candidate)) <= maxTokens && (text === undefined || estimateTokens(text(candidate)) <= maxTokens);
  if (fits(answer)) return answer;
  const shorter = cut ? withFewerEntries(answer, cut, fits) : answer;
  if (fits(shorter)) return shorter;
  const limit = largest(SHORTEST, LONGEST, (length) => fits(withShortTexts(shorter, length) as object));
  const clipped = withShortTexts(shorter, limit ?? SHORTEST) as object;
  return limit === undefined && !fits(clipped) ? onlyPlainFields(answer) : clipped;
};

const withFewerEntries = (answer: Answer, { list, from, say }: Cut, fits: (candidate: object) => boolean): Answer => {
  const fields = answer as Readonly<Record<string, unknown>>;
  const entries = fields[list];
  if (!Array.isArray(entries) || entries.length === 0) return answer;
  const keeping = (count: number): object => {
    const gone = entries.length - count;
    const [kept, dropped] =
      from === 'end' ? [entries.slice(0, count), entries.slice(count)] : [entries.slice(gone), entries.slice(0, gone)];
    return { ...fields, [list]: kept, ...(dropped.length > 0 && say(fields, dropped)) };
  };
  return keeping(largest(1, entries.length, (count) => fits(keeping(count))) ?? 1);
};

const withShortTexts = (value: unknown, length: number): unknown => {
  if (typeof value === 'string')
    return value.length <= length ? value : `${wholeCharacters(value, length)}… [cut: ${value.length} characters in all]`;
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withShortTexts(inner, length)]));
};

/** The first `length` code units, never half a surrogate pair. */
const wholeCharacters = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

const onlyPlainFields = (answer: Answer): Answer => {
  const plain = Object.entries(answer).filter(([, value]) => typeof value !== 'object' && String(value).length <= 200);
  return {
    ...Object.fromEntries(plain),
    cut: { note: 'The rest of this answer is longer than MCP_MAX_RESPONSE_TOKENS allows. Ask for fewer entries at once.' },
  };
};

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
