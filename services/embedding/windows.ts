export type Span = { readonly start: number; readonly end: number };

/** How good a place before token `i` is to cut: 0 inside a word, 1 between words, 2 between sentences. */
export type CutQuality = (i: number) => 0 | 1 | 2;

export type WindowRules = {
  /** Most tokens in a window. */
  readonly size: number;
  /** Tokens that a window shares with the one before it, about: what stands across a cut is whole in one of them. */
  readonly overlap: number;
};

const lastCut = (from: number, to: number, atLeast: 1 | 2, qualityAt: CutQuality): number | undefined => {
  for (let i = to; i > from; i--) if (qualityAt(i) >= atLeast) return i;
  return undefined;
};

const firstCut = (from: number, to: number, qualityAt: CutQuality): number => {
  for (let i = from; i < to; i++) if (qualityAt(i) >= 1) return i;
  return from;
};

/**
 * Spans over `count` tokens, in order, that together hold every token. A window ends at a sentence when one ends in its
 * last third, else between words when it can, else where it is full.
 */
export const windowSpans = (count: number, { size, overlap }: WindowRules, qualityAt: CutQuality): Span[] => {
  const spans: Span[] = [];
  let start = 0;
  while (count - start > size) {
    const full = start + size;
    const worthwhile = start + Math.ceil((size * 2) / 3);
    const end = lastCut(worthwhile, full, 2, qualityAt) ?? lastCut(worthwhile, full, 1, qualityAt) ?? full;
    spans.push({ start, end });
    start = firstCut(end - overlap, end, qualityAt);
  }
  spans.push({ start, end: count });
  return spans;
};
