import { setTimeout as delay } from 'node:timers/promises';
import { systemSubject } from '../../domain/system/events.js';
import { createWakeup } from '../wakeup.js';
const CALM_MS = 2_000;
const LOOK_MS = 250;
const IDLE_MS = 60_000;
const PAGE = 1_000;
const CONFIRMED = 'erasures_confirmed';
/**
 * Finishes erasures. Forgetting removes every key at once; this removes the bytes from the append-only file by a rewrite
 * that began after the forget (one that ran already carries the text), and the query texts of recalls that had shown the
 * memory, then writes `ErasureConfirmed`.
 */
export class Eraser {
    #parts;
    #wakeup = createWakeup();
    #stopping = new AbortController();
    #running;
    #forgotten = new Set();
    constructor(parts) {
        this.#parts = parts;
    }
    start() {
        this.#running ??= this.#run();
    }
    /** These memories were forgotten now. */
    erased(memories) {
        for (const memory of memories)
            this.#forgotten.add(memory);
        this.#wakeup.poke();
    }
    /** Erasures whose bytes may still be on the disk. */
    async pending() {
        const { log, redis, keys } = this.#parts;
        return (await log.erasures()) - Number((await redis.hget(keys.meta, CONFIRMED)) ?? 0);
    }
    async close() {
        this.#stopping.abort();
        await this.#running;
    }
    async #run() {
        const { signal } = this.#stopping;
        while (!signal.aborted) {
            try {
                if (this.#forgotten.size > 0)
                    await this.#dropQueryTexts();
                if (this.#parts.managed && (await this.pending()) > 0) {
                    await delay(CALM_MS, undefined, { signal });
                    await this.#rewrite(signal);
                }
            }
            catch (error) {
                if (signal.aborted)
                    return;
                this.#parts.onTrouble('an erasure could not be finished; it is tried again', error);
            }
            await this.#wakeup.sleep(IDLE_MS, signal);
        }
    }
    async #dropQueryTexts() {
        const { redis, keys } = this.#parts;
        const memories = [...this.#forgotten];
        let from = '-';
        for (;;) {
            const page = await redis.xrange(keys.recalls, from, '+', 'COUNT', PAGE);
            for (const [id, fields] of page) {
                const shown = fields[fields.indexOf('keys') + 1] ?? '';
                if (!memories.some((memory) => shown.includes(memory)))
                    continue;
                await redis.hdel(keys.recallTexts(new Date(Number(id.split('-')[0])).toISOString().slice(0, 10)), id);
            }
            const last = page.at(-1);
            if (!last || page.length < PAGE)
                break;
            from = `(${last[0]}`;
        }
        for (const memory of memories)
            this.#forgotten.delete(memory);
    }
    async #rewrite(signal) {
        const { log, redis, keys, random, now } = this.#parts;
        const erasures = await log.erasures();
        await this.#untilNoRewrite(signal);
        await redis.bgrewriteaof();
        // The server answers before it forks; look only after it has begun.
        await delay(LOOK_MS, undefined, { signal });
        const status = await this.#untilNoRewrite(signal);
        if (status !== 'ok')
            throw new Error(`the rewrite of the append-only file ended with ${status}`);
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
    async #untilNoRewrite(signal) {
        for (;;) {
            const info = await this.#parts.redis.info('persistence');
            const field = (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
            if (field('aof_rewrite_in_progress') === '0' && field('aof_rewrite_scheduled') === '0')
                return field('aof_last_bgrewrite_status');
            await delay(LOOK_MS, undefined, { signal });
        }
    }
}
//# sourceMappingURL=eraser.js.map