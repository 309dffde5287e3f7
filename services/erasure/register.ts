import type { Redis } from 'iovalkey';
import { comparePositions, type Position } from '../../domain/envelope.js';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const LOOK_MS = 1_000;
const BEAT_MS = 5_000;
/** Without a sign for so long a process counts as dead; what it had in memory went with it. */
const DEAD_SECONDS = 20;

export type RegisterParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  /** Names this process among all that use the store. */
  readonly id: string;
  /** What people call it, such as `process 4711`. */
  readonly name: string;
  readonly erasures: () => Promise<number>;
  readonly head: () => Promise<{ readonly position: Position } | undefined>;
  /** How far everything has come that is kept in this process. */
  readonly position: () => Position;
  /** Drops what was built of older text. */
  readonly drop: () => void;
  /** The models whose vectors it serves or makes. */
  readonly models: () => readonly string[];
};

type Entry = {
  readonly name: string;
  /** Seconds of the server's clock: last sign, and since when it has not passed an erasure it knows of, or 0. */
  readonly at: number;
  readonly behindSince: number;
  readonly erasures: number;
  /** Absent in the entries of versions that did not tell. */
  readonly models?: readonly string[];
};

/**
 * This process in the register of those that live. It has passed an erasure once everything it keeps in memory has followed
 * the log beyond it; until then text that was forgotten may still lie there.
 */
export class ProcessRegister {
  #parts: RegisterParts;
  #passed = -1;
  #behindSince = 0;
  #beatAt = Number.NEGATIVE_INFINITY;
  #models = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: RegisterParts) {
    this.#parts = parts;
  }

  start(): void {
    const look = (): void => {
      this.#looking ??= this.#look()
        .catch(() => undefined) // an outage is told by others
        .finally(() => {
          this.#looking = undefined;
        });
    };
    this.#timer ??= setInterval(look, LOOK_MS);
    this.#timer.unref();
    look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#parts.redis.hdel(this.#parts.keys.processes, this.#parts.id).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { redis, keys, id, name, erasures, head, position, drop } = this.#parts;
    // In this order: an erasure that the number counts is an event at or before a head read later.
    const number = await erasures();
    const end = number === this.#passed ? undefined : await head();
    const before = this.#passed;
    if (number !== this.#passed && (end === undefined || comparePositions(position(), end.position) >= 0)) {
      drop();
      this.#passed = number;
    }
    const behind = this.#passed !== number;
    const models = this.#parts.models();
    const told = this.#passed === before && behind === this.#behindSince > 0 && this.#models === models.join(' ');
    if (told && performance.now() - this.#beatAt < BEAT_MS) return;
    const at = await secondsOf(redis);
    this.#behindSince = behind ? this.#behindSince || at : 0;
    const entry: Entry = { name, at, behindSince: this.#behindSince, erasures: Math.max(0, this.#passed), models };
    await redis.hset(keys.processes, id, JSON.stringify(entry));
    this.#models = models.join(' ');
    this.#beatAt = performance.now();
  }
}

/** A process that lives and may still have forgotten text in its memory, for so many seconds. */
export type Late = { readonly name: string; readonly seconds: number };

/** Those that have not passed this erasure number. The dead are taken out of the register. Throws UNAVAILABLE. */
export const lateProcesses = async (redis: Redis, keys: Keys, erasures: number): Promise<readonly Late[]> => {
  const { living, now } = await livingProcesses(redis, keys);
  return living
    .filter((entry) => entry.erasures < erasures)
    .map(({ name, behindSince }) => ({ name, seconds: behindSince === 0 ? 0 : now - behindSince }));
};

/** The models of all living processes; undefined when one of them does not tell. Throws UNAVAILABLE. */
export const modelsInUse = async (redis: Redis, keys: Keys): Promise<ReadonlySet<string> | undefined> => {
  const { living } = await livingProcesses(redis, keys);
  const told = living.flatMap(({ models }) => (models ? [models] : []));
  return told.length < living.length ? undefined : new Set(told.flat());
};

const livingProcesses = (redis: Redis, keys: Keys): Promise<{ readonly living: readonly Entry[]; readonly now: number }> =>
  unavailableWhenDown(async () => {
    const [entries, now] = await Promise.all([redis.hgetall(keys.processes), secondsOf(redis)]);
    const living: Entry[] = [];
    for (const [id, text] of Object.entries(entries)) {
      const entry = JSON.parse(text) as Entry;
      if (now - entry.at > DEAD_SECONDS) await redis.hdel(keys.processes, id);
      else living.push(entry);
    }
    return { living, now };
  });

const secondsOf = async (redis: Redis): Promise<number> => Number((await redis.time())[0]);
