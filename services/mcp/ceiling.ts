import { estimateTokens } from '../../domain/budget.js';
import { type Cap, withListsOf } from './shorter-lists.js';

/** The JSON object that a tool answers. */
export type Answer = object;

type Fields = Readonly<Record<string, unknown>>;

/** Names the list of an answer that may be shortened, and how the answer then says what is missing. */
export type Cut = {
  readonly list: string;
  /** Where entries are taken away. */
  readonly from: 'start' | 'end';
  /** Fields that replace those of the answer: what is left out, and how to get it. */
  readonly say: (answer: Fields, dropped: readonly unknown[]) => Fields;
  /**
   * One entry that is too long by itself, its text cut to `length` UTF-16 units and marked so; `bare` leaves out what is not
   * needed to read on. Without it the long texts of the whole answer are cut.
   */
  readonly shorten?: (entry: unknown, length: number, bare: boolean) => unknown;
};

export type CeilingOptions = {
  readonly cut?: Cut;
  readonly text?: (answer: Answer) => string;
  /** What set the bound: the caller, or the server's setting. */
  readonly bound?: 'max_tokens' | 'MCP_MAX_RESPONSE_TOKENS';
};

const SHORTEST = 64;
const LONGEST = 100_000;
/** A text of an entry that says too little to be worth the other fields beside it. */
const TERSE = 120;
/** Texts are cut to no less than this while there are lists that can give way. */
const READABLE = 400;

/**
 * The answer, or a shorter one of at most `maxTokens`, always whole JSON. In this order: whole entries of its list go; of the
 * keys that say which went, the last (their count stays); the text of the only entry left is cut; long texts are cut at
 * a character boundary and say so; every list is cut to the same length, and `cut.lists` says how much of each is shown; as
 * the last resort only its plain fields are left, with the lengths of its lists.
 */
export const withinCeiling = (
  answer: Answer,
  maxTokens: number,
  { cut, text, bound = 'MCP_MAX_RESPONSE_TOKENS' }: CeilingOptions = {},
): Answer => {
  const fits = (candidate: object): boolean =>
    estimateTokens(JSON.stringify(candidate)) <= maxTokens && (text === undefined || estimateTokens(text(candidate)) <= maxTokens);
  if (fits(answer)) return answer;
  const fields = answer as Fields;
  const keeping = (count: number): Fields => (cut ? withFewerEntries(fields, cut, count) : fields);
  const entries = cut && fields[cut.list];
  const most = Array.isArray(entries) ? entries.length : 0;
  const count = largest(1, most, (kept) => fits(keeping(kept)));
  if (count !== undefined) return keeping(count);

  const one = keeping(1);
  const named = keysOf(one);
  const naming = (keys: number): Fields => withFewerKeys(one, keys, bound);
  const keys = largest(0, named - 1, (kept) => fits(naming(kept)));
  if (keys !== undefined) return naming(keys);
  const least = named > 0 ? naming(0) : one;
  const shortened = cut?.shorten && most > 0 && withShortEntry(least, cut, fits);
  if (shortened) return shortened;

  const clipped = largest(READABLE, LONGEST, (length) => fits(withShortTexts(least, length) as object));
  if (clipped !== undefined) return withShortTexts(least, clipped) as object;
  const capping = (cap: number, length = LONGEST): object => withListsOf(capped(keeping(cap), cap), cap, length);
  const capped = (shorter: Fields, cap: number): Fields => (keysOf(shorter) > cap ? withFewerKeys(shorter, cap, bound) : shorter);
  const withListsOf_ = capping;
  void withListsOf_;
  return least;
};
