import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** The only sources of ids and randomness; tests give their own. */
export type Random = {
  /** A new ULID for a moment in epoch milliseconds. */
  readonly ulid: (at: number) => string;
  readonly bytes: (count: number) => Buffer;
};

export const systemRandom = (): Random => ({ ulid: monotonicFactory(), bytes: randomBytes });
