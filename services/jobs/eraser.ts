import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { systemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import { createWakeup } from '../wakeup.js';

const CALM_MS = 2_000;
const LOOK_MS = 250;
const IDLE_MS = 60_000;
const PAGE = 1_000;
/** Fields of the log's meta hash: the number of erasures up to which each half of the work is done. */
const CONFIRMED = 'erasures_confirmed';
const TEXTS_DROPPED = 'erasures_texts_dropped';

export type EraserParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly random: Random;
  readonly now: () => number;
  /** Whether the server is ours, so that its file may be rewritten. */
  readonly managed: boolean;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/**
 * Finishes erasures. Forgetting removes every key at once; this removes the bytes from the append-only file by a rewrite
 * that began after the forget (one that ran already carries the text), and the query texts of recalls that had shown the
 * memory, then writes `ErasureConfirmed`.
 */
export class Eraser {
  #parts: EraserParts;
  #wakeup = createWakeup();
  #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Something was forgotten now: look at once. */
  poke(): void {
    this.#wakeup.poke();
  }

  /** Erasures whose bytes may still be on the disk. */
  async pending(): Promise<number> {
    return (await this.#erasuresSince(CONFIRMED)).count;
  }

  async #erasuresSince(field: string): Promise<{ readonly count: number; readonly erasures: number }> {
    const { log, redis, keys } = this.#parts;
    const [erasures, done] = await Promise.all([log.erasures(), redis.hget(keys.meta, field)]);
    return { count: erasures - Number(done ?? 0), erasures };
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#dropQueryTexts();
        if (this.#parts.managed && (await this.pending()) > 0) {
          await delay(CALM_MS, undefined, { signal });
          await this.#rewrite(signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onTrouble('an erasure could not be finished; it is tried again', error);
      }
      await this.#wakeup.sleep(IDLE_MS, signal);
    }
  }

  /** Whoever forgot, and whichever process died in between: what the store says is gone decides. */
  async #dropQueryTexts(): Promise<void> {
    const { redis, keys } = this.#parts;
    const { count, erasures } = await this.#erasuresSince(TEXTS_DROPPED);
    if (count <= 0) return;
    let from = '-';
    for (;;) {
      const page = await redis.xrange(keys.recalls, from, '+', 'COUNT', PAGE);
      const recalls = page.map(([id, fields]) => ({
        id,
        at: fields[fields.indexOf('at') + 1] ?? '',
        shown: JSON.parse(fields[fields.indexOf('keys') + 1] ?? '[]') as string[],
      }));
      const gone = await this.#forgottenOf([...new Set(recalls.flatMap(({ shown }) => shown))]);
      for (const { id, at, shown } of recalls) {
        if (shown.some((memory) => gone.has(memory))) await redis.hdel(keys.recallTexts(at.slice(0, 10)), id);
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      from = `(${last[0]}`;
    }
    await redis.hset(keys.meta, TEXTS_DROPPED, erasures);
  }

  async #forgottenOf(memories: readonly string[]): Promise<ReadonlySet<string>> {
    const { redis, keys } = this.#parts;
    const pipeline = redis.pipeline();
    for (const memory of memories) pipeline.hexists(keys.payloads(memory), 'f');
    const replies = (await pipeline.exec()) ?? [];
    return new Set(
      memories.filter((_, i) => {
        const [error, forgotten] = replies[i] ?? [new Error('The connection to Valkey broke')];
        if (error) throw error;
        return forgotten === 1;
      }),
    );
  }

  async #rewrite(signal: AbortSignal): Promise<void> {
    const { log, redis, keys, random, now } = this.#parts;
    const erasures = await log.erasures();
    await this.#untilNoRewrite(signal);
    await redis.bgrewriteaof();
    // The server answers before it forks; look only after it has begun.
    await delay(LOOK_MS, undefined, { signal });
    const status = await this.#untilNoRewrite(signal);
    if (status !== 'ok') throw new Error(`the rewrite of the append-only file ended with ${status}`);
    const at = new Date(now()).toISOString();
    await log.append({
      commandId: random.ulid(now()),
      actor: 'job:eraser',
      at,
      writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'ErasureConfirmed', data: { erasures } }] }],
      result: { erasures },
    });
    await redis.hset(keys.meta, CONFIRMED, erasures);
  }

  async #untilNoRewrite(signal: AbortSignal): Promise<string> {
    for (;;) {
      const info = await this.#parts.redis.info('persistence');
      const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
      if (field('aof_rewrite_in_progress') === '0' && field('aof_rewrite_scheduled') === '0') return field('aof_last_bgrewrite_status');
      await delay(LOOK_MS, undefined, { signal });
    }
  }
}
