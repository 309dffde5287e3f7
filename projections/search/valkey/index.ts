import type { Redis } from 'iovalkey';
import type { Facets, Filter, VectorHit, VectorIndex, VectorStats } from '../ports.js';
import { rounded } from '../top-k.js';
import { assertUnit } from '../unit.js';
import { readIndexInfo } from './commands.js';
import type { IndexDefinition } from './definition.js';
import { FILTER_FIELDS } from './filter.js';
import { dot } from './hits.js';
import { IndexLifecycle } from './lifecycle.js';
import { Notes } from './notes.js';
import { phantomsOf, sweepPhantoms } from './phantoms.js';
import { digestOf, ONLY_WITHOUT_SOURCE, type RowPlace, Rows, rowWriter } from './rows.js';
import { Searcher } from './searcher.js';

export type ValkeyVectorIndexOptions = RowPlace & {
  readonly redis: Redis;
  /** Name of the index at the server; no other index may cover its prefix. */
  readonly name: string;
  /** The beginning of every key that `row` gives, and of no other key. */
  readonly prefix: string;
  readonly dimension: number;
  /** Milliseconds the server may take for one search; below the connection's own. @defaultValue 4000 */
  readonly timeoutMs?: number;
  /** Milliseconds a search waits for an index that is still taking in what was stored before it. @defaultValue 2000 */
  readonly patienceMs?: number;
};

/** Found nine of ten with the module's 10, all of ten with 50 (20,000 clustered vectors). */
const GRAPH = { m: 16, efConstruction: 200, efRuntime: 100 };
const TIMEOUT_MS = 4_000;
const PATIENCE_MS = 2_000;
const COUNTED_EVERY_MS = 60_000;

/** What this process last wrote or found of a memory. */
type Known = { readonly windows: number; readonly version: number };

/** The definition under which the index of a space is made. */
export const definitionOf = (name: string, prefix: string, dimension: number): IndexDefinition => ({
  ...{ name, prefix, dimension, fields: FILTER_FIELDS },
  ...GRAPH,
});

/**
 * Vectors in the server: one hash for each window, found through valkey-search, scored again here. The server's answers
 * are checked (see `Notes`), and an index that is missing, other than wanted or still being filled is told by `stats`.
 * Reads reject with UNAVAILABLE when the server refuses the search, and with its own error when it does not answer.
 */
export class ValkeyVectorIndex implements VectorIndex {
  readonly #redis: Redis;
  readonly #options: ValkeyVectorIndexOptions;
  readonly #rows: Rows;
  readonly #writer: Redis;
  readonly #lifecycle: IndexLifecycle;
  readonly #notes = new Notes();
  readonly #searcher: Searcher;
  readonly #known = new Map<string, Known>();
  readonly #stopping = new AbortController();
  #swept: Promise<unknown> | undefined;
  #windows = 0;
  #counted = { at: Number.NEGATIVE_INFINITY, phantoms: 0 };

  constructor(options: ValkeyVectorIndexOptions) {
    const { redis, name, prefix, dimension, timeoutMs = TIMEOUT_MS, patienceMs = PATIENCE_MS } = options;
    this.#redis = redis;
    this.#options = options;
    this.#writer = rowWriter(redis);
    this.#rows = new Rows(redis, options, this.#writer);
    this.#lifecycle = new IndexLifecycle(redis, definitionOf(name, prefix, dimension));
    this.#searcher = new Searcher({
      ...{ redis, name, timeoutMs, patienceMs, lifecycle: this.#lifecycle, notes: this.#notes },
      size: () => ({ memories: this.#known.size, windows: this.#windows }),
    });
  }

  async upsert(key: string, vectors: readonly Float32Array[], facets: Facets): Promise<void> {
    for (const vector of vectors) assertUnit(vector, this.#options.dimension);
    if (vectors.length === 0) return this.remove(key);
    await this.#lifecycle.open();
    this.#swept ??= this.#sweep();
    const known = this.#known.get(key);
    const stored = known ? undefined : await this.#rows.stored(key);
    const same = stored?.digest === digestOf(vectors) && facets.version !== undefined && stored.version >= facets.version;
    const outcome = same ? 'done' : await this.#rows.put(key, vectors, facets, known?.windows ?? stored?.windows ?? 0);
    if (outcome === 'gone') this.#forget(key);
    else this.#learn(key, { windows: vectors.length, version: facets.version ?? 0 });
  }

  async setFacets(key: string, facets: Facets): Promise<void> {
    const known = this.#known.get(key);
    if (!known) return;
    const outcome = await this.#rows.setFacets(key, facets, known.windows);
    if (outcome === 'gone') this.#forget(key);
    else this.#learn(key, { ...known, version: facets.version ?? 0 });
  }

  /** What another process has written since stays, and so do rows this one never saw while their source is there. */
  async remove(key: string): Promise<void> {
    const known = this.#known.get(key);
    const { windows } = known ?? (await this.#rows.stored(key));
    const others = this.#options.source ? ONLY_WITHOUT_SOURCE : undefined;
    if (windows > 0) await this.#rows.remove(key, windows, known ? known.version : others);
    this.#forget(key);
  }

  async knn(query: Float32Array, k: number, filter: Filter): Promise<VectorHit[]> {
    assertUnit(query, this.#options.dimension);
    return k < 1 ? [] : this.#searcher.nearest(query, k, filter);
  }

  async similarities(query: Float32Array, keys: readonly string[]): Promise<VectorHit[]> {
    assertUnit(query, this.#options.dimension);
    const firsts = await this.#vectors(keys.map((key) => [key, 0] as const));
    const windows = firsts.map(({ windows }) => windows);
    const rest = keys.flatMap((key, i) => Array.from({ length: Math.max(0, (windows[i] ?? 0) - 1) }, (_, w) => [key, w + 1] as const));
    const others = (await this.#vectors(rest)).map(({ vector }) => vector);
    let next = 0;
    return keys.flatMap((key, i) => {
      const mine = [firsts[i]?.vector, ...others.slice(next, next + Math.max(0, (windows[i] ?? 0) - 1))];
      next += mine.length - 1;
      const scores = mine.map((bytes) => rounded(dot(bytes, query) ?? Number.NEGATIVE_INFINITY));
      const similarity = Math.max(...scores);
      return Number.isFinite(similarity) ? [{ key, similarity, window: scores.indexOf(similarity) }] : [];
    });
  }

  /** Counts are of what this process wrote or found: the server's own also count what no search can find. */
  stats(): VectorStats {
    const { state, detail } = this.#lifecycle;
    const notes = this.#notes.counts;
    return {
      ...{ memories: this.#known.size, vectors: this.#windows, engine: 'valkey-search', dimension: this.#options.dimension, state },
      ...(detail !== undefined && { detail }),
      ...(Object.keys(notes).length > 0 && { notes }),
    };
  }

  /**
   * Rows in the server that no text is behind. They are counted only while the server has another number of rows than this
   * process wrote or found, and at most once a minute, since all keys are read for it.
   */
  async phantoms(): Promise<number> {
    const { source, prefix, name } = this.#options;
    if (!source || this.#lifecycle.state !== 'ready') return 0;
    const { hashes, failures } = await readIndexInfo(this.#redis, name);
    this.#lifecycle.failures = failures;
    if (hashes === this.#windows) return 0;
    if (performance.now() - this.#counted.at < COUNTED_EVERY_MS) return this.#counted.phantoms;
    let phantoms = 0;
    for await (const _ of phantomsOf(this.#redis, [prefix], [this.#options], this.#stopping.signal)) phantoms++;
    this.#counted = { at: performance.now(), phantoms };
    return phantoms;
  }

  /** Resolves true once the index holds all that was stored before it was made; `onProgress` is told the share, 0 to 1. */
  async settled(timeoutMs: number, onProgress?: (share: number) => void): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    while (!(await this.#lifecycle.settled(Math.min(250, Math.max(0, end - performance.now()))))) {
      onProgress?.(this.#lifecycle.backfilled);
      if (performance.now() >= end) return false;
    }
    onProgress?.(1);
    return true;
  }

  /** Stops watching; the index and the hashes stay. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#lifecycle.close(), this.#swept]);
    this.#writer.disconnect();
  }

  /** Once, at the first use: a process that was killed may have left rows. */
  async #sweep(): Promise<void> {
    const { source, prefix } = this.#options;
    if (source) await sweepPhantoms(this.#redis, [prefix], [this.#options], this.#stopping.signal).catch(() => undefined);
  }

  async #vectors(windows: readonly (readonly [memory: string, window: number])[]) {
    const pipeline = this.#redis.pipeline();
    for (const [memory, window] of windows) pipeline.hmgetBuffer(this.#options.row(memory, window), 'n', 'vector');
    return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      const [n, vector] = reply as (Buffer | null)[];
      return { windows: Number(n?.toString() ?? 0), vector };
    });
  }

  #learn(key: string, known: Known): void {
    this.#windows += known.windows - (this.#known.get(key)?.windows ?? 0);
    this.#known.set(key, known);
  }

  #forget(key: string): void {
    this.#windows -= this.#known.get(key)?.windows ?? 0;
    this.#known.delete(key);
  }
}
