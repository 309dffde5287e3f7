import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, fitWithin } from '../../../domain/budget.js';

describe('an estimate of tokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcdefg', 2],
    ['abcdefgh', 3],
    ['Größe', 2],
    ['数据库', 3],
    ['привет', 3],
    ['😀', 2],
  ])('of %j is %i', (text, tokens) => expect(estimateTokens(text)).toBe(tokens));
  it('S11: is never below the length at 3.5 characters a token, and adds up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(estimateTokens(a)).toBeGreaterThanOrEqual(a.length / 3.5);
        const apart = estimateTokens(a) + estimateTokens(b);
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(apart);
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(apart - 1);
      }),
    );
  });
});

describe('fitting into a budget', () => {
  const fit = (sizes: readonly number[], max: number) => fitWithin(sizes, max, (size) => size);
  it('keeps the best first, and names what was cut', () => expect(fit([3, 4, 5], 7)).toEqual({ kept: [3, 4], cut: [5] }));
  it('passes over one that is too large', () => expect(fit([9, 2, 8, 3], 6)).toEqual({ kept: [2, 3], cut: [9, 8] }));
  it('keeps nothing when nothing fits', () => expect(fit([1], 0)).toEqual({ kept: [], cut: [1] }));
  it('never exceeds the budget, loses nothing, keeps the order, and cuts only what did not fit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 })), fc.nat({ max: 200 }), (sizes, max) => {
        const items = sizes.map((size, at) => ({ size, at }));
        const { kept, cut } = fitWithin(items, max, ({ size }) => size);
        const used = kept.reduce((sum, { size }) => sum + size, 0);
        expect(used).toBeLessThanOrEqual(max);
        expect([...kept, ...cut].sort((a, b) => a.at - b.at)).toEqual(items);
        for (const list of [kept, cut]) expect(list.every(({ at }, n) => n === 0 || at > (list[n - 1]?.at ?? 0))).toBe(true);
        for (const { size } of cut) expect(used + size).toBeGreaterThan(max);
      }),
    );
  });
});
