import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import type { Keys } from '../../keys.js';
import { loadScript, runScript, scriptOf } from '../../scripts.js';
import type { Facets } from '../ports.js';
import { bytesOf } from './commands.js';
import { facetFields } from './filter.js';

const WRITE = loadScript('projections/search/valkey/rows.lua');
const JUDGE = loadScript('projections/search/valkey/withdrawn.lua');
/** Removing works at the memory limit, since it is the way out of it. */
const REMOVE = scriptOf(`${WRITE.name} at the limit`, WRITE.source.replace('#!lua', '#!lua flags=allow-oom'));
/** As the version of a removal: everything stored is newer, so only what has no source any more goes. */
export const ONLY_WITHOUT_SOURCE = -1;
const SWEPT_AT_ONCE = 1_000;
/** How often a write is tried again when another process changed the rows meanwhile. */
const ATTEMPTS = 5;
/** The module holds back whoever writes a row while the server forks, for a minute at most. Whoever waits goes on after this. */
const PATIENCE_MS = 2_000;
const HELD_BACK_MS = 75_000;

export type RowPlace = {
  /** The physical key of one window's row. */
  readonly row: (memory: string, window: number) => string;
  /** Where that row is drafted: under no index. */
  readonly draft: (memory: string, window: number) => string;
  /** The physical key that must exist for a memory to have rows: its cached vectors. Absent: no such condition. */
  readonly source?: ((memory: string) => string) | undefined;
};

export type Stored = { readonly windows: number; readonly digest: string | undefined; readonly version: number };

/** `newer`: another process has written a later state; `gone`: the memory was forgotten, and it has no rows now. */
export type Outcome = 'done' | 'newer' | 'gone';

/**
 * The hashes that the server indexes, one for each window of a memory. Several processes write them: the newest version
 * stays, whoever comes last.
 */
export class Rows {
  #redis: Redis;
  #place: RowPlace;
  #writer: Redis;

  /** The rows themselves are written through `writer`, which may be held back for long. */
  constructor(redis: Redis, place: RowPlace, writer: Redis = redis) {
    this.#redis = redis;
    this.#place = place;
    this.#writer = writer;
  }

  /** What is stored of a memory; no window when nothing is. */
  async stored(memory: string): Promise<Stored> {
    const [windows, digest, version] = await this.#redis.hmget(this.#place.row(memory, 0), 'n', 'h', 'v');
    return { windows: Number(windows ?? 0), digest: digest ?? undefined, version: Number(version ?? 0) };
  }

  async put(memory: string, vectors: readonly Float32Array[], facets: Facets, seen: number): Promise<Outcome> {
    const version = facets.version ?? 0;
    const common = ['key', memory, 'n', String(vectors.length), 'v', String(version), 'h', digestOf(vectors), ...facetFields(facets)];
    return this.#run('put', memory, { seen, version, windows: vectors.length, common, vectors: vectors.map(bytesOf) });
  }

  async setFacets(memory: string, facets: Facets, seen: number): Promise<Outcome> {
    const version = facets.version ?? 0;
    const common = ['v', String(version), ...facetFields(facets)];
    return this.#run('facets', memory, { seen, version, windows: 0, common, vectors: [] });
  }

  /** Removes them unless they are newer than `version`; without one, whatever they are. */
  async remove(memory: string, seen: number, version: number | undefined): Promise<Outcome> {
    return this.#run('remove', memory, { seen, version, windows: 0, common: [], vectors: [] });
  }

  /** Removes rows that no text is behind any more: all of a memory whose vectors are gone, else those beyond its windows. */
  async trim(memory: string, windows: number): Promise<Outcome> {
    const { windows: seen } = await this.stored(memory);
    return this.#run('trim', memory, { seen, version: undefined, windows, common: [], vectors: [] });
  }

  async #run(op: string, memory: string, write: Write): Promise<Outcome> {
    const { row, draft, source } = this.#place;
    let seen = write.seen;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const windows = Array.from({ length: Math.max(1, seen, write.windows) }, (_, window) => window);
      const [rows, drafts] = [windows.map((window) => row(memory, window)), windows.map((window) => draft(memory, window))];
      const args = [
        op,
        seen,
        write.version ?? '',
        source ? '1' : '0',
        write.windows,
        write.common.length,
        ...write.common,
        ...write.vectors,
      ];
      const script = op === 'remove' || op === 'trim' ? REMOVE : WRITE;
      const keys = [...rows, ...drafts, ...(source ? [source(memory)] : [])];
      const [outcome, stored, drafted, beyond] = (await runScript(this.#redis, script, keys, args)) as Answer;
      if (outcome !== 'moved') {
        const gone = rows.slice(beyond - 1);
        // The first row comes last: it says what is stored, which a process that is killed in between must not have said.
        const [first, ...others] = drafts.slice(0, drafted).map((from, i) => ['rename', from, rows[i] ?? '']);
        const away = gone.map((name, i) => ['renamenx', name, drafts[beyond - 1 + i] ?? '']);
        const deletes = outcome === 'gone' && gone.length > 0 ? [['unlink', ...gone]] : away;
        const work = publish(this.#writer, [...others.reverse(), ...deletes, ...(first ? [first] : [])]);
        const upTo = op === 'remove' ? (write.version ?? Number.MAX_SAFE_INTEGER) : '';
        const judged = [source ? '1' : '0', upTo, ...gone.map((_, i) => beyond + i)];
        await patiently(deletes === away && away.length > 0 ? work.then(() => this.#judge(keys, rows, drafts, judged)) : work);
        return outcome;
      }
      seen = stored;
    }
    throw new Error(`the rows of a memory changed ${ATTEMPTS} times while they were written`);
  }

  /** Deletes what was moved aside, and puts back what is newer than whoever moved it knew. */
  async #judge(keys: readonly string[], rows: readonly string[], drafts: readonly string[], args: readonly (string | number)[]) {
    const back = (await runScript(this.#redis, JUDGE, keys, args)) as number[];
    const renames = back.reverse().map((i) => ['rename', drafts[i - 1] ?? '', rows[i - 1] ?? '']);
    await publish(this.#writer, renames);
  }
}

type Answer = [outcome: Outcome | 'moved', stored: number, drafted: number, beyond: number];

/** A connection for writing rows, which others need not wait for. It connects with its first command. */
export const rowWriter = (redis: Redis): Redis => {
  const slow = { commandTimeout: HELD_BACK_MS, socketTimeout: 2 * HELD_BACK_MS };
  const writer = redis.duplicate({ connectionName: 'omnimem-rows', lazyConnect: true, ...slow });
  writer.on('error', () => undefined);
  return writer;
};

/** Works with such a connection for as long as it takes. */
export const withRowWriter = async <T>(redis: Redis, work: (writer: Redis) => Promise<T>): Promise<T> => {
  const writer = rowWriter(redis);
  try {
    return await work(writer);
  } finally {
    writer.disconnect();
  }
};

/** A draft that is not there any more was renamed, or replaced by a newer one, by another process. */
const publish = async (writer: Redis, commands: string[][]): Promise<void> => {
  if (commands.length === 0) return;
  for (const [error] of (await writer.pipeline(commands).exec()) ?? []) if (error && !/no such key/.test(error.message)) throw error;
};

/** Rejects with what fails soon; what is held back goes on by itself, and what then fails is made good at the next start. */
const patiently = async (work: Promise<unknown>): Promise<void> => {
  work.catch(() => undefined);
  await Promise.race([work, delay(PATIENCE_MS, undefined, { ref: false })]);
};

/** Those of these keys that a script may delete: all but the rows, which are under an index. */
export const withoutRows = (keys: Keys, names: readonly string[]): readonly string[] =>
  names.filter((name) => !name.startsWith(keys.allSearchRows));

/** Deletes the rows among these keys, by a plain command. What fails is found by the next sweep. */
export const unlinkRows = async (redis: Redis, keys: Keys, names: readonly string[]): Promise<void> => {
  const rows = names.filter((name) => name.startsWith(keys.allSearchRows));
  if (rows.length === 0) return;
  await patiently(withRowWriter(redis, (writer) => writer.unlink(rows)).catch(() => undefined));
};

type Write = {
  readonly seen: number;
  readonly version: number | undefined;
  readonly windows: number;
  readonly common: readonly string[];
  readonly vectors: readonly Buffer[];
};

/** The keys of the rows under a prefix, some at a time; one may come twice. */
export async function* rowsUnder(redis: Redis, prefix: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${globbed(prefix)}*`, 'COUNT', SWEPT_AT_ONCE);
    cursor = next;
    if (found.length > 0) yield found;
  } while (cursor !== '0');
}

const globbed = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** Tells whether rows hold these vectors already, so that a start writes only what changed. */
export const digestOf = (vectors: readonly Float32Array[]): string => {
  const hash = createHash('sha256');
  for (const vector of vectors) hash.update(bytesOf(vector));
  return hash.digest('base64url').slice(0, 22);
};
