import { estimateTokens, fitWithin } from '../../domain/budget.js';
import { clip } from '../../domain/passage.js';

/** Which part of a text is shown, in UTF-16 units, and how to read on. */
export type Truncated = { readonly from: number; readonly to: number; readonly of: number; readonly next: string };

/** How the rest of a text is read that was cut at `offset`. */
export const readOn = (offset: number): string => `recall_detail with this key alone and offset: ${offset}`;

type Item = { readonly key: string; readonly content?: string };

/** Tokens that the notes around the results may take. */
const SPARE = 200;

/**
 * What of a ranked list fits the bound, best first. When not even one item does, the first is shown with its text visibly
 * cut, since a memory that is too large for any answer could never be read otherwise. `from` is where the texts begin.
 */
export const fitAnswer = <T extends Item>(
  items: readonly T[],
  maxTokens: number,
  from = 0,
): { readonly kept: readonly (T & { readonly content_truncated?: Truncated })[]; readonly cut: readonly T[] } => {
  const budget = Math.max(SPARE, maxTokens - SPARE);
  const size = (item: Item): number => estimateTokens(JSON.stringify(item));
  const fitted = fitWithin(items, budget, size);
  const [first, ...rest] = items;
  if (fitted.kept.length > 0 || first?.content === undefined) return fitted;
  const of = from + first.content.length;
  for (let length = first.content.length; length > 0; length = Math.floor(length * 0.8)) {
    const content = clip(first.content, length);
    const to = from + content.length;
    const shown = { ...first, content, content_truncated: { from, to, of, next: readOn(to) } };
    if (size(shown) <= budget) return { kept: [shown], cut: rest };
  }
  return fitted;
};
