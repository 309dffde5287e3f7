import { setTimeout as delay } from 'node:timers/promises';
import { systemSubject } from '../../domain/system/events.js';
import { createWakeup } from '../wakeup.js';
import { fillVectors } from './fill.js';
const BATCH = 32;
const IDLE_MS = 1_000;
const BACKOFF_MS = 2_000;
/** The better a model, the higher; a model that is not listed is never taken by itself. */
const PREFERENCE = { 'use-lite': 1, 'all-MiniLM-L6-v2': 2 };
/**
 * Keeps every memory with a vector of the serving model, and moves recall to a better model when one arrives: its vectors
 * are made beside the serving ones, and the log names it once they are all there.
 */
export class VectorKeeper {
    #parts;
    #stopping = new AbortController();
    #running;
    #wakeup = createWakeup();
    /** What goes on, for health: memories done and to do under a model that does not serve yet. */
    reembedding;
    constructor(parts) {
        this.#parts = parts;
    }
    start() {
        this.#running ??= this.#run();
    }
    /** Something is missing, or a model is ready: look now. */
    poke() {
        this.#wakeup.poke();
    }
    async close() {
        this.#stopping.abort();
        this.poke();
        await this.#running;
    }
    async #run() {
        const { signal } = this.#stopping;
        await this.#parts.index.progress.waitFor('end', 2 ** 31 - 1);
        while (!signal.aborted) {
            try {
                const worked = await this.#step(signal);
                if (worked)
                    continue;
                await this.#wakeup.sleep(IDLE_MS, signal);
            }
            catch (error) {
                if (signal.aborted)
                    return;
                this.#parts.onTrouble('vectors could not be filled in', error);
                await delay(BACKOFF_MS, undefined, { signal }).catch(() => undefined);
            }
        }
    }
    /** One batch of work; false when there was none. */
    async #step(signal) {
        const { index } = this.#parts;
        const embedder = this.#parts.embedder();
        if (!embedder)
            return false;
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
        if ((PREFERENCE[model.name] ?? 0) <= (PREFERENCE[named.name] ?? 0))
            return false;
        await this.reembed(signal);
        return true;
    }
    async #fillSome(space, embedder, signal) {
        const batch = [...space.missing].slice(0, BATCH);
        if (batch.length === 0)
            return false;
        const { memories, stored } = await fillVectors(this.#parts, embedder, batch, signal);
        await this.#parts.index.vectorsFilled(space.model.id, memories);
        return stored > 0;
    }
    /** Makes the vectors of every memory under the ready embedder's model, then names it in the log. Does nothing when it serves already. */
    async reembed(signal, onProgress) {
        const { index, embedder: current } = this.#parts;
        const embedder = current();
        if (!embedder)
            throw new Error('no embedder is ready');
        const model = modelOf(embedder);
        const from = index.modelInLog?.id;
        if (from === model.id)
            return { from, to: model.id };
        const space = await index.prepare(model);
        try {
            while (!signal.aborted && space.missing.size > 0) {
                const total = index.documents.size;
                const done = total - space.missing.size;
                this.reembedding = { model: model.id, done, total };
                onProgress?.(done, total);
                if (!(await this.#fillSome(space, embedder, signal)))
                    await delay(50);
            }
            signal.throwIfAborted();
            await this.#nameModel(model, from);
            await index.settled();
            return { from, to: model.id };
        }
        finally {
            this.reembedding = undefined;
        }
    }
    async #nameModel(model, from) {
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
        if (position)
            await index.progress.waitFor(position, 10_000);
    }
}
const modelOf = ({ identity: { id, name, dimension } }) => ({ id, name, dimension });
//# sourceMappingURL=keeper.js.map