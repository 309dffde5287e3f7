/** The fields of an answer. */
export type Fields = Readonly<Record<string, unknown>>;

/** Names the list of an answer that may be shortened first, and how the answer then says what is missing. */
export type Cut = {
  readonly list: string;
  /** Where entries are taken away. */
  readonly from: 'start' | 'end';
  /** Fields that replace those of the answer: what is left out, and how to get it. */
  readonly say: (answer: Fields, dropped: readonly unknown[]) => Fields;
  /**
   * One entry that is too long by itself, its text at most `length` UTF-16 units and marked as cut; `bare`: with no more
   * beside it than it takes to read on. Where this is absent, the texts of the whole answer are cut.
   */
  readonly shorten?: (entry: unknown, length: number, bare: boolean) => unknown;
};

/** What set the bound of an answer: the caller, or the server. */
export type Bound = 'max_tokens' | 'MCP_MAX_RESPONSE_TOKENS';

/** How much of a list is shown. */
type Share = { shown: number; total: number };

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many entries the list has that may be shortened. */
export const entriesOf = (answer: Fields, cut: Cut | undefined): number => {
  const entries = cut && answer[cut.list];
  return Array.isArray(entries) ? entries.length : 0;
};

/** The answer with `count` entries of its list, and what its tool says of the others. */
export const withFewerEntries = (answer: Fields, { list, from, say }: Cut, count: number): Fields => {
  const entries = answer[list];
  if (!Array.isArray(entries) || count >= entries.length) return answer;
  const gone = entries.length - count;
  const [kept, dropped] = from === 'end' ? [entries.slice(0, count), entries.slice(count)] : [entries.slice(gone), entries.slice(0, gone)];
  return { ...answer, [list]: kept, ...say(answer, dropped) };
};

const namesIn = (answer: Fields): readonly [string, readonly unknown[]] | undefined => {
  const listed = isFields(answer.cut) ? Object.entries(answer.cut).find(([, value]) => Array.isArray(value)) : undefined;
  return listed && [listed[0], listed[1] as readonly unknown[]];
};

/** How many left-out entries `cut` names. */
export const namedIn = (answer: Fields): number => namesIn(answer)?.[1].length ?? 0;

/** The answer with the first `count` of the names in its `cut`, which then says of how many. */
export const withFewerNames = (answer: Fields, count: number, bound: Bound): Fields => {
  const names = namesIn(answer);
  if (!names || count >= names[1].length) return answer;
  const [field, all] = names;
  const { [field]: _all, note: _note, ...rest } = answer.cut as Fields;
  const note = `${all.length} more did not fit ${bound}, ${count === 0 ? 'none' : `the first ${count}`} of them named here.`;
  return { ...answer, cut: { ...rest, count: all.length, ...(count > 0 && { [field]: all.slice(0, count) }), note } };
};

/** Every text at most `length` UTF-16 units, never half a character, with a mark that says how long it was. */
export const withShortTexts = <T>(value: T, length: number): T => shortTexts(value, length) as T;

const shortTexts = (value: unknown, length: number): unknown => {
  if (typeof value === 'string')
    return value.length <= length ? value : `${wholeCharacters(value, length)}… [cut: ${value.length} characters in all]`;
  if (Array.isArray(value)) return value.map((item) => shortTexts(item, length));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortTexts(inner, length)]));
};

/** The first `length` code units, never half a surrogate pair. */
const wholeCharacters = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/**
 * The answer with at most `most` entries of every list, at whatever depth. `cut.lists` says of each that was shortened,
 * by its path, how many entries are shown; of the lists of entries that are themselves shown, all together.
 */
export const withShorterLists = (answer: Fields, most: number, bound: Bound): Fields => {
  const shares = new Map<string, Share>();
  const shorter = Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, shorterList(value, most, name, shares)]));
  return saying(shorter, shares, bound);
};

const shorterList = (value: unknown, most: number, path: string, shares: Map<string, Share>): unknown => {
  if (Array.isArray(value)) {
    const share = shares.get(path) ?? { shown: 0, total: 0 };
    shares.set(path, { shown: share.shown + Math.min(most, value.length), total: share.total + value.length });
    return value.slice(0, most).map((entry) => shorterList(entry, most, path, shares));
  }
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorterList(inner, most, `${path}.${name}`, shares)]));
};

/**
 * What is short and no list or object, and of each list how long it was. The list of `cut` stays, empty, and in place of its
 * length the answer without entries, `none`, says how many there were, those included that were left out before.
 */
export const plainFieldsOf = (answer: Fields, none: Fields, cut: Cut | undefined, bound: Bound): Fields => {
  const shares = new Map<string, Share>();
  const count = isFields(none.cut) ? none.cut.count : undefined;
  const listed = cut && Array.isArray(answer[cut.list]) ? cut.list : undefined;
  for (const [name, value] of Object.entries(answer))
    if (Array.isArray(value) && !(name === listed && count !== undefined)) shares.set(name, { shown: 0, total: value.length });
  const plain = Object.entries(answer).filter(([, value]) => typeof value !== 'object' && String(value).length <= 200);
  const kept = {
    ...Object.fromEntries(plain),
    ...(listed !== undefined && { [listed]: [] }),
    ...(count !== undefined && { cut: { count } }),
  };
  return saying(kept, shares, bound, true);
};

const ADVICE: Readonly<Record<Bound, string>> = {
  max_tokens: 'The rest did not fit the max_tokens of this call: give more, or ask for fewer entries at once.',
  MCP_MAX_RESPONSE_TOKENS: 'The rest of this answer is longer than MCP_MAX_RESPONSE_TOKENS allows. Ask for fewer entries at once.',
};

const saying = (answer: Fields, shares: ReadonlyMap<string, Share>, bound: Bound, always = false): Fields => {
  const short = [...shares].filter(([, { shown, total }]) => shown < total);
  if (short.length === 0 && !always) return answer;
  const before = isFields(answer.cut) ? answer.cut : {};
  return { ...answer, cut: { ...before, ...(short.length > 0 && { lists: Object.fromEntries(short) }), note: ADVICE[bound] } };
};
