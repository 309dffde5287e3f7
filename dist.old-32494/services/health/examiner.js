import { projectionStatus } from '../../projections/status.js';
import { assertRoom } from '../disk.js';
import { readMarker, storeDiffers, writeMarker } from '../ops/store-marker.js';
import { readVitals } from '../ops/valkey-vitals.js';
import { countRecords, healthOf } from '../queries/health.js';
const MARK_EVERY_MS = 10_000;
/** The in-process index may be this far behind the head at any moment without being ill. */
const INDEX_PATIENCE_MS = 1_000;
/** Looks at everything that health and metrics report, and keeps the marker that tells an empty store from a new one. */
export class Examiner {
    #parts;
    #before;
    #differs;
    #dataDirFault;
    #timer;
    #startedAt = performance.now();
    constructor(parts) {
        this.#parts = parts;
    }
    /** Compares the store with the one that was here last time, before anything new is noted. */
    async start() {
        const { config, log } = this.#parts;
        this.#before = await readMarker(config.dataDir, config.tenant);
        this.#differs = storeDiffers(this.#before, { log_id: log.logId, events: await log.size() });
        await this.#mark();
        this.#timer = setInterval(() => void this.#mark(), MARK_EVERY_MS);
        this.#timer.unref();
    }
    async close() {
        clearInterval(this.#timer);
        await this.#mark();
    }
    /** Notes what is here now, unless it is less than what was here: then the old marker is the evidence. */
    async #mark() {
        const { config, log, now } = this.#parts;
        if (this.#differs)
            return;
        try {
            const events = await log.size();
            await writeMarker(config.dataDir, config.tenant, { log_id: log.logId, events, seen_at: new Date(now()).toISOString() });
            this.#dataDirFault = undefined;
        }
        catch (error) {
            const { code } = error;
            if (code !== undefined && code !== 'UNAVAILABLE')
                this.#dataDirFault = code;
        }
    }
    async health() {
        const { config, log, index } = this.#parts;
        await this.#mark();
        return healthOf(await this.#examine(), {
            indexes: index.stats(),
            uptime_seconds: Math.round((performance.now() - this.#startedAt) / 100) / 10,
            data_dir: config.dataDir,
            logId: log.logId,
        });
    }
    /** For the metrics. Rejects when Valkey does not answer. */
    async vitals() {
        const { log, redis, keys, index, views } = this.#parts;
        const [projections, memories, logEvents, valkey] = await Promise.all([
            projectionStatus(redis, keys, views),
            countRecords({ redis, keys }),
            log.size(),
            readVitals(redis),
        ]);
        return {
            projections: projections.map(({ name, lagEvents, lagSeconds, deadLetters, degraded }) => ({
                name,
                lagEvents,
                lagSeconds,
                deadLetters,
                degraded: degraded.size,
            })),
            memories,
            vectorsPending: index.serving?.missing.size ?? 0,
            vectorsRefused: index.serving?.refused.size ?? 0,
            logEvents,
            valkey: valkey.numbers,
        };
    }
    async #examine() {
        const { index, keeper, provider, supervised, config, now } = this.#parts;
        const { state, modelId, reason } = provider.status();
        const supervisor = supervised?.();
        const { store, outage, lag } = await this.#store();
        const serving = index.serving;
        return {
            store,
            outage,
            index: { documents: index.documents.size, caughtUp: index.progress.everCaughtUp, degraded: index.degraded.size, lag },
            vectors: {
                serving: serving?.model.id,
                named: index.modelInLog?.id,
                pending: serving?.missing.size ?? index.documents.size,
                refused: serving?.refused.size ?? 0,
            },
            model: { state, id: modelId, reason },
            reembedding: keeper.reembedding,
            supervisor: supervisor && {
                restarts: supervisor.restarts,
                mode: supervisor.mode,
                answering: supervisor.answering,
                lastExit: supervisor.lastExit,
            },
            storeDiffers: this.#differs,
            dataDirFault: this.#dataDirFault,
            diskLow: await assertRoom(config.dataDir, config.minFreeBytes).then(() => undefined, (error) => error.message),
            now: now(),
        };
    }
    async #store() {
        const { log, redis, keys, index, views, eraser } = this.#parts;
        try {
            const head = await log.head();
            const outcome = head && index.progress.everCaughtUp ? await index.progress.waitFor(head.position, INDEX_PATIENCE_MS) : 'reached';
            const [vitals, projections, events, counts, erasuresPending] = await Promise.all([
                readVitals(redis),
                projectionStatus(redis, keys, views),
                log.size(),
                countRecords({ redis, keys }),
                eraser.pending(),
            ]);
            const records = {};
            for (const { namespace, count } of counts)
                records[namespace] = (records[namespace] ?? 0) + count;
            return {
                store: { vitals, projections, events, head: head?.position ?? null, records, erasuresPending },
                outage: undefined,
                lag: outcome === 'late' ? 'behind' : 'none',
            };
        }
        catch (error) {
            return { store: undefined, outage: error instanceof Error ? error.message : 'unknown', lag: 'none' };
        }
    }
}
//# sourceMappingURL=examiner.js.map