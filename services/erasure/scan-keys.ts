import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { Matcher } from './matcher.js';

/** What a scan of one kind of place saw. `hits` maps a place to the needles found there. */
export type Scanned = {
  readonly places: number;
  readonly bytes: number;
  readonly hits: ReadonlyMap<string, ReadonlySet<number>>;
};

const STEP = 500;
const PAGE = 1_000;

/** Reads every key of the tenant, its name and all its bytes, by type. Values are read as they are, so no compression hides any. */
export const scanKeys = async (
  redis: Redis,
  keys: Keys,
  matcher: Matcher,
  { signal, onProgress }: { readonly signal?: AbortSignal | undefined; readonly onProgress?: ((places: number) => void) | undefined } = {},
): Promise<ReadonlyMap<string, Scanned>> => {
  const scans = new Map<string, { places: number; bytes: number; hits: Map<string, Set<number>> }>();
  let seen = 0;
  for await (const names of keysOf(redis, keys)) {
    signal?.throwIfAborted();
    const types = await unavailableWhenDown(() => Promise.all(names.map((name) => redis.type(name))));
    for (const [i, name] of names.entries()) {
      const type = types[i] ?? 'none';
      const scan = scans.get(type) ?? { places: 0, bytes: 0, hits: new Map() };
      scans.set(type, scan);
      scan.places += 1;
      for await (const bytes of valuesOf(redis, name, type)) {
        scan.bytes += bytes.length;
        const found = matcher.in(bytes);
        if (found.size > 0) scan.hits.set(name, new Set([...(scan.hits.get(name) ?? []), ...found]));
      }
    }
    seen += names.length;
    onProgress?.(seen);
  }
  return scans;
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
