import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Matcher } from './matcher.js';
import { type Scanned, Tally } from './tally.js';

/** Kinds of files below the data folder, told by their place. */
export type FileKind = 'append-only file' | 'log file' | 'snapshot' | 'backup' | 'other file';

const CHUNK = 1 << 20;
/** Nothing that anybody remembered is ever written there. */
const SKIPPED = new Set(['models', 'test-models']);

const kindOf = (path: string): FileKind => {
  const parts = path.split(sep);
  if (parts.includes('appendonlydir')) return 'append-only file';
  if (parts.some((part) => /^backups?$/.test(part))) return 'backup';
  if (parts.some((part) => /^(snapshots?|index(es)?)$/.test(part)) || /\.(snapshot|rdb)$/.test(path)) return 'snapshot';
  return path.endsWith('.log') ? 'log file' : 'other file';
};

/** Reads every byte of every file below a folder, but for the folder `skip`. A file that goes away meanwhile is passed over; one that cannot be read is named. */
export const scanFiles = async (
  folder: string,
  matcher: Matcher,
  {
    signal,
    kind,
    skip,
  }: { readonly signal?: AbortSignal | undefined; readonly kind?: FileKind | undefined; readonly skip?: string | undefined } = {},
): Promise<{ readonly scans: ReadonlyMap<FileKind, Scanned>; readonly unread: readonly string[] }> => {
  const scans = new Map<FileKind, Tally>();
  const unread: string[] = [];
  for await (const path of filesBelow(folder, skip === undefined ? undefined : resolve(skip))) {
    const name = relative(folder, path);
    const place = kind ?? kindOf(name);
    const scan = scans.get(place) ?? new Tally(() => true);
    scans.set(place, scan);
    try {
      const { bytes, found } = await scanFile(path, matcher, signal);
      scan.places += 1;
      scan.bytes += bytes;
      scan.note(name, found);
    } catch (error) {
      signal?.throwIfAborted();
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unread.push(name);
    }
  }
  return { scans, unread };
};

async function* filesBelow(folder: string, skip: string | undefined): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name) && resolve(path) !== skip) yield* filesBelow(path, skip);
    else if (entry.isFile()) yield path;
  }
}

const scanFile = async (
  path: string,
  matcher: Matcher,
  signal: AbortSignal | undefined,
): Promise<{ readonly bytes: number; readonly found: ReadonlySet<number> }> => {
  const found = new Set<number>();
  let bytes = 0;
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, ...(signal && { signal }) })) {
    const fresh = chunk as Buffer;
    bytes += fresh.length;
    const window = Buffer.concat([tail, fresh]);
    for (const i of matcher.in(window)) found.add(i);
    tail = window.subarray(Math.max(0, window.length - Math.max(0, matcher.longest - 1)));
  }
  return { bytes, found };
};
