import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelIdentity } from '../../services/embedding/identity.js';
import { prepareText, refuseBlank } from '../../services/embedding/text.js';
import { firstBatch } from '../../services/embedding/thread/batches.js';
import { checkVector } from '../../services/embedding/vectors.js';
import { type CutQuality, windowSpans } from '../../services/embedding/windows.js';

const anywhere: CutQuality = () => 1;

describe('windows over tokens', () => {
  it('is one window when all fits', () => {
    expect(windowSpans(254, { size: 254, overlap: 32 }, anywhere)).toEqual([{ start: 0, end: 254 }]);
    expect(windowSpans(0, { size: 254, overlap: 32 }, anywhere)).toEqual([{ start: 0, end: 0 }]);
  });

  it('shares the overlap between neighbours', () => {
    expect(windowSpans(20, { size: 10, overlap: 3 }, anywhere)).toEqual([
      { start: 0, end: 10 },
      { start: 7, end: 17 },
      { start: 14, end: 20 },
    ]);
  });

  it('ends a window at a sentence rather than where it is full', () => {
    const sentenceEndsAt9: CutQuality = (i) => (i === 9 ? 2 : 1);
    expect(windowSpans(12, { size: 10, overlap: 2 }, sentenceEndsAt9)[0]).toEqual({ start: 0, end: 9 });
  });

  it('does not cut inside a word when the word ends in time', () => {
    const wordStarts = new Set([0, 4, 8, 11]);
    const spans = windowSpans(14, { size: 10, overlap: 3 }, (i) => (wordStarts.has(i) ? 1 : 0));
    expect(spans).toEqual([
      { start: 0, end: 8 },
      { start: 5, end: 14 },
    ]);
  });

  it('holds every token, in windows that are never too long, and always ends', () => {
    const rules = fc.record({ size: fc.integer({ min: 8, max: 64 }), overlapShare: fc.double({ min: 0, max: 0.5, noNaN: true }) });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2000 }), rules, fc.infiniteStream(fc.constantFrom(0, 1, 2)), (count, rule, stream) => {
        const quality = Array.from({ length: count + 1 }, () => stream.next().value as 0 | 1 | 2);
        const size = rule.size;
        const spans = windowSpans(count, { size, overlap: Math.floor(size * rule.overlapShare) }, (i) => quality[i] ?? 1);
        let covered = 0;
        for (const { start, end } of spans) {
          expect(start).toBeLessThanOrEqual(covered);
          expect(end - start).toBeLessThanOrEqual(size);
          expect(end > covered || count === 0).toBe(true);
          covered = end;
        }
        expect(covered).toBe(count);
      }),
    );
  });
});

describe('batches', () => {
  const pieces = (...tokens: number[]) => tokens.map((count) => ({ tokens: count }));

  it('takes as many as fit when all are padded to the longest', () => {
    expect(firstBatch(pieces(100, 90, 80, 10), { windows: 8, tokens: 300 })).toHaveLength(3);
    expect(firstBatch(pieces(2, 2, 2), { windows: 2, tokens: 300 })).toHaveLength(2);
  });

  it('takes one even when that one alone is over the limit', () => {
    expect(firstBatch(pieces(400, 10), { windows: 8, tokens: 300 })).toHaveLength(1);
    expect(firstBatch([], { windows: 8, tokens: 300 })).toHaveLength(0);
  });
});

describe('text before the tokenizer', () => {
  it('has no half of a surrogate pair, and keeps whole ones', () => {
    expect(prepareText('a\ud800b \u{1f600} c\udc00')).toBe('a\ufffdb \u{1f600} c\ufffd');
  });

  it('has no word so long that it would become one unknown token, and loses no character', () => {
    const word = 'ab'.repeat(500);
    const prepared = prepareText(`see ${word} there`);
    expect(Math.max(...prepared.split(' ').map((part) => part.length))).toBeLessThanOrEqual(100);
    expect(prepared.replaceAll(' ', '')).toBe(`see${word}there`);
  });

  it('is refused when blank', () => {
    expect(() => refuseBlank(['a', ' \n\t'])).toThrowError(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringContaining('2 of 2') }),
    );
    expect(() => refuseBlank(['a'])).not.toThrow();
  });
});

describe('the identity of a model', () => {
  const parts = {
    shortName: 'minilm',
    name: 'all-MiniLM-L6-v2',
    dtype: 'q8',
    dimension: 384,
    pooling: 'mean',
    graphSha256: 'aa',
    tokenizerSha256: 'bb',
    thresholds: {
      duplicate: 0.92,
      contradiction: 0.7,
      cluster: 0.8,
      knowledgeWatch: 0.35,
      skillSuggest: 0.3,
      domainSuggest: 0.6,
      recallFloor: 0.36,
    },
  };

  it('is short, safe in a key and the same each time', () => {
    expect(modelIdentity(parts).id).toMatch(/^minilm-q8-384-[0-9a-f]{12}$/);
    expect(modelIdentity(parts).id).toBe(modelIdentity({ ...parts }).id);
  });

  it.each([
    ['graph', { graphSha256: 'ac' }],
    ['tokenizer', { tokenizerSha256: 'bc' }],
    ['dtype', { dtype: 'fp32' }],
    ['pooling', { pooling: 'model' }],
    ['dimension', { dimension: 512 }],
  ])('changes with the %s', (_, change) => {
    expect(modelIdentity({ ...parts, ...change }).id.slice(-12)).not.toBe(modelIdentity(parts).id.slice(-12));
  });

  it('is refused for a pooling that is not known', () => {
    expect(() => modelIdentity({ ...parts, pooling: 'cls-maybe' })).toThrowError(expect.objectContaining({ code: 'VALIDATION' }));
  });
});

describe('a vector', () => {
  const refusal = (vector: number[]) => {
    try {
      checkVector(Float32Array.from(vector), 2);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('is taken when it is finite, of the right length and of norm 1', () => {
    expect(refusal([0.6, 0.8])).toBeUndefined();
    expect(refusal([0.6004, 0.8])).toBeUndefined();
  });

  it.each([
    ['too short', [1]],
    ['NaN', [Number.NaN, 1]],
    ['infinite', [Number.POSITIVE_INFINITY, 0]],
    ['zero', [0, 0]],
    ['not of norm 1', [0.61, 0.81]],
  ])('is refused when %s', (_, vector) => {
    expect(refusal(vector)).toMatchObject({ code: 'INTERNAL' });
  });
});
