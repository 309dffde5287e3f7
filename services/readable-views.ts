import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { servingGeneration } from '../projections/generation.js';
import type { Keys } from '../projections/keys.js';

export type ReadableViewsParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly names: readonly string[];
  /** How long a view that does not serve yet is waited for all the same: those of a new store are there at once. */
  readonly patienceMs: number;
};

/**
 * The views that a read waits for. One that is new in this version is built in the background from the whole log; once that
 * has taken longer than the patience, reads go on without it, and what needs it says that it is missing.
 */
export const createReadableViews = ({ redis, keys, names, patienceMs }: ReadableViewsParts) => {
  const serving = new Set<string>();
  const missingSince = new Map<string, number>();
  const look = async (): Promise<void> => {
    const unknown = names.filter((name) => !serving.has(name));
    if (unknown.length === 0) return;
    const generations = await Promise.all(unknown.map((name) => servingGeneration(redis, keys, name)));
    const now = performance.now();
    unknown.forEach((name, i) => {
      if (generations[i] !== undefined) serving.add(name);
      else if (!missingSince.has(name)) missingSince.set(name, now);
    });
  };
  return {
    /** Those that a read waits for now. */
    names: async (): Promise<readonly string[]> => {
      await look();
      const now = performance.now();
      return names.filter((name) => serving.has(name) || now - (missingSince.get(name) ?? now) < patienceMs);
    },
    /** Resolves when all of them serve, or after the patience. */
    begun: async (signal?: AbortSignal): Promise<void> => {
      for (const end = performance.now() + patienceMs; ; ) {
        await look();
        if (serving.size === names.length || performance.now() > end) return;
        await sleep(LOOK_AGAIN_MS, undefined, { signal });
      }
    },
  };
};

const LOOK_AGAIN_MS = 10;
