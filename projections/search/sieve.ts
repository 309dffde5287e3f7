import type { ByteRows } from './byte-rows.js';
import { consider } from './exact.js';
import { Largest } from './largest.js';
import { TopK } from './top-k.js';
import type { VectorStore } from './vector-store.js';

/** Cosines that differ by less may be the same once rounded. */
const ROUNDING = 1e-6;
/** Makes any cosine a number above 0. */
const LIFT = 4;

/**
 * The k nearest memories that match, as a full scan finds them, from the bytes of their vectors: each tells what a cosine is
 * at least and at most. k memories reach at least the k-th highest of the lower bounds, so whatever cannot reach that is out;
 * the others are compared in full, the likeliest first, until none that is left can be among the best.
 */
export const sieve = (bytes: ByteRows, store: VectorStore, query: Float32Array, k: number, matches: (slot: number) => boolean): TopK => {
  const best = new TopK(k, (slot) => store.key(slot));
  const seen = new Set<number>();
  for (const { slot, atMost } of possible(bytes, store, query, k, matches)) {
    if (atMost < best.floor) break;
    if (seen.has(slot)) continue;
    seen.add(slot);
    consider(store, query, slot, best);
  }
  return best;
};

type Possible = { readonly slot: number; readonly atMost: number };

/** Whatever the bounds leave, the likeliest first. A memory may be among them by several of its vectors. */
const possible = (
  bytes: ByteRows,
  store: VectorStore,
  query: Float32Array,
  k: number,
  matches: (slot: number) => boolean,
): readonly Possible[] => {
  const found: Possible[] = [];
  const lower = new Largest(Math.max(1, Math.min(k, store.memories)));
  for (const { first, distances, unit, doubt: inexact } of bytes.against(query, store.rowEnd)) {
    const doubt = inexact + ROUNDING;
    const farthest = (): number => 1 - (lower.floor - LIFT - doubt) / unit;
    let limit = farthest();
    for (let i = 0; i < distances.length; i++) {
      const distance = distances[i] as number;
      if (distance > limit) continue;
      const slot = store.memoryOfRow(first + i);
      if (slot === undefined || !matches(slot)) continue;
      const about = (1 - distance) * unit;
      found.push({ slot, atMost: about + doubt });
      // By one vector of each memory: k bounds are to speak of k memories.
      if (!store.isFirstOf(slot, first + i)) continue;
      lower.offer(slot, about - doubt + LIFT);
      limit = farthest();
    }
  }
  const least = lower.floor - LIFT;
  return found.filter(({ atMost }) => atMost >= least).sort((a, b) => b.atMost - a.atMost);
};
