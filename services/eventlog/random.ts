import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** The only sources of ids and randomness; tests give their own. */
export type Random = {
  /** A new ULID for a moment in epoch milliseconds. */
  readonly ulid: (at: number) => string;
  readonly bytes: (count: number) => Buffer;
};

const POOL_BYTES = 8_192;

/**
 * Cryptographic randomness, drawn from the system in pools: asking it for a few bytes at a time costs more than the rest
 * of an append, and ulid's own source asks sixteen times for one id.
 */
export const systemRandom = (): Random => {
  let pool = Buffer.alloc(0);
  const bytes = (count: number): Buffer => {
    if (count > POOL_BYTES) return randomBytes(count);
    if (pool.length < count) pool = randomBytes(POOL_BYTES);
    const taken = pool.subarray(0, count);
    pool = pool.subarray(count);
    return taken;
  };
  return { ulid: monotonicFactory(() => bytes(1).readUInt8() / 256), bytes };
};
