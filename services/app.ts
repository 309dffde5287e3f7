import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { catalogue } from '../domain/catalogue.js';
import { ORIGIN } from '../domain/envelope.js';
import { DomainError } from '../domain/errors.js';
import { RECALL_MIN_SCORE } from '../domain/fusion.js';
import { MINILM_THRESHOLDS } from '../domain/similarity.js';
import { TEXT_EDITION } from '../domain/text/tokens.js';
import { correlations, readCorrelation } from '../projections/correlations.js';
import { servingGeneration, withServing } from '../projections/generation.js';
import { createKeys, type Keys } from '../projections/keys.js';
import { memories } from '../projections/memories.js';
import { RecallIndex } from '../projections/recall/recall-index.js';
import type { RecallIndexParts } from '../projections/recall/recall-index-parts.js';
import { createRunner, type Runner } from '../projections/runner.js';
import { InMemoryLexicalIndex } from '../projections/search/lexical.js';
import type { SearchModule } from '../projections/search/valkey/module.js';
import { chooseSearch, retireVectors, searchRowsOf, sweepVectors, valkeyVectors } from '../projections/search/valkey/space.js';
import { InProcessVectorIndex } from '../projections/search/vectors.js';
import { readTimeline, timeline } from '../projections/timeline.js';
import type { App } from './api.js';
import { BackupJob } from './backup/job.js';
import { createBackups } from './backup/service.js';
import { textClaim } from './commands/claims.js';
import { documentMembers } from './commands/document-members.js';
import { createEnriching } from './commands/enriching.js';
import { createForgetPlans } from './commands/forget-plan.js';
import { resumeErasures } from './commands/forget-run.js';
import { createCommands } from './commands/index.js';
import { MAINTENANCE_LEASE } from './commands/maintenance/lease.js';
import type { CommandParts } from './commands/parts.js';
import { textRows } from './commands/text-rows.js';
import type { Config } from './config.js';
import { lexicalReason, otherModelNote } from './embedding/lexical-reason.js';
import type { Embedder } from './embedding/port.js';
import type { EmbedderProvider } from './embedding/provider.js';
import { ProcessRegister } from './erasure/register.js';
import { guarded, roomKeeper } from './eventlog/guarded.js';
import { type EventLog, openEventLog } from './eventlog/log.js';
import { type Random, systemRandom } from './eventlog/random.js';
import { createFreshness } from './freshness.js';
import { Examiner } from './health/examiner.js';
import { momentsOf } from './history/moments.js';
import { createBriefedMaintenance } from './jobs/briefed-maintenance.js';
import { Enricher } from './jobs/enricher.js';
import { ENRICHER_LEASE } from './jobs/enricher-board.js';
import { ERASER_LEASE, Eraser } from './jobs/eraser.js';
import { MaintenanceJob } from './jobs/maintenance.js';
import { judgeContradiction } from './llm/judge.js';
import { openModel } from './llm/open.js';
import type { Model } from './llm/port.js';
import type { Logger } from './log.js';
import { createMetrics } from './ops/metrics.js';
import { Reindexer } from './ops/reindex.js';
import { createExpander } from './queries/expansion.js';
import { createQueries } from './queries/index.js';
import { bestMatches } from './queries/matches.js';
import type { QueryParts } from './queries/parts.js';
import { watchLogOf } from './restored-log.js';
import { createSessionReads } from './session-reads.js';
import { connect, type ValkeyTarget } from './valkey/client.js';
import { unavailableWhenDown } from './valkey/errors.js';
import { placeOf } from './valkey/place.js';
import type { ValkeyStatus } from './valkey/supervisor.js';
import { rememberModel } from './vectors/fill.js';
import { VectorKeeper } from './vectors/keeper.js';
import { modelsOf, RetiredModels } from './vectors/retired.js';
import { VERSION } from './version.js';
import { PROJECTIONS, VIEW_NAMES } from './views.js';

/** Milliseconds within which any log is read. */
const INDEX_READ_MS = 2 ** 31 - 1;

export type AppOptions = {
  readonly config: Config;
  readonly logger: Logger;
  readonly target: ValkeyTarget;
  readonly cluster?: boolean;
  readonly provider: EmbedderProvider;
  /** How the managed server is; absent when the server is not ours. */
  readonly supervised?: (() => ValkeyStatus) | undefined;
  /** False for a process that only reads and writes the log and leaves the views to another. */
  readonly projects?: boolean;
  /** Called once when another log took the place of the one that was opened: from then on the app refuses, and has to be opened anew. */
  readonly onReplaced?: (() => void) | undefined;
  /** In place of the language model that the settings name. */
  readonly model?: Model | undefined;
  /** Milliseconds of the first pause after a failed enrichment and of the longest. */
  readonly enrichmentBackoff?: { readonly first: number; readonly longest: number } | undefined;
  readonly random?: Random;
  readonly now?: () => number;
};

export type OpenApp = {
  readonly app: App;
  readonly log: EventLog;
  readonly keys: Keys;
  readonly redis: Redis;
  readonly index: RecallIndex;
  readonly runner: Runner;
  readonly keeper: VectorKeeper;
  readonly queryParts: QueryParts;
  /** Finishes what runs, gives up the leases and closes the connections. */
  readonly close: () => Promise<void>;
};

/** Opens the product over a Valkey: log, views, search, jobs, commands and queries. Throws UNAVAILABLE when it cannot be reached. */
export const openApp = async (options: AppOptions): Promise<OpenApp> => {
  const { config, logger, target, provider, random = systemRandom(), now = Date.now } = options;
  const keys = createKeys(config.tenant, options.cluster ?? false);
  const onError = (error: Error): void => logger.debug({ err: error }, 'a connection to Valkey broke');
  const { at } = placeOf(config.tenant, options.cluster ?? false);
  const open = (kind: Parameters<typeof connect>[1], name: string) =>
    connect(target, kind, { name: `omnimem-${name}`, commandTimeoutMs: 5_000, onError, ...at });
  const connections = { append: open('append', 'append'), read: open('general', 'read'), blocking: open('blocking', 'tail') };
  const work = open('general', 'work');
  const disconnect = (): void => {
    for (const connection of [...Object.values(connections), work]) connection.disconnect();
  };
  const onTrouble = (message: string, error?: unknown): void => logger.warn({ err: error }, message);

  let rawLog: EventLog;
  let searching: SearchModule;
  try {
    rawLog = await openEventLog(connections, keys, { random, now });
    searching = await unavailableWhenDown(() => chooseSearch(connections.read, keys, options.cluster ?? false, config.vectorEngine));
  } catch (error) {
    disconnect();
    throw error;
  }
  const redis = connections.read;
  if (searching.usable || searching.version !== undefined) logger[searching.usable ? 'info' : 'warn'](searching.reason);
  const metrics = createMetrics(() => examiner.vitals(), VERSION);
  const model = options.model ?? openModel(config.llm, metrics.llmCall);
  const log = guarded(
    rawLog,
    metrics,
    roomKeeper(config.dataDir, config.minFreeBytes, config.backup.byToken ? 'its data folder' : undefined),
  );

  const indexParts: RecallIndexParts = {
    log,
    redis: work,
    keys,
    createLexical: () => new InMemoryLexicalIndex(),
    retireVectors: searching.usable ? (model) => retireVectors(redis, keys, model) : undefined,
    createVectors: searching.usable ? valkeyVectors(redis, keys) : (dimension) => new InProcessVectorIndex({ dimension }),
    snapshot: {
      directory: join(config.dataDir, 'index', config.tenant),
      edition: [VERSION, TEXT_EDITION, catalogue.fingerprint, searching.usable ? 'vectors elsewhere' : 'vectors'].join(' '),
    },
    onVectorsRead: (hits, misses) => {
      metrics.embeddingCache('hit', hits);
      metrics.embeddingCache('miss', misses);
    },
    generation: () => servingGeneration(work, keys, memories.name),
    onTrouble,
  };
  const index = new RecallIndex(indexParts);
  const runner = createRunner({ redis: work, keys, log, fingerprint: catalogue.fingerprint, logger, now }, PROJECTIONS);
  const keeper = new VectorKeeper({ log, redis: work, keys, index, random, now, embedder: () => provider.current(), onTrouble });
  const eraser = new Eraser({
    log,
    redis: work,
    keys,
    random,
    now,
    managed: options.supervised !== undefined,
    resume: async (silentSeconds) => {
      // Facts are found by the index.
      if ((await index.progress.waitFor('end', INDEX_READ_MS)) === 'reached')
        await resumeErasures(commandParts, silentSeconds, stopping.signal);
    },
    unfinished: () => commandParts.plans.unfinished(),
    sweepRows: searching.usable ? async (signal) => (await sweepVectors(redis, keys, signal)).size : undefined,
    onTrouble,
  });
  const register = new ProcessRegister({
    redis: work,
    keys,
    id: random.ulid(now()),
    name: `process ${process.pid}`,
    erasures: log.erasures,
    head: log.head,
    position: () => (index.snapshot?.mayHoldForgotten ? ORIGIN : index.position),
    drop: () => momentsOf(searchParts).clear(),
    models: () => modelsOf(index),
  });
  const backupParts = { log, redis: work, keys, random, now, settings: config.backup };
  const backupJob = new BackupJob({ ...backupParts, dataDir: config.dataDir, onTrouble });
  const stopping = new AbortController();
  const reindexer = new Reindexer({
    redis: work,
    keys,
    index,
    createIndex: () => new RecallIndex({ ...indexParts, snapshot: undefined }),
    sweep: (signal) => sweepVectors(redis, keys, signal),
    views: VIEW_NAMES,
    now,
    signal: stopping.signal,
  });

  const freshness = createFreshness({
    redis,
    keys,
    log,
    index,
    views: VIEW_NAMES,
    runner: options.projects === false ? undefined : runner,
    onTrouble,
  });
  const embedderFor = async (modelId: string): Promise<Embedder | undefined> => {
    const current = provider.current();
    return current?.identity.id === modelId ? current : provider.forModel(modelId);
  };
  const thresholds = (model: Embedder | undefined) => ({
    duplicate: config.duplicateThreshold ?? model?.identity.thresholds.duplicate ?? MINILM_THRESHOLDS.duplicate,
    contradiction: config.contradictionThreshold ?? model?.identity.thresholds.contradiction ?? MINILM_THRESHOLDS.contradiction,
  });

  const reads = createSessionReads();
  const queryParts: QueryParts = {
    reads,
    log,
    redis,
    keys,
    index,
    now,
    embedderFor,
    lexicalBecause: () => lexicalReason(provider, index),
    scoring: { deprioritisedWeight: config.recall.deprioritisedWeight, recencyDecayDays: config.recall.recencyDecayDays },
    topK: config.recall.topK,
    model,
    expansion: { byDefault: config.recall.expand, expand: createExpander(model, config.recall.expandCount) },
    staleMemoryDays: config.staleMemoryDays,
    floor: (searched) => config.recall.minScore ?? searched?.thresholds.recallFloor ?? RECALL_MIN_SCORE,
    vectorsNote: (served) => (keeper.reembedding ? undefined : otherModelNote(provider, served)),
    maxTokens: config.mcp.maxResponseTokens,
    fresh: freshness.stale,
    onBriefed: (project) => briefedMaintenance.briefed(project),
    observe: metrics.recallStage,
    onTrouble,
  };
  const searchParts = { ...queryParts, duplicateThreshold: () => thresholds(provider.current()).duplicate };
  const commandParts: CommandParts = {
    reads,
    log,
    redis,
    keys,
    index,
    random,
    now,
    embedder: () => (config.embedding.choice === 'none' ? 'off' : provider.current()),
    thresholds,
    defaultMode: config.ingestMode,
    enriching: createEnriching({ on: model !== undefined, batch: config.enrichment.batch }),
    model,
    maintenance: config.maintenance,
    judge: model && ((a, b, signal) => judgeContradiction(model, a, b, signal)),
    deprioritisedWeight: config.recall.deprioritisedWeight,
    reindexer,
    settled: freshness.settled,
    fresh: async () => void (await freshness.stale()),
    bestMatches: (query, includeArchived) => bestMatches({ ...queryParts, claimOf: textClaim }, query, includeArchived),
    rowsOf: async (key) => [...(await textRows(redis, keys, key)), ...(await unavailableWhenDown(() => searchRowsOf(redis, keys, key)))],
    noteModel: (model) => rememberModel(redis, keys, model),
    documentMembers: (documents) => documentMembers(redis, keys, documents),
    versionOf: (subject) => unavailableWhenDown(async () => Number((await redis.hget(keys.payloads(subject), 'v')) ?? 0)),
    plans: createForgetPlans(connections.append, keys),
    madeBy: (correlation) =>
      unavailableWhenDown(() =>
        withServing(redis, keys, correlations.name, (generation) => readCorrelation(redis, keys, generation, correlation)),
      ),
    linesOf: (subject, versions) =>
      unavailableWhenDown(() =>
        withServing(redis, keys, timeline.name, (generation) => readTimeline(redis, keys, generation, subject, versions)),
      ),
    models: () => unavailableWhenDown(() => redis.smembers(keys.models)),
    onErased: () => {
      momentsOf(searchParts).clear();
      eraser.poke();
      backupJob.poke();
      return options.supervised ? 'pending' : 'external';
    },
    unlisted: () => backupJob.unlisted(),
  };

  const enricher =
    model &&
    new Enricher({
      commands: commandParts,
      model,
      concurrency: config.llm.concurrency,
      ...config.enrichment,
      backoff: options.enrichmentBackoff,
      onTrouble,
    });
  const maintenanceJob = new MaintenanceJob({ ...commandParts, onTrouble });
  const briefedMaintenance = createBriefedMaintenance({ ...commandParts, onTrouble });

  const examiner = new Examiner({
    config,
    log,
    redis,
    keys,
    index,
    runner,
    keeper,
    eraser,
    backups: backupJob,
    provider,
    model,
    views: VIEW_NAMES,
    searching,
    supervised: options.supervised,
    now,
  });

  // A server of our own serves nobody else, so whoever held a view is dead and need not be waited for.
  if (options.supervised && options.projects !== false) {
    await work
      .del([...[...VIEW_NAMES, ENRICHER_LEASE, ERASER_LEASE, MAINTENANCE_LEASE].map(keys.lease), keys.processes])
      .catch((error: unknown) => onTrouble('old leases could not be taken away', error));
  }
  const running = options.projects === false ? Promise.resolve() : runner.run(stopping.signal);
  index.start();
  register.start();
  // One list, so that whatever is started is closed.
  const retired = new RetiredModels({ redis, keys, index, inServer: searching.usable, onTrouble });
  const jobs = [keeper, eraser, ...(enricher ? [enricher] : []), maintenanceJob, backupJob, retired];
  if (options.projects !== false) for (const job of jobs) job.start();
  provider.onChange(() => keeper.poke());
  await examiner.start();

  const whole: App = {
    commands: createCommands(commandParts),
    queries: createQueries(searchParts, () => examiner.health()),
    backups: createBackups({ ...backupParts, target, dataDir: config.dataDir }),
    whenReady: async (timeoutMs, onWait, signal) => {
      signal?.throwIfAborted();
      if (index.progress.everCaughtUp && viewsBegun) return;
      onWait?.('the views of the log');
      const outcome = await index.progress.waitFor('end', timeoutMs, signal);
      signal?.throwIfAborted();
      if (outcome === 'late')
        throw new DomainError('UNAVAILABLE', 'The views of the log are still being read', 'Try again in a moment; nothing is lost');
      await freshness.begun(signal);
      viewsBegun = true;
    },
    metrics: metrics.render,
    countToolCall: metrics.toolCall,
  };

  let viewsBegun = false;
  const watch = watchLogOf({ app: whole, redis, keys, log: rawLog }, () => {
    // Nothing goes on that knows the old log: its salt, its places, its text.
    stopping.abort();
    momentsOf(searchParts).clear();
    void Promise.allSettled(jobs.map((job) => job.close()));
    options.onReplaced?.();
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      watch.stop();
      stopping.abort();
      // Whoever waits for the index, which may never have come up, stops waiting.
      index.progress.close();
      await Promise.allSettled([
        ...jobs.map((job) => job.close()),
        reindexer.close(),
        briefedMaintenance.close(),
        examiner.close(),
        register.close(),
      ]);
      momentsOf(searchParts).clear();
      await Promise.allSettled([running, index.close()]);
      log.close();
      disconnect();
    })();
    return closed;
  };
  return { app: watch.app, log, keys, redis, index, runner, keeper, queryParts, close };
};
