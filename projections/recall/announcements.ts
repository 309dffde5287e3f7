import type { Redis } from 'iovalkey';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import type { Keys } from '../keys.js';

const PAGE = 1_000;

/** Vectors that came after their events, as other processes announce them. */
export class Announcements {
  #redis: Redis;
  #keys: Keys;
  #last: Position = ORIGIN;

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** What was announced before the first look at the cache is already in the cache. */
  async skipToEnd(): Promise<void> {
    const [newest] = await this.#redis.xrevrange(this.#keys.vectors, '+', '-', 'COUNT', 1);
    this.#last = newest?.[0] ?? ORIGIN;
  }

  /** New announcements, by model. */
  async read(): Promise<{ readonly model: string; readonly memories: readonly string[] }[]> {
    const entries = await this.#redis.xrange(this.#keys.vectors, `(${this.#last}`, '+', 'COUNT', PAGE);
    const byModel = new Map<string, string[]>();
    for (const [position, fields] of entries) {
      this.#last = position;
      const [, model = '', , memory = ''] = fields;
      byModel.set(model, [...(byModel.get(model) ?? []), memory]);
    }
    return [...byModel].map(([model, memories]) => ({ model, memories }));
  }
}
