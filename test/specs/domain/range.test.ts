import { describe, expect, it } from 'vitest';
import { refuseReversed, withinRange } from '../../../domain/range.js';

describe('a number of a range', () => {
  const range = { min: 1, max: 50 };

  it.each([
    [1, 1],
    [7.9, 7],
    [50, 50],
    [51, 50],
    [Number.POSITIVE_INFINITY, 50],
  ])('%d counts as %d', (given, counts) => expect(withinRange('top_k', given, range)).toBe(counts));

  it.each([0, -1, 0.5, Number.NEGATIVE_INFINITY, Number.NaN])('%d is refused with the range', (given) => {
    expect(() => withinRange('top_k', given, range)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: 'top_k must be from 1 to 50' }),
    );
  });

  it('without an end names the least only', () => {
    expect(() => withinRange('offset', -1, { min: 0, max: Number.POSITIVE_INFINITY })).toThrow('offset must be 0 or more');
  });
});

describe('a range of times', () => {
  it('that ends before it begins is refused by the names of its ends', () => {
    expect(() => refuseReversed(2, 1, 'since', 'until')).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(/since is later than until/) }),
    );
    expect(() => refuseReversed(1, 1, 'since', 'until')).not.toThrow();
    expect(() => refuseReversed(Number.NEGATIVE_INFINITY, 1, 'since', 'until')).not.toThrow();
  });
});
