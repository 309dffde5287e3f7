import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { DomainError } from '../domain/errors.js';
import { readGeneration, readPointers, requestRebuild, servingGeneration } from './generation.js';
import type { Keys } from './keys.js';

export type ReplayOptions = {
  /** Milliseconds without any sign of a worker after which it gives up. Default 30,000. */
  readonly patienceMs?: number;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
};

const LOOK_AGAIN = 50;

/**
 * Asks the worker, in whatever process it runs, to rebuild a view, and follows it until the new generation serves; answers
 * its number. Throws UNAVAILABLE when no worker takes the request up or the rebuild fails, with the reason.
 */
export const replayProjection = async (
  redis: Redis,
  keys: Keys,
  name: string,
  now: number,
  options: ReplayOptions = {},
): Promise<number> => {
  const { patienceMs = 30_000, onProgress, signal } = options;
  const before = await servingGeneration(redis, keys, name);
  await requestRebuild(redis, keys, name, now);
  let sign = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const { serving, building, wanted, failed } = await readPointers(redis, keys, name);
    if (wanted === undefined && serving !== undefined && serving !== before) return serving;
    if (wanted === undefined && failed !== undefined) {
      throw new DomainError(
        'UNAVAILABLE',
        `The ${name} view was not rebuilt. ${failed}`,
        'The present view goes on serving. Mend the cause and replay again.',
      );
    }
    if (building !== undefined) {
      sign = performance.now();
      const generation = await readGeneration(redis, keys, name, building);
      if (generation) onProgress?.({ done: generation.done, total: generation.total });
    }
    if (performance.now() - sign > patienceMs) {
      throw new DomainError(
        'UNAVAILABLE',
        `No worker took up the replay of ${name}`,
        'Start the server; it takes the request up when it runs.',
      );
    }
    await sleep(LOOK_AGAIN);
  }
};
