import type { Redis } from 'iovalkey';
import type { Keys } from './keys.js';

/** How the last verification of a view ended: counts only, no name of a row. `at` in epoch milliseconds. */
export type Verified = {
  readonly at: number;
  readonly equal: boolean;
  readonly differing: number;
  readonly rows: number;
  readonly degraded: number;
  /** The generation that was compared: a verdict on one that no longer serves says nothing of the view. */
  readonly generation: number;
};

/** How the last replay of a view went. `at` is its end. */
export type Replayed = { readonly at: number; readonly ms: number; readonly events: number };

/** Beside the pointers of the view, where every process of the tenant reads it. */
export const noteVerified = async (redis: Redis, keys: Keys, name: string, outcome: Verified): Promise<void> =>
  void (await redis.hset(keys.projection(name), 'verified', JSON.stringify(outcome)));

export const noteReplayed = async (redis: Redis, keys: Keys, name: string, outcome: Replayed): Promise<void> =>
  void (await redis.hset(keys.projection(name), 'replayed', JSON.stringify(outcome)));

/** Undefined where nothing, or nothing readable, was noted. */
export const outcomeIn = <T extends Verified | Replayed>(text: string | undefined): T | undefined => {
  try {
    const read: unknown = JSON.parse(text ?? '');
    return typeof read === 'object' && read !== null && 'at' in read ? (read as T) : undefined;
  } catch {
    return undefined;
  }
};
