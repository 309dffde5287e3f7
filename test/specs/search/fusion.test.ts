import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse, RECALL_MIN_SCORE } from '../../../domain/fusion.js';

const vector = (key: string, similarity: number, window = 0) => ({ key, similarity, window });
const words = (key: string, score: number, coverage = score) => ({ key, score, coverage });

describe('fusion', () => {
  it('adds up both kinds of evidence', () =>
    expect(fuse([vector('a', 0.5, 3)], [words('a', 0.4, 0.6)])).toEqual([
      { key: 'a', score: 0.472222, relevance: 0.588889, cosine: 0.5, window: 3, lexical: 0.4, coverage: 0.6 },
    ]));

  it('keeps what only one search found', () =>
    expect(fuse([vector('meaning', 0.6)], [words('spelling', 0.5, 1)])).toEqual([
      { key: 'spelling', score: 0.361111, relevance: 1, cosine: undefined, window: undefined, lexical: 0.5, coverage: 1 },
      { key: 'meaning', score: 0.3, relevance: 0.6, cosine: 0.6, window: 0, lexical: 0, coverage: 0 },
    ]));

  it('puts an exact identifier above nearer neighbours without it', () =>
    expect(fuse([vector('near', 0.55), vector('exact', 0.2)], [words('exact', 0.45, 1)]).map((hit) => hit.key)).toEqual(['exact', 'near']));

  it('lets an exact identifier over the floor even in a long text that means something else', () =>
    expect(fuse([vector('long', 0.05)], [words('long', 0.08, 1)])[0]?.relevance).toBeGreaterThanOrEqual(RECALL_MIN_SCORE));

  it('lets a paraphrase without a shared word over the floor', () =>
    expect(fuse([vector('a', 0.38)], [])[0]?.relevance).toBeGreaterThanOrEqual(RECALL_MIN_SCORE));

  it('keeps a chance word in a distant text below the floor', () =>
    expect(fuse([vector('a', 0.25)], [words('a', 0.25, 0.5)])[0]?.relevance).toBeLessThan(RECALL_MIN_SCORE));

  it('has a floor for words alone: some of the query is not enough', () => {
    expect(fuse(undefined, [words('a', 0.3, 0.6)])[0]?.relevance).toBeGreaterThanOrEqual(RECALL_MIN_SCORE);
    expect(fuse(undefined, [words('a', 0.1, 0.3)])[0]?.relevance).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('does not let a chance word decide', () =>
    expect(fuse([vector('right', 0.35), vector('chance', 0.34)], [words('chance', 0.08, 0.12)])[0]?.key).toBe('right'));

  it('goes by words alone where no vectors were asked', () => {
    expect(fuse(undefined, [words('a', 0.5, 1)])).toEqual([
      { key: 'a', score: 0.722222, relevance: 1, cosine: undefined, window: undefined, lexical: 0.5, coverage: 1 },
    ]);
    expect(fuse([], [])).toEqual([]);
  });

  it('puts equal scores in the order of their keys', () =>
    expect(fuse([vector('b', 0.5), vector('c', 0.5), vector('a', 0.5)], []).map((hit) => hit.key)).toEqual(['a', 'b', 'c']));

  it('never ranks more evidence below less', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, share, share, (cosine, score, coverage, more) => {
        const base = fuse([vector('a', cosine)], [words('a', score, coverage)])[0]?.score ?? Number.NaN;
        const raised = fuse([vector('a', Math.max(cosine, more))], [words('a', Math.max(score, more), coverage)])[0]?.score ?? Number.NaN;
        expect(raised).toBeGreaterThanOrEqual(base);
        expect(base).toBeGreaterThanOrEqual(0);
        expect(base).toBeLessThanOrEqual(1);
      }),
    );
  });
});
