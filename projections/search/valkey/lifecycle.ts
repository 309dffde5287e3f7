import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { createIndex, dropIndex, listIndexes, readIndexInfo } from './commands.js';
import { driftOf, type IndexDefinition } from './definition.js';
import { refusalOf, whyRefused } from './errors.js';
import type { IndexInfo } from './info.js';

/**
 * `closed`: not asked for yet; `backfilling`: it exists, but hashes that were there before it are still being taken in, and
 * answers lack them; `lost`: the server does not have it any more, and the next use makes it anew; `failed`: the server
 * refused to make it or does not answer.
 */
export type IndexState = 'closed' | 'backfilling' | 'ready' | 'lost' | 'failed';

const FIRST_LOOK_MS = 20;
const LOOK_MOST_MS = 1_000;

/** Keeps one index of the server there, as it is wanted, and knows how far it is. */
export class IndexLifecycle {
  /** Why the index was made anew, when it was. */
  rebuilt: string | undefined;
  rebuilds = 0;
  /** Moves with each lost connection: what was asked before may have been answered by another life of the server. */
  lives = 0;
  /** Share of the earlier hashes taken in, 0 to 1. */
  backfilled = 0;
  /** Writes that the index refused since it was made. */
  failures = 0;
  #redis: Redis;
  #definition: IndexDefinition;
  #state: IndexState = 'closed';
  #paused = false;
  #fault: string | undefined;
  #opening: Promise<void> | undefined;
  #watching: Promise<void> | undefined;
  #stopping = new AbortController();

  constructor(redis: Redis, definition: IndexDefinition) {
    this.#redis = redis;
    this.#definition = definition;
    redis.on('close', this.#recheck);
  }

  /** A server that was away may come back with another index, none, or one that it is still filling: the next use looks. */
  readonly #recheck = (): void => {
    this.lives++;
    if (this.#state === 'ready') this.#opening = undefined;
  };

  get state(): IndexState {
    return this.#state;
  }

  /** In words, what is not as it should be; undefined when all is well. */
  get detail(): string | undefined {
    if (this.#state === 'backfilling') {
      const done = `${Math.round(this.backfilled * 100)} % of the stored vectors are in the index`;
      return this.#paused ? `${done}; it is not filled further while the server is above its maxmemory` : done;
    }
    if (this.#state === 'failed') return this.#fault;
    if (this.#state === 'lost') return 'the server lost the index; the next search makes it anew';
    if (this.failures > 0) return `the index refused ${this.failures} writes`;
    return this.rebuilt && `the index was made anew: ${this.rebuilt}`;
  }

  /** Resolves once the index exists with the wanted definition. Rejects with the server's error; the next call tries again. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      this.#state = 'failed';
      const why = whyRefused(error);
      this.#fault = why === undefined ? 'the server does not answer' : `the server refused the index (${why})`;
      throw error;
    });
    return this.#opening;
  }

  /** True once everything stored is in the index, false when the time is up first. */
  async settled(timeoutMs: number): Promise<boolean> {
    await this.open();
    if (this.#state !== 'ready') await Promise.race([this.#watching, delay(timeoutMs, undefined, { ref: false })]);
    return this.#state === 'ready';
  }

  /** A search found no index: a restart without it, a FLUSHDB, somebody else's FT.DROPINDEX. */
  lost(): void {
    this.#state = 'lost';
    this.#opening = undefined;
  }

  async close(): Promise<void> {
    this.#redis.off('close', this.#recheck);
    this.#stopping.abort();
    await this.#watching;
  }

  async #open(): Promise<void> {
    const { name } = this.#definition;
    // A user who may not list indexes may still ask for this one.
    const names = await ignoring('permission', listIndexes(this.#redis));
    const found = (names?.includes(name) ?? true) ? await this.#info() : undefined;
    const drift = found && driftOf(this.#definition, found);
    if (drift !== undefined) {
      this.rebuilds++;
      this.rebuilt = drift;
      await ignoring('no-index', dropIndex(this.#redis, name));
    }
    // Another process may make the same one at the same time.
    if (!found || drift !== undefined) await ignoring('index-exists', createIndex(this.#redis, this.#definition));
    this.#state = 'backfilling';
    this.backfilled = 0;
    this.#watching = this.#watch();
  }

  /** The share is 1 before the index is ready, so only the state counts. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = FIRST_LOOK_MS; !signal.aborted && this.#state === 'backfilling'; pause = Math.min(2 * pause, LOOK_MOST_MS)) {
      try {
        const info = await this.#info();
        if (!info) return this.lost();
        this.#take(info);
        if (info.state === 'ready') return;
      } catch {
        // An outage, or a server that starts: look again later.
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #take(info: IndexInfo): void {
    this.backfilled = info.backfilled;
    this.failures = info.failures;
    this.#paused = info.state === 'backfill_paused_by_oom';
    if (info.state === 'ready') this.#state = 'ready';
  }

  async #info(): Promise<IndexInfo | undefined> {
    return ignoring('no-index', readIndexInfo(this.#redis, this.#definition.name));
  }
}

const ignoring = async <T>(refusal: string, work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (refusalOf(error) === refusal) return undefined;
    throw error;
  }
};
