import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { z } from 'zod';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { Open } from './crypt.js';
import { BackupDamaged } from './damage.js';
import type { Manifest } from './layout.js';

const Hash = z.record(z.string(), z.string());

/** What a backup carries that is not in the log. */
const Side = z.object({
  kind: z.literal('side'),
  /** The last place of the log when it was read. */
  head: z.string(),
  /** The log's meta hash: id, salt, birth. */
  meta: Hash.refine(({ log_id, salt }) => log_id !== undefined && salt !== undefined),
  erasures: z.number().int().nonnegative(),
  /** Counters by name, each a hash by memory. */
  counters: z.record(z.string(), Hash),
  /** Every model that had vectors. */
  models: z.array(z.string()),
  /** Subject to the claims it holds; null when they moved while they were read, and are worked out again. */
  claims: Hash.nullable(),
});
export type Side = z.infer<typeof Side>;

const STEP = 1_000;
const SCAN = 500;

/** Reads it; `still` says whether the log is where it was, which decides about the claims. Throws UNAVAILABLE. */
export const readSideOfStore = async (redis: Redis, keys: Keys, head: string, still: () => Promise<boolean>): Promise<Side> =>
  unavailableWhenDown(async () => {
    const [meta, erasures, models, counters, claims] = await Promise.all([
      redis.hgetall(keys.meta),
      redis.get(keys.erasures),
      redis.smembers(keys.models),
      readCounters(redis, keys),
      readClaims(redis, keys),
    ]);
    return {
      kind: 'side',
      head,
      meta,
      erasures: Number(erasures ?? 0),
      counters,
      models: models.sort(),
      claims: (await still()) ? claims : null,
    };
  });

/** Names of keys that begin with a text, in no order. */
export async function* keysBeginning(redis: Redis, beginning: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${beginning.replace(/[\\*?[\]^-]/g, '\\$&')}*`, 'COUNT', SCAN);
    cursor = next;
    if (found.length > 0) yield found;
  } while (cursor !== '0');
}

const readCounters = async (redis: Redis, keys: Keys): Promise<Record<string, Record<string, string>>> => {
  const counters: Record<string, Record<string, string>> = {};
  const beginning = keys.counter('');
  for await (const names of keysBeginning(redis, beginning)) {
    for (const name of names) if ((await redis.type(name)) === 'hash') counters[name.slice(beginning.length)] = await redis.hgetall(name);
  }
  return counters;
};

const readClaims = async (redis: Redis, keys: Keys): Promise<Record<string, string>> => {
  const bySubject = new Map<string, string[]>();
  let cursor = '0';
  do {
    const [next, flat] = await redis.hscan(keys.claims, cursor, 'COUNT', STEP);
    cursor = next;
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const [claim = '', subject = ''] = [flat[i], flat[i + 1]];
      const held = bySubject.get(subject) ?? [];
      if (!held.includes(claim)) bySubject.set(subject, [...held, claim]);
    }
  } while (cursor !== '0');
  for (const [subject, held] of bySubject) {
    if (held.length < 2) continue;
    // The order in which a subject took them is its own.
    const order = ((await redis.hget(keys.payloads(subject), 'c')) ?? '').split(' ');
    held.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  }
  return Object.fromEntries([...bySubject].map(([subject, held]) => [subject, held.join(' ')]));
};

/** Without the subjects that must not come back. */
export const sideWithout = (side: Side, gone: ReadonlySet<string>): Side => {
  const kept = (hash: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(hash).filter(([subject]) => !gone.has(subject)));
  return {
    ...side,
    counters: Object.fromEntries(Object.entries(side.counters).map(([name, hash]) => [name, kept(hash)])),
    claims: side.claims && kept(side.claims),
  };
};

/** What the manifest says of the file. */
export const sideDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Holds it against its digest where the manifest has one. Throws BackupDamaged. */
export const readSide = async (
  dir: string,
  { side: name = '', side_sha256 }: Pick<Manifest, 'side' | 'side_sha256'>,
  open: Open,
): Promise<Side> => {
  const bytes = await readFile(join(dir, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupDamaged('missing', name);
  });
  if (side_sha256 !== undefined && sideDigest(bytes) !== side_sha256) throw new BackupDamaged('altered', name);
  try {
    return Side.parse(JSON.parse((await open(bytes, name)).toString('utf8')));
  } catch (error) {
    if (error instanceof BackupDamaged) throw error;
    throw new BackupDamaged(error instanceof SyntaxError ? 'torn' : 'altered', name);
  }
};
