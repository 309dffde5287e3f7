import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FusedHit, fuse, RECALL_MIN_SCORE } from '../../../domain/fusion.js';

const vector = (key: string, similarity: number, window = 0) => ({ key, similarity, window });
const words = (key: string, score: number, coverage = score) => ({ key, score, coverage });
/** The other memories of a search: 20 neighbours of this cosine. */
const neighbours = (similarity: number) => Array.from({ length: 20 }, (_, i) => vector(`neighbour ${i}`, similarity));
/** Noise of 0.2, as in a store of a thousand memories. */
const LOUD = neighbours(0.2);
/** Noise of 0.05, as in a store of forty. */
const QUIET = neighbours(0.05);
const relevanceOf = (key: string, hits: readonly FusedHit[]): number => hits.find((hit) => hit.key === key)?.relevance ?? Number.NaN;

describe('fusion', () => {
  it('adds up both kinds of evidence', () =>
    expect(fuse([vector('a', 0.5, 3), ...LOUD], [words('a', 0.4, 0.6)])[0]).toEqual({
      key: 'a',
      score: 0.472222,
      relevance: 0.588889,
      cosine: 0.5,
      window: 3,
      lexical: 0.4,
      coverage: 0.6,
    }));

  it('keeps what only one search found', () =>
    expect(fuse([vector('meaning', 0.6), ...LOUD], [words('spelling', 0.5, 1)]).slice(0, 2)).toEqual([
      { key: 'spelling', score: 0.361111, relevance: 1, cosine: undefined, window: undefined, lexical: 0.5, coverage: 1 },
      { key: 'meaning', score: 0.3, relevance: 0.6, cosine: 0.6, window: 0, lexical: 0, coverage: 0 },
    ]));

  it('puts an exact identifier above nearer neighbours without it', () =>
    expect(fuse([vector('near', 0.55), vector('exact', 0.2)], [words('exact', 0.45, 1)]).map((hit) => hit.key)).toEqual(['exact', 'near']));

  it('lets an exact identifier over the floor even in a long text that means something else', () =>
    expect(fuse([vector('long', 0.05)], [words('long', 0.08, 1)])[0]?.relevance).toBeGreaterThanOrEqual(RECALL_MIN_SCORE));

  it('takes a spelt-out name for a match, whatever else is asked around it, and above what only means something near', () => {
    const hits = fuse([vector('near', 0.5), vector('named', 0.1), ...LOUD], [{ ...words('named', 0.1, 0.15), named: true }]);
    expect(hits[0]?.key).toBe('named');
    expect(relevanceOf('named', hits)).toBeGreaterThanOrEqual(RECALL_MIN_SCORE);
    expect(relevanceOf('named', fuse([vector('named', 0.1), ...LOUD], [words('named', 0.1, 0.15)]))).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('takes a cosine as it is where the neighbours are loud', () => {
    expect(relevanceOf('a', fuse([vector('a', 0.38), ...LOUD], []))).toBe(0.38);
    expect(relevanceOf('a', fuse([vector('a', 0.35), ...LOUD], []))).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('lets a paraphrase without a shared word over the floor where the neighbours are quiet', () => {
    expect(relevanceOf('a', fuse([vector('a', 0.28), ...QUIET], []))).toBe(0.38);
    expect(relevanceOf('a', fuse([vector('a', 0.25), ...QUIET], []))).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('lifts by what the noise lacks, at most a tenth, and never where it is loud', () => {
    const lifts = [0.3, 0.18, 0.15, 0.1, 0.08, 0, -0.2].map(
      (noise) => relevanceOf('a', fuse([vector('a', 0.3), ...neighbours(noise)], [])) - 0.3,
    );
    expect(lifts.map((lift) => Math.round(lift * 1e6) / 1e6)).toEqual([0, 0, 0.03, 0.08, 0.1, 0.1, 0.1]);
  });

  it('hears only the tenth to the twentieth neighbour: not other matches, not the long tail', () => {
    const others = Array.from({ length: 8 }, (_, i) => vector(`match ${i}`, 0.5));
    const tail = Array.from({ length: 30 }, (_, i) => vector(`tail ${i}`, -0.3));
    expect(relevanceOf('a', fuse([vector('a', 0.1), ...others, ...LOUD], []))).toBe(0.1);
    expect(relevanceOf('a', fuse([vector('a', 0.1), ...others, ...LOUD, ...tail], []))).toBe(0.1);
    expect(relevanceOf('a', fuse([vector('a', 0.1), ...others, ...QUIET, ...tail], []))).toBe(0.2);
  });

  it('takes the neighbours that a small store lacks for silent', () => {
    expect(relevanceOf('a', fuse([vector('a', 0.27)], []))).toBe(0.37);
    expect(relevanceOf('a', fuse([vector('a', 0.25), vector('b', 0.22)], []))).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('does not lift what only words speak for', () =>
    expect(relevanceOf('a', fuse(QUIET, [words('a', 0.2, 0.3)]))).toBe(relevanceOf('a', fuse(undefined, [words('a', 0.2, 0.3)]))));

  it('takes what comes close to the best for as good a match, and what is far behind for itself', () => {
    const hits = fuse([vector('best', 0.37), vector('close', 0.26), vector('far', 0.24), ...LOUD], []);
    expect(['best', 'close', 'far'].map((key) => relevanceOf(key, hits))).toEqual([0.37, 0.37, 0.24]);
    expect(relevanceOf('close', fuse([vector('close', 0.26), ...LOUD], []))).toBeLessThan(RECALL_MIN_SCORE);
  });

  it('keeps a chance word in a distant text below the floor', () =>
    expect(relevanceOf('a', fuse([vector('a', 0.25), ...LOUD], [words('a', 0.25, 0.5)]))).toBeLessThan(RECALL_MIN_SCORE));

  it('never judges a memory below its own evidence, and never above the best of the search by more than the lift', () => {
    const cosine = fc.double({ min: -0.2, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(cosine, { minLength: 1, maxLength: 40 }), (cosines) => {
        const hits = fuse(
          cosines.map((similarity, i) => vector(`m${i}`, similarity)),
          [],
        );
        for (const { relevance, cosine: own } of hits) {
          expect(relevance).toBeGreaterThanOrEqual((own ?? 0) - 1e-6);
          expect(relevance).toBeLessThanOrEqual(Math.max(0, ...cosines) + 0.1 + 1e-6);
        }
      }),
    );
  });

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
