import { describe, expect, it } from 'vitest';
import { percentile, quality } from '../../bench/retrieval-metrics.js';

describe('retrieval metrics', () => {
  it('of a perfect ranking are all 1 where they can be', () =>
    expect(quality([{ found: ['a', 'b', 'c'], evidence: ['a', 'b'] }])).toEqual({
      questions: 1,
      recall1: 0.5,
      recall5: 1,
      recall10: 1,
      mrr: 1,
      ndcg: 1,
    }));

  it('fall with the rank of the evidence', () => {
    const { recall1, recall5, mrr, ndcg } = quality([{ found: ['x', 'a', 'y'], evidence: ['a'] }]);
    expect([recall1, recall5, mrr]).toEqual([0, 1, 0.5]);
    expect(ndcg).toBeCloseTo(1 / Math.log2(3));
  });

  it('are 0 for a miss, and means over the questions', () => {
    const found = { found: ['a'], evidence: ['a'] };
    const missed = { found: ['x'], evidence: ['a'] };
    expect(quality([found, missed])).toEqual({ questions: 2, recall1: 0.5, recall5: 0.5, recall10: 0.5, mrr: 0.5, ndcg: 0.5 });
  });

  it('look no further than the tenth', () => {
    const found = [...Array.from({ length: 10 }, (_, i) => `x${i}`), 'a'];
    expect(quality([{ found, evidence: ['a'] }])).toMatchObject({ recall10: 0, mrr: 0, ndcg: 0 });
  });

  it('take percentiles of any order', () => {
    expect(percentile([3, 1, 2], 0.5)).toBe(2);
    expect(percentile([], 0.5)).toBeUndefined();
  });
});
