import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { isDomainError } from '../../domain/errors.js';
import { systemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { Model, VectorSpace } from '../../projections/recall/space.js';
import type { Embedder } from '../embedding/port.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import { inBackground } from '../jobs/background.js';
import type { Wakeup } from '../wakeup.js';
import { fillVectors } from './fill.js';

const BATCH = 32;
const IDLE_MS = 1_000;
const BACKOFF_MS = 2_000;
/** A text that the model cannot take is tried again after this long. */
const SET_ASIDE_MS = 10 * 60 * 1_000;

/** The better a model, the higher; a model that is not listed is never taken by itself. */
const PREFERENCE: Readonly<Record<string, number>> = { 'use-lite': 1, 'all-MiniLM-L6-v2': 2 };

export type KeeperParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: RecallIndex;
  readonly random: Random;
  readonly now: () => number;
  /** The embedder that is ready, if any. */
  readonly embedder: () => Embedder | undefined;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

export type ReembedProgress = (done: number, total: number) => void;

/**
 * Keeps every memory with a vector of the serving model, and moves recall to a better model when one arrives: its vectors
 * are made beside the serving ones, and the log names it once they are all there.
 */
export class VectorKeeper {
  #parts: KeeperParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  /** Memories whose text the model could not take, and when they are tried again. */
  #setAside = new Map<string, number>();
  /** What goes on, for health: memories done and to do under a model that does not serve yet. */
  reembedding: { readonly model: string; readonly done: number; readonly total: number } | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#background.start();
  }

  /** Something is missing, or a model is ready: look now. */
  poke(): void {
    this.#background.poke();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    await this.#parts.index.progress.waitFor('end', 2 ** 31 - 1);
    while (!signal.aborted) {
      try {
        const worked = await this.#step(signal);
        if (worked) continue;
        await sleep(IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onTrouble('vectors could not be filled in', error);
        await delay(BACKOFF_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** One batch of work; false when there was none. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { index } = this.#parts;
    const embedder = this.#parts.embedder();
    if (!embedder) return false;
    const model = modelOf(embedder);
    const named = index.modelInLog;
    if (!named) {
      await this.#nameModel(model, undefined);
      await index.settled();
      return true;
    }
    if (named.id === model.id) {
      await index.settled();
      return index.serving?.model.id === model.id && (await this.#fillSome(index.serving, embedder, signal));
    }
    if ((PREFERENCE[model.name] ?? 0) <= (PREFERENCE[named.name] ?? 0)) return false;
    await this.reembed(signal);
    return true;
  }

  async #fillSome(space: VectorSpace, embedder: Embedder, signal: AbortSignal): Promise<boolean> {
    const batch = this.#due(space).slice(0, BATCH);
    if (batch.length === 0) return false;
    try {
      return await this.#fill(space, embedder, batch, signal);
    } catch (error) {
      if (signal.aborted || batch.length === 1 || isDomainError(error, 'UNAVAILABLE')) throw error;
      return this.#fillOneByOne(space, embedder, batch, signal, error);
    }
  }

  async #fill(space: VectorSpace, embedder: Embedder, batch: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { memories, stored } = await fillVectors(this.#parts, embedder, batch, signal);
    await this.#parts.index.vectorsFilled(space.model.id, memories);
    return stored > 0;
  }

  /** One text that the model cannot take must not keep its neighbours from their vectors. When none can be had it is the model. */
  async #fillOneByOne(
    space: VectorSpace,
    embedder: Embedder,
    batch: readonly string[],
    signal: AbortSignal,
    cause: unknown,
  ): Promise<boolean> {
    const failed: string[] = [];
    for (const memory of batch) {
      try {
        await this.#fill(space, embedder, [memory], signal);
      } catch (error) {
        if (signal.aborted || isDomainError(error, 'UNAVAILABLE')) throw error;
        failed.push(memory);
      }
    }
    if (failed.length === batch.length) throw cause;
    for (const memory of failed) this.#setAside.set(memory, performance.now() + SET_ASIDE_MS);
    this.#parts.onTrouble(`the model could not take ${failed.length} texts; they stay without a vector for now`, cause);
    return true;
  }

  #due(space: VectorSpace): string[] {
    const now = performance.now();
    return [...space.missing].filter((memory) => (this.#setAside.get(memory) ?? 0) <= now);
  }

  /** Makes the vectors of every memory under the ready embedder's model, then names it in the log. Does nothing when it serves already. */
  async reembed(signal: AbortSignal, onProgress?: ReembedProgress): Promise<{ readonly from: string | undefined; readonly to: string }> {
    const { index, embedder: current } = this.#parts;
    const embedder = current();
    if (!embedder) throw new Error('no embedder is ready');
    const model = modelOf(embedder);
    const from = index.modelInLog?.id;
    if (from === model.id) return { from, to: model.id };
    const space = await index.prepare(model);
    try {
      while (!signal.aborted && this.#due(space).length > 0) {
        const total = index.documents.size;
        const done = total - space.missing.size;
        this.reembedding = { model: model.id, done, total };
        onProgress?.(done, total);
        if (!(await this.#fillSome(space, embedder, signal))) await delay(50);
      }
      signal.throwIfAborted();
      await this.#nameModel(model, from);
      await index.settled();
      return { from, to: model.id };
    } finally {
      this.reembedding = undefined;
    }
  }

  async #nameModel(model: Model, from: string | undefined): Promise<void> {
    const { log, random, now, index } = this.#parts;
    const at = new Date(now()).toISOString();
    const answer = await log.append({
      commandId: random.ulid(now()),
      actor: 'job:vectors',
      at,
      writes: [
        {
          subject: systemSubject(at),
          expected: 'any',
          events: [
            {
              type: 'EmbeddingModelChanged',
              data: { ...(from !== undefined && { from }), to: model.id, name: model.name, dimension: model.dimension },
            },
          ],
        },
      ],
      result: { model: model.id },
    });
    const position = 'events' in answer ? answer.events.at(-1)?.position : undefined;
    if (position) await index.progress.waitFor(position, 10_000);
  }
}

const modelOf = ({ identity: { id, name, dimension } }: Embedder): Model => ({ id, name, dimension });
