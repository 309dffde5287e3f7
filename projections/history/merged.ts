import type { Redis } from 'iovalkey';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import type { Keys } from '../keys.js';
import { loadScript, runScript } from '../scripts.js';

const SCRIPT = loadScript('projections/lua/merged.lua');
const PAGE = 2_000;

/** Place in this log to the place in the log that the event was merged from. */
export type Merged = ReadonlyMap<Position, Position>;

/**
 * Knows which events came from another log. The server looks through the envelopes, once for each process, and after that
 * only at what is new. Rejects with the raw Valkey error.
 */
export class MergedEvents {
  #redis: Redis;
  #keys: Keys;
  #last: Position = ORIGIN;
  #found = new Map<Position, Position>();
  #reading: Promise<unknown> = Promise.resolve();

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Every merged event up to the log's present end. */
  all(): Promise<Merged> {
    const read = this.#reading.catch(() => undefined).then(() => this.#readOn());
    this.#reading = read;
    return read;
  }

  async #readOn(): Promise<Merged> {
    for (;;) {
      const [last = '', ...pairs] = (await runScript(this.#redis, SCRIPT, [this.#keys.log], [this.#last, PAGE])) as string[];
      for (let i = 0; i + 1 < pairs.length; i += 2) this.#found.set(pairs[i] ?? '', pairs[i + 1] ?? '');
      if (last === '') return this.#found;
      this.#last = last;
    }
  }
}
