import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Largest } from '../../../projections/search/largest.js';

it('keeps the k largest sums, and says how large the least of them is once there are k', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (sums, k) => {
      const largest = new Largest(k);
      for (const [slot, sum] of sums.entries()) largest.offer(slot, sum);
      const expected = [...sums].sort((a, b) => b - a).slice(0, k);
      const enough = sums.length >= k;
      const kept = [...largest.full()];
      expect(new Set(kept).size).toBe(enough ? k : 0);
      expect(kept.map((slot) => sums[slot] as number).sort((a, b) => b - a)).toEqual(enough ? expected : []);
      expect(largest.floor).toBe(enough ? expected.at(-1) : 0);
    }),
  );
});
