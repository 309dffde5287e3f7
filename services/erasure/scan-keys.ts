import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { Matcher } from './matcher.js';
import { type Scanned, Tally } from './tally.js';

const STEP = 500;
const PAGE = 1_000;
/** Keys that are read at once. */
const LANES = 16;

export type ScanKeysOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((places: number) => void) | undefined;
};

/** Reads every key of the tenant, its name and all its bytes, by type. Values are read as they are, so no compression hides any. */
export const scanKeys = async (
  redis: Redis,
  keys: Keys,
  matcher: Matcher,
  goes: (memory: string) => boolean,
  { signal, onProgress }: ScanKeysOptions = {},
): Promise<ReadonlyMap<string, Scanned>> => {
  const tallies = new Map<string, Tally>();
  let seen = 0;
  const scan = async (name: string, type: string): Promise<void> => {
    const tally = tallies.get(type) ?? new Tally(goes);
    tallies.set(type, tally);
    tally.places += 1;
    for await (const bytes of valuesOf(redis, name, type)) {
      tally.bytes += bytes.length;
      tally.note(name, matcher.in(bytes));
    }
  };
  for await (const names of keysOf(redis, keys)) {
    signal?.throwIfAborted();
    const types = await unavailableWhenDown(() => Promise.all(names.map((name) => redis.type(name))));
    const waiting = names.map((name, i) => [name, types[i] ?? 'none'] as const).values();
    const lane = async (): Promise<void> => {
      for (const [name, type] of waiting) await scan(name, type);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    seen += names.length;
    onProgress?.(seen);
  }
  return tallies;
};

async function* keysOf(redis: Redis, { prefix }: Keys): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replace(/[\\*?[\]^-]/g, '\\$&')}*`;
  let cursor = '0';
  do {
    const [next, names] = await unavailableWhenDown(() => redis.scan(cursor, 'MATCH', pattern, 'COUNT', STEP));
    cursor = next;
    if (names.length > 0) yield names;
  } while (cursor !== '0');
}

/** The name of a key, and its values a page at a time. */
async function* valuesOf(redis: Redis, name: string, type: string): AsyncGenerator<Buffer> {
  yield Buffer.from(name);
  const joined = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts.flatMap((part) => [part, SEPARATOR]));
  switch (type) {
    case 'string': {
      const value = await unavailableWhenDown(() => redis.getBuffer(name));
      if (value) yield value;
      return;
    }
    case 'list':
      for (let from = 0; ; from += PAGE) {
        const page = await unavailableWhenDown(() => redis.lrangeBuffer(name, from, from + PAGE - 1));
        yield joined(page);
        if (page.length < PAGE) return;
      }
    case 'stream':
      for (let from = '-'; ; ) {
        const page = (await unavailableWhenDown(() => redis.callBuffer('XRANGE', name, from, '+', 'COUNT', PAGE))) as [Buffer, Buffer[]][];
        yield joined(page.flatMap(([, fields]) => fields));
        const last = page.at(-1);
        if (page.length < PAGE || !last) return;
        from = `(${last[0].toString()}`;
      }
    case 'hash':
    case 'set':
    case 'zset': {
      const command = { hash: 'HSCAN', set: 'SSCAN', zset: 'ZSCAN' }[type];
      let cursor = '0';
      do {
        const [next, members] = (await unavailableWhenDown(() => redis.callBuffer(command, name, cursor, 'COUNT', PAGE))) as [
          Buffer,
          Buffer[],
        ];
        cursor = next.toString();
        yield joined(members);
      } while (cursor !== '0');
      return;
    }
    default: {
      const bytes = (await unavailableWhenDown(() => redis.callBuffer('DUMP', name))) as Buffer | null;
      if (bytes) yield bytes;
    }
  }
}

/** No needle holds it, so none is found across two values. */
const SEPARATOR = Buffer.from([0]);
