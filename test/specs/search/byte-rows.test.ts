import { describe, expect, it } from 'vitest';
import { ByteRows } from '../../../projections/search/byte-rows.js';
import { clusteredUnits, generator, randomUnit, unit } from './samples.js';

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

describe('vectors as bytes', () => {
  const random = generator(12);
  const spike = (dimension: number): Float32Array => unit(Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0.001)));
  it.each([
    ['random', 384, () => randomUnit(384, random)],
    ['random', 5, () => randomUnit(5, random)],
    ['with a number that is too large for its byte', 384, () => spike(384)],
    ['a little too long', 48, () => randomUnit(48, random).map((value) => value * 1.0099)],
  ])('say how far off they may be: %s, %i numbers', (_, dimension, query) => {
    const vectors = [...clusteredUnits(4_200, dimension, random), ...Array.from({ length: 400 }, () => randomUnit(dimension, random))];
    vectors.push(
      spike(dimension),
      randomUnit(dimension, random).map((value) => value * 1.0099),
    );
    const rows = new ByteRows(dimension);
    for (const [row, vector] of vectors.entries()) rows.set(row, vector);
    for (let i = 0; i < 3; i++) {
      const asked = query();
      let row = 0;
      for (const { first, distances, unit: unitOf, doubt } of rows.against(asked, vectors.length)) {
        expect(first).toBe(row);
        const farthest = Math.max(
          ...[...distances].map((distance, at) => Math.abs((1 - distance) * unitOf - dot(vectors[first + at] as Float32Array, asked))),
        );
        expect(farthest).toBeLessThanOrEqual(doubt);
        row += distances.length;
      }
      expect(row).toBe(vectors.length);
    }
  });

  it('leave little in doubt where no number is cut', () => {
    const rows = new ByteRows(384);
    rows.set(0, randomUnit(384, random));
    const [nearness] = rows.against(randomUnit(384, random), 1);
    expect(nearness?.doubt).toBeLessThan(0.025);
  });
});
