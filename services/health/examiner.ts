import { dirname } from 'node:path';
import type { Redis } from 'iovalkey';
import { millisOf } from '../../projections/history/cut.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { Runner } from '../../projections/runner.js';
import type { SearchModule } from '../../projections/search/valkey/module.js';
import { projectionStatus } from '../../projections/status.js';
import type { HealthResult } from '../api.js';
import type { BackupJob } from '../backup/job.js';
import { restoringNow } from '../backup/restoring.js';
import type { Config } from '../config.js';
import { assertRoom } from '../disk.js';
import type { EmbedderProvider } from '../embedding/provider.js';
import type { Erasing } from '../erasure/issues.js';
import type { EventLog } from '../eventlog/log.js';
import type { Eraser } from '../jobs/eraser.js';
import type { Model } from '../llm/port.js';
import type { Vitals } from '../ops/metrics.js';
import { readMarker, type StoreMarker, storeDiffers, writeMarker } from '../ops/store-marker.js';
import { readVitals } from '../ops/valkey-vitals.js';
import { countRecords, type Examination, healthOf } from '../queries/health.js';
import { enrichmentStanding } from '../queries/queue.js';
import type { ValkeyStatus } from '../valkey/supervisor.js';
import type { VectorKeeper } from '../vectors/keeper.js';
import { withoutPaths } from './unpathed.js';

export type ExaminerParts = {
  readonly config: Config;
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: RecallIndex;
  readonly runner: Runner;
  readonly keeper: VectorKeeper;
  readonly eraser: Eraser;
  readonly backups: BackupJob;
  readonly provider: EmbedderProvider;
  /** The language model; undefined without a key. */
  readonly model: Model | undefined;
  readonly views: readonly string[];
  readonly searching: SearchModule;
  readonly supervised: (() => ValkeyStatus) | undefined;
  readonly now: () => number;
};

const MARK_EVERY_MS = 10_000;
/** The in-process index may be this far behind the head at any moment without being ill. */
const INDEX_PATIENCE_MS = 1_000;

/** Looks at everything that health and metrics report, and keeps the marker that tells an empty store from a new one. */
export class Examiner {
  #parts: ExaminerParts;
  /** What was here when it was last looked at, by this process or the one before. */
  #before: StoreMarker | undefined;
  #differs: string | undefined;
  #dataDirFault: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = performance.now();

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
  }

  /** Compares the store with the one that was here last time, before anything new is noted. */
  async start(): Promise<void> {
    const { config } = this.#parts;
    this.#before = await readMarker(config.dataDir, config.tenant);
    await this.#mark();
    this.#timer = setInterval(() => void this.#mark(), MARK_EVERY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#mark();
  }

  /** Notes what is here now, unless it is less than what was here: then the old marker is the evidence. */
  async #mark(): Promise<void> {
    const { config } = this.#parts;
    const noted = await readMarker(config.dataDir, config.tenant);
    // A restore notes the store that it leaves here; it may have been seen before that.
    const restored = noted !== undefined && noted.log_id !== this.#before?.log_id;
    if (this.#differs && !restored) return;
    const before = restored ? noted : this.#before;
    const found = await this.#look().catch(() => undefined);
    if (!found) return;
    this.#differs = storeDiffers(before, found);
    if (this.#differs) return;
    if (restored || found.events >= (this.#before?.events ?? 0)) this.#before = found;
    try {
      await writeMarker(config.dataDir, config.tenant, found);
      this.#dataDirFault = undefined;
    } catch (error) {
      this.#dataDirFault = (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  }

  async #look(): Promise<StoreMarker> {
    const { log, redis, keys, now } = this.#parts;
    const [logId, events] = await Promise.all([redis.hget(keys.meta, 'log_id'), log.size()]);
    return { log_id: logId ?? 'without a name', events, seen_at: new Date(now()).toISOString() };
  }

  async health(): Promise<HealthResult> {
    const { config, log, index } = this.#parts;
    await this.#mark();
    const health = healthOf(await this.#examine(), {
      indexes: { ...index.stats(), search: { asked: config.vectorEngine, ...this.#parts.searching } },
      uptime_seconds: Math.round((performance.now() - this.#startedAt) / 100) / 10,
      data_dir: config.backup.byToken ? undefined : config.dataDir,
      logId: log.logId,
    });
    if (!config.backup.byToken) return health;
    return withoutPaths(health, [config.backup.dir, dirname(config.backup.dir), config.dataDir, config.embedding.modelDir]);
  }

  /** For the metrics. Rejects when Valkey does not answer. */
  async vitals(): Promise<Vitals> {
    const { log, redis, keys, index, views } = this.#parts;
    const [projections, memories, logEvents, valkey, enrichment, backup, head] = await Promise.all([
      projectionStatus(redis, keys, views),
      countRecords({ redis, keys }),
      log.size(),
      readVitals(redis),
      enrichmentStanding(this.#parts).catch(() => undefined),
      this.#parts.backups.status(),
      log.head(),
    ]);
    return {
      backup: { newestAt: backup.newestAt, bytes: backup.bytes },
      projections: projections.map(({ name, lagEvents, lagSeconds, deadLetters, degraded, verified, replayed }) => ({
        name,
        lagEvents,
        lagSeconds,
        deadLetters,
        degraded: degraded.size,
        verified,
        replayed,
      })),
      memories,
      vectorsPending: index.serving?.missing.size ?? 0,
      vectorsRefused: index.serving?.refused.size ?? 0,
      logEvents,
      logHeadAt: head && millisOf(head.position),
      enrichment: enrichment && { pending: enrichment.pending, running: enrichment.running, parked: enrichment.parked },
      valkey: valkey.numbers,
    };
  }

  async #examine(): Promise<Examination> {
    const { index, keeper, provider, supervised, config, now } = this.#parts;
    const { state, modelId, reason } = provider.status();
    const supervisor = supervised?.();
    const { store, outage, lag } = await this.#store();
    const serving = index.serving;
    return {
      store,
      outage,
      index: {
        documents: index.memories,
        caughtUp: index.progress.everCaughtUp,
        degraded: index.degraded.size,
        lag,
        unkept: index.snapshot?.unusable,
      },
      vectors: {
        serving: serving?.model.id,
        named: index.modelInLog?.id,
        pending: state === 'off' ? 0 : (serving?.missing.size ?? index.documents.size),
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
      backup: await this.#parts.backups.status().catch(() => undefined),
      restoring: await restoringNow(this.#parts.redis, this.#parts.keys, now()).catch(() => undefined),
      search: {
        ...this.#parts.searching,
        indexes: serving?.stats() ?? {},
        // It is the store's other findings that tell an outage.
        phantoms: (await serving?.phantoms().catch(() => undefined)) ?? {},
      },
      enrichment: await enrichmentStanding(this.#parts).catch(() => undefined),
      storeDiffers: this.#differs,
      erasing: await this.#erasing().catch(() => undefined),
      dataDirFault: this.#dataDirFault,
      diskLow: await assertRoom(config.dataDir, config.minFreeBytes).then(
        () => undefined,
        (error: Error) => error.message,
      ),
      now: now(),
    };
  }

  async #erasing(): Promise<Erasing> {
    const { eraser } = this.#parts;
    return { ...(await eraser.unfinished()), late: await eraser.late() };
  }

  async #store(): Promise<{ store: Examination['store']; outage: string | undefined; lag: 'none' | 'behind' }> {
    const { log, redis, keys, index, views, eraser } = this.#parts;
    try {
      const head = await log.head();
      const outcome = head && index.progress.everCaughtUp ? await index.progress.waitFor(head.position, INDEX_PATIENCE_MS) : 'reached';
      const [vitals, projections, events, counts, erasures] = await Promise.all([
        readVitals(redis),
        projectionStatus(redis, keys, views),
        log.size(),
        countRecords({ redis, keys }),
        eraser.waiting(),
      ]);
      const records: Record<string, number> = {};
      for (const { namespace, count } of counts) records[namespace] = (records[namespace] ?? 0) + count;
      return {
        store: { vitals, projections, events, head: head?.position ?? null, records, erasures },
        outage: undefined,
        lag: outcome === 'late' ? 'behind' : 'none',
      };
    } catch (error) {
      return { store: undefined, outage: error instanceof Error ? error.message : 'unknown', lag: 'none' };
    }
  }
}
