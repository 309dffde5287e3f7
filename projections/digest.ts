import { createHash } from 'node:crypto';
import type { Redis } from 'iovalkey';
import type { Keys } from './keys.js';
import { scanRows } from './rows.js';

/** Equal for equal rows whatever their order; 32 hex digits. */
export type GenerationDigest = { readonly rows: number; readonly digest: string };

const MODULUS = 1n << 128n;

/** The digests of named rows, 32 hex digits each; a row that is not there has none. Two round trips. */
export const rowDigests = async (
  redis: Redis,
  keys: Keys,
  name: string,
  generation: number,
  rows: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const stored = rows.map((row) => keys.row(name, generation, row));
  const types = await Promise.all(stored.map((key) => redis.type(key)));
  const contents = await Promise.all(stored.map((key, i) => contentOf(redis, key, types[i] ?? 'none')));
  return new Map(
    rows.flatMap((row, i) => {
      const content = contents[i];
      return content ? [[row, digestOf(row, types[i] ?? '', content)] as const] : [];
    }),
  );
};

/** Every row's digest, once. */
export async function* generationDigests(
  redis: Redis,
  keys: Keys,
  name: string,
  generation: number,
): AsyncGenerator<readonly [row: string, digest: string]> {
  const seen = new Set<string>();
  for await (const rows of scanRows(redis, keys, name, generation)) {
    const fresh = rows.filter((row) => !seen.has(row));
    for (const row of fresh) seen.add(row);
    yield* await rowDigests(redis, keys, name, generation, fresh);
  }
}

/** One digest for a whole generation: the sum of its rows' digests. */
export const digestGeneration = async (redis: Redis, keys: Keys, name: string, generation: number): Promise<GenerationDigest> => {
  let rows = 0;
  let sum = 0n;
  for await (const [, digest] of generationDigests(redis, keys, name, generation)) {
    rows += 1;
    sum = (sum + BigInt(`0x${digest}`)) % MODULUS;
  }
  return { rows, digest: sum.toString(16).padStart(32, '0') };
};

/** The raw parts of a row in an order that does not depend on how it is stored, or undefined when there is no row. */
const contentOf = async (redis: Redis, key: string, type: string): Promise<readonly Buffer[] | undefined> => {
  switch (type) {
    case 'none':
      return undefined;
    case 'hash': {
      const flat = (await redis.callBuffer('HGETALL', key)) as Buffer[];
      const fields = Array.from({ length: flat.length / 2 }, (_, i) => flat.slice(2 * i, 2 * i + 2));
      return fields.sort(([a], [b]) => Buffer.compare(a ?? EMPTY, b ?? EMPTY)).flat();
    }
    case 'zset':
      return (await redis.callBuffer('ZRANGE', key, 0, -1, 'WITHSCORES')) as Buffer[];
    default:
      return [(await redis.callBuffer('DUMP', key)) as Buffer];
  }
};

const EMPTY = Buffer.alloc(0);

const digestOf = (row: string, type: string, content: readonly Buffer[]): string => {
  const hash = createHash('sha256');
  for (const part of [Buffer.from(row), Buffer.from(type), ...content]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest('hex').slice(0, 32);
};
