import { createHash } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { loadScript, runScript, scriptOf } from '../../scripts.js';
import type { Facets } from '../ports.js';
import { bytesOf } from './commands.js';
import { facetFields } from './filter.js';

const WRITE = loadScript('projections/search/valkey/rows.lua');
/** Removing works at the memory limit, since it is the way out of it. */
const REMOVE = scriptOf(`${WRITE.name} at the limit`, WRITE.source.replace('#!lua', '#!lua flags=allow-oom'));
/** As the version of a removal: everything stored is newer, so only what has no source any more goes. */
export const ONLY_WITHOUT_SOURCE = -1;
const SWEPT_AT_ONCE = 1_000;
/** How often a write is tried again when another process changed the rows meanwhile. */
const ATTEMPTS = 5;

export type RowPlace = {
  /** The physical key of one window's row. */
  readonly row: (memory: string, window: number) => string;
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

  constructor(redis: Redis, place: RowPlace) {
    this.#redis = redis;
    this.#place = place;
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
    const { row, source } = this.#place;
    let seen = write.seen;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const rows = Array.from({ length: Math.max(1, seen, write.windows) }, (_, window) => row(memory, window));
      const keys = source ? [...rows, source(memory)] : rows;
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
      const [outcome, stored] = (await runScript(this.#redis, op === 'remove' || op === 'trim' ? REMOVE : WRITE, keys, args)) as [
        Outcome | 'moved',
        number,
      ];
      if (outcome !== 'moved') return outcome;
      seen = stored;
    }
    throw new Error(`the rows of a memory changed ${ATTEMPTS} times while they were written`);
  }
}

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
