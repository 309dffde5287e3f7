import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { createLeases } from '../../projections/lease.js';
import type { Unfinished } from '../commands/forget-plan.js';
import { confirmErasures, REFUSED, TEXTS_DROPPED, type Waiting, waitingErasures } from '../erasure/confirm.js';
import { rewriteFiles } from '../erasure/files.js';
import { type Late, lateProcesses } from '../erasure/register.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import type { Wakeup } from '../wakeup.js';
import { inBackground } from './background.js';

const CALM_MS = 2_000;
const LOOK_MS = 250;
const IDLE_MS = 60_000;
/** Between two looks while something is still to be done. */
const BUSY_MS = 5_000;
const PAGE = 1_000;
/** Seconds for which processes that have not passed an erasure are nothing to speak of. */
const PASS_SECONDS = 30;
/** Seconds without a step after which whoever erased counts as dead. A server of our own serves nobody but this process. */
const SILENT_SECONDS = 30;
/** One process has a server's files rewritten; one that died is replaced after so many milliseconds. */
export const ERASER_LEASE = 'job:eraser';
const LEASE_MS = 30_000;

export type EraserParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly random: Random;
  readonly now: () => number;
  /** Whether the server is ours. One that is not is asked to rewrite its files, and may refuse. */
  readonly managed: boolean;
  /** Goes on with erasures that were begun and have shown no sign for so many seconds. */
  readonly resume: (silentSeconds: number) => Promise<void>;
  readonly unfinished: () => Promise<readonly Unfinished[]>;
  /** Deletes the rows in the server's indexes that no memory is behind, and answers of how many memories. Absent: there are none. */
  readonly sweepRows?: ((signal: AbortSignal) => Promise<number>) | undefined;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/**
 * Finishes erasures. Forgetting removes every key at once; this removes the bytes from the server's files by a rewrite
 * that began after the forget (one that ran already carries the text), and the query texts of recalls that had shown the
 * memory, then writes `ErasureConfirmed`, once no living process can have the text in its memory any more. Before all that
 * it goes on with erasures whose process died between two steps.
 */
export class Eraser {
  #parts: EraserParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  /** The erasure number that the file was last rewritten for, by this process. */
  #rewrittenFor = 0;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#background.start();
  }

  /** Something was forgotten now: look at once. */
  poke(): void {
    this.#background.poke();
  }

  /** Erasures whose bytes may still be on the disk. */
  waiting(): Promise<Waiting> {
    return waitingErasures(this.#parts);
  }

  /** Erasures of several steps that stand still: cut off and about to be gone on with, or cancelled. */
  async unfinished(): Promise<{ readonly cut: number; readonly cancelled: readonly string[] }> {
    const all = await this.#parts.unfinished();
    return {
      cut: all.filter(({ cancelled, silent }) => !cancelled && silent >= SILENT_SECONDS).length,
      cancelled: all.filter(({ cancelled }) => cancelled).map(({ id }) => id),
    };
  }

  /** Processes that have had an erasure to pass for longer than it should take. */
  async late(): Promise<readonly Late[]> {
    const { log, redis, keys } = this.#parts;
    const late = await lateProcesses(redis, keys, await log.erasures());
    return late.filter(({ seconds }) => seconds > PASS_SECONDS);
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    let silent = this.#parts.managed ? 0 : SILENT_SECONDS;
    while (!signal.aborted) {
      let busy = false;
      try {
        await this.#parts.resume(silent);
        silent = SILENT_SECONDS;
        await this.#dropQueryTexts();
        if ((await this.waiting()).count > 0) {
          await delay(CALM_MS, undefined, { signal });
          busy = !(await this.#finishAlone(signal));
        }
        busy ||= (await this.#parts.unfinished()).some(({ cancelled }) => !cancelled);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onTrouble('an erasure could not be finished; it is tried again', error);
      }
      await sleep(busy ? BUSY_MS : IDLE_MS, signal);
    }
  }

  /** Whoever forgot, and whichever process died in between: what the store says is gone decides. */
  async #dropQueryTexts(): Promise<void> {
    const { log, redis, keys } = this.#parts;
    const [erasures, done] = await Promise.all([log.erasures(), redis.hget(keys.meta, TEXTS_DROPPED)]);
    if (erasures <= Number(done ?? 0)) return;
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

  /** False when it is to be looked at again soon. Several processes may serve one server. */
  async #finishAlone(signal: AbortSignal): Promise<boolean> {
    const { redis, keys } = this.#parts;
    const leases = createLeases(redis, keys, LEASE_MS);
    const held = await leases.acquire([ERASER_LEASE]);
    if (held.size === 0) return false;
    const renewal = setInterval(() => void leases.renew(held).catch(() => undefined), LEASE_MS / 3);
    try {
      return (await this.waiting()).count <= 0 || (await this.#finish(signal));
    } finally {
      clearInterval(renewal);
      await leases.release(held).catch(() => undefined);
    }
  }

  /** A process that was killed as it forgot leaves rows, and one that is about to write a row may do so a moment too late. */
  async #sweepRows(signal: AbortSignal): Promise<void> {
    const { sweepRows } = this.#parts;
    while (sweepRows !== undefined && (await sweepRows(signal)) > 0) await delay(LOOK_MS, undefined, { signal });
  }

  /** False when a living process had not passed the erasure in time; it is looked at again. */
  async #finish(signal: AbortSignal): Promise<boolean> {
    const { log, redis, keys, managed } = this.#parts;
    const erasures = await log.erasures();
    if (this.#rewrittenFor !== erasures) {
      await this.#sweepRows(signal);
      const { refused } = await rewriteFiles(redis, { onlyLog: managed, signal });
      if (refused !== undefined) {
        // Nothing is lost by asking again now and then: the right to do it may be given, or somebody says that it was done.
        await redis.hset(keys.meta, REFUSED, refused);
        return true;
      }
    }
    this.#rewrittenFor = erasures;
    const deadline = performance.now() + PASS_SECONDS * 1_000;
    while ((await lateProcesses(redis, keys, erasures)).length > 0) {
      if (performance.now() > deadline) return false;
      await delay(LOOK_MS, undefined, { signal });
    }
    await confirmErasures(this.#parts, erasures, 'job:eraser');
    return true;
  }
}
