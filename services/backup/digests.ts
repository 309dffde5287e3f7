import { createHash } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { isSystemSubject } from '../../domain/system/events.js';
import { generationDigests } from '../../projections/digest.js';
import { servingGeneration } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { chained, chainStart, factsOf, payloadDigest, type RawEntry } from './entry.js';
import { readRaw } from './source.js';

/** Two stores with equal digests hold the same log, and the same payloads. */
export type StoreDigests = {
  readonly events: number;
  readonly head: Position;
  /** The chain over all envelopes: what a backup names as its own. */
  readonly log: string;
  /** SHA-256 over the place and the digest of every payload that is there. */
  readonly payloads: string;
};

const PAGE = 2_000;

/** Reads the log up to a place (default its end). Throws UNAVAILABLE. */
export const storeDigests = async (redis: Redis, keys: Keys, logId: string, until?: Position): Promise<StoreDigests> => {
  let chain = chainStart(logId);
  let head = ORIGIN;
  let events = 0;
  const payloads = createHash('sha256');
  let next = readRaw(redis, keys, head, PAGE);
  for (;;) {
    const page = await next;
    // The server reads on while this process hashes.
    next = page.length < PAGE ? Promise.resolve([]) : readRaw(redis, keys, page.at(-1)?.position ?? head, PAGE);
    next.catch(() => undefined);
    const wanted = until === undefined ? page : page.filter(({ position }) => comparePositions(position, until) <= 0);
    for (const entry of wanted) {
      chain = chained(chain, entry);
      payloads.update(`${entry.position} ${digestNow(entry)}\n`);
      head = entry.position;
      events += 1;
    }
    if (wanted.length < PAGE) return { events, head, log: chain, payloads: payloads.digest('hex') };
  }
};

/** A payload in state `p` was held against its envelope when it was read. */
const digestNow = (entry: RawEntry): string => {
  if (!entry.payload) return '-';
  return (entry.state === 'p' ? factsOf(entry).digest : undefined) ?? payloadDigest(entry.payload);
};

const MODULUS = 1n << 128n;

/**
 * A digest of each view as it serves, without the rows of the store's own housekeeping (`system:<day>`), which tell of
 * backups and restores themselves. Undefined for a view that does not serve.
 */
export const viewDigests = async (
  redis: Redis,
  keys: Keys,
  names: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> => {
  const digests: Record<string, string | undefined> = {};
  for (const name of names) {
    const generation = await servingGeneration(redis, keys, name);
    if (generation === undefined) {
      digests[name] = undefined;
      continue;
    }
    let sum = 0n;
    for await (const [row, digest] of generationDigests(redis, keys, name, generation)) {
      if (!isSystemSubject(row)) sum = (sum + BigInt(`0x${digest}`)) % MODULUS;
    }
    digests[name] = sum.toString(16).padStart(32, '0');
  }
  return digests;
};
