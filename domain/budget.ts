/** Answers are measured as clients measure them: 3.5 characters per token. Shares of a token, in fourteenths, so that sums are exact. */
const TOKEN = 14;
const LATIN = 4;
const OTHER_ALPHABET = 7;
const DENSE = 14;

/** Latin letters, digits and ASCII punctuation: 3.5 a token. From U+2E80 (CJK, Hangul, surrogates of emoji): one each. Between: two a token. */
const shareOf = (code: number): number => (code < 0x0300 ? LATIN : code < 0x2e80 ? OTHER_ALPHABET : DENSE);

/**
 * An upper guess at the tokens of a text: 3.5 Latin characters to a token, 2 of another alphabet (Cyrillic, Arabic, Hindi), 1 CJK character
 * or UTF-16 unit of an emoji. Never less than the length divided by 3.5, and never more for two halves than for the whole plus one.
 */
export const estimateTokens = (text: string): number => {
  let shares = 0;
  for (let at = 0; at < text.length; at++) shares += shareOf(text.charCodeAt(at));
  return Math.ceil(shares / TOKEN);
};

export type Fitted<Item> = { readonly kept: readonly Item[]; readonly cut: readonly Item[] };

/**
 * What of a ranked list fits in `maxTokens`, best first. An item too large for what is left is cut and smaller ones behind it may still fit;
 * both lists keep the order. `sizeOf` answers in tokens.
 */
export const fitWithin = <Item>(items: readonly Item[], maxTokens: number, sizeOf: (item: Item) => number): Fitted<Item> => {
  const kept: Item[] = [];
  const cut: Item[] = [];
  let left = maxTokens;
  for (const item of items) {
    const size = sizeOf(item);
    if (size <= left) {
      kept.push(item);
      left -= size;
    } else cut.push(item);
  }
  return { kept, cut };
};
