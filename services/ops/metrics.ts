import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Replayed, Verified } from '../../projections/outcomes.js';
import type { OnModelCall } from '../llm/model.js';
import type { RecallStage } from '../queries/parts.js';

/** What the gauges show, read at the moment somebody scrapes. */
export type Vitals = {
  readonly projections: readonly {
    readonly name: string;
    readonly lagEvents: number;
    readonly lagSeconds: number;
    readonly deadLetters: number;
    readonly degraded: number;
    readonly verified: Verified | undefined;
    readonly replayed: Replayed | undefined;
  }[];
  readonly memories: readonly { readonly namespace: string; readonly state: string; readonly count: number }[];
  readonly vectorsPending: number;
  readonly vectorsRefused: number;
  readonly logEvents: number;
  /** Epoch milliseconds of the newest entry's place; undefined for an empty log. */
  readonly logHeadAt: number | undefined;
  /** Absent while its view is being built. */
  readonly enrichment: { readonly pending: number; readonly parked: number; readonly running: number } | undefined;
  /** `newestAt` in epoch milliseconds; undefined while there is none. */
  readonly backup: { readonly newestAt: number | undefined; readonly bytes: number };
  readonly valkey: Readonly<Record<string, number>>;
};

const STAGE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** The product's figures in a registry of their own. Labels never hold text of a memory. */
export const createMetrics = (vitals: () => Promise<Vitals>, version: string) => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'omnimem_' });
  new Gauge({ name: 'omnimem_info', help: 'Version of the running program', labelNames: ['version'], registers }).set({ version }, 1);
  const appends = new Counter({
    name: 'omnimem_events_appended_total',
    help: 'Events this process appended to the log',
    labelNames: ['type'],
    registers,
  });
  const refusals = new Counter({
    name: 'omnimem_appends_refused_total',
    help: 'Appends that the log refused (version conflicts, claims, erasures)',
    labelNames: ['reason'],
    registers,
  });
  const stages = new Histogram({
    name: 'omnimem_recall_stage_seconds',
    help: 'Time spent in each stage of a recall',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS,
    registers,
  });
  const toolCalls = new Counter({ name: 'omnimem_tool_calls_total', help: 'MCP tool calls', labelNames: ['tool', 'outcome'], registers });
  const toolSeconds = new Histogram({
    name: 'omnimem_tool_call_seconds',
    help: 'Time that MCP tool calls took',
    labelNames: ['tool'],
    buckets: CALL_BUCKETS,
    registers,
  });
  const embeddings = new Counter({
    name: 'omnimem_embedding_cache_total',
    help: 'Vectors asked of the cache (hit, miss)',
    labelNames: ['outcome'],
    registers,
  });

  const llmCalls = new Counter({
    name: 'omnimem_llm_calls_total',
    help: 'Calls to language models (ok, or what went wrong)',
    labelNames: ['purpose', 'outcome'],
    registers,
  });
  const llmTokens = new Counter({
    name: 'omnimem_llm_tokens_total',
    help: 'Tokens that calls to language models cost',
    labelNames: ['purpose', 'direction'],
    registers,
  });

  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const up = gauge('omnimem_valkey_up', 'Whether Valkey answered at this scrape');
  const lagEvents = gauge('omnimem_projection_lag_events', 'Events of the log that a view has not passed', ['projection']);
  const lagSeconds = gauge('omnimem_projection_lag_seconds', 'Age of the oldest event that a view has not passed', ['projection']);
  const deadLetters = gauge('omnimem_dead_letters', 'Events that a view could not use', ['projection']);
  const degraded = gauge('omnimem_degraded_subjects', 'Subjects that stand still behind a dead letter', ['projection']);
  const memories = gauge('omnimem_memories_total', 'Memories by namespace and state', ['namespace', 'state']);
  const pending = gauge('omnimem_vectors_pending', 'Memories that wait for a vector');
  const refused = gauge('omnimem_vectors_refused', 'Memories whose stored vector was refused');
  const logEvents = gauge('omnimem_log_events', 'Entries of the event log');
  const logHead = gauge('omnimem_log_head_timestamp_seconds', "Time in the place of the log's newest entry; 0 for an empty log");
  const verifyAt = gauge('omnimem_verify_timestamp_seconds', 'When a view was last verified', ['projection']);
  const verifyEqual = gauge('omnimem_verify_equal', 'Whether the last verify found a view equal to its replay (1) or not (0)', [
    'projection',
  ]);
  const verifyRows = gauge('omnimem_verify_rows_differing', 'Rows that the last verify of a view found to differ', ['projection']);
  const replayAt = gauge('omnimem_replay_timestamp_seconds', 'When the last replay of a view ended', ['projection']);
  const replaySeconds = gauge('omnimem_replay_duration_seconds', 'How long the last replay of a view took', ['projection']);
  const replayRate = gauge('omnimem_replay_events_per_second', 'Events in a second of the last replay of a view', ['projection']);
  const enrichment = gauge('omnimem_enrichment_memories', 'Memories whose facts are pending, running (of those) or parked', ['state']);
  const backupAge = gauge(
    'omnimem_backup_age_seconds',
    'Seconds since the newest backup of this log was brought up to date; -1 without one',
  );
  // Until a backup was seen there is none.
  backupAge.set(-1);
  const backupBytes = gauge('omnimem_backup_bytes', 'Bytes of all backups of this log');
  const valkey = gauge('omnimem_valkey', "Valkey's own vitals, by name", ['vital']);

  const read = async (): Promise<void> => {
    try {
      const now = await vitals();
      up.set(1);
      for (const view of now.projections) {
        lagEvents.set({ projection: view.name }, view.lagEvents);
        lagSeconds.set({ projection: view.name }, view.lagSeconds);
        deadLetters.set({ projection: view.name }, view.deadLetters);
        degraded.set({ projection: view.name }, view.degraded);
        const { verified, replayed } = view;
        if (verified) {
          verifyAt.set({ projection: view.name }, verified.at / 1000);
          verifyEqual.set({ projection: view.name }, verified.equal ? 1 : 0);
          verifyRows.set({ projection: view.name }, verified.differing);
        }
        if (replayed) {
          replayAt.set({ projection: view.name }, replayed.at / 1000);
          replaySeconds.set({ projection: view.name }, replayed.ms / 1000);
          replayRate.set({ projection: view.name }, replayed.events / Math.max(0.001, replayed.ms / 1000));
        }
      }
      for (const { namespace, state, count } of now.memories) memories.set({ namespace, state }, count);
      pending.set(now.vectorsPending);
      refused.set(now.vectorsRefused);
      logEvents.set(now.logEvents);
      logHead.set((now.logHeadAt ?? 0) / 1000);
      for (const [state, count] of Object.entries(now.enrichment ?? {})) enrichment.set({ state }, count);
      backupAge.set(now.backup.newestAt === undefined ? -1 : Math.max(0, (Date.now() - now.backup.newestAt) / 1000));
      backupBytes.set(now.backup.bytes);
      for (const [vital, value] of Object.entries(now.valkey)) valkey.set({ vital }, value);
    } catch {
      up.set(0);
    }
  };

  return {
    /** Prometheus text, with the gauges read now. Never rejects for an outage: `omnimem_valkey_up` says it. */
    render: async (): Promise<{ readonly contentType: string; readonly body: string }> => {
      await read();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    appended: (type: string) => appends.inc({ type }),
    refused: (reason: string) => refusals.inc({ reason }),
    recallStage: (stage: RecallStage, milliseconds: number) => stages.observe({ stage }, milliseconds / 1000),
    toolCall: (tool: string, outcome: string, milliseconds: number) => {
      toolCalls.inc({ tool, outcome });
      toolSeconds.observe({ tool }, milliseconds / 1000);
    },
    llmCall: ((purpose, outcome, usage) => {
      llmCalls.inc({ purpose, outcome });
      if (!usage) return;
      llmTokens.inc({ purpose, direction: 'input' }, usage.input);
      llmTokens.inc({ purpose, direction: 'output' }, usage.output);
    }) satisfies OnModelCall,
    embeddingCache: (outcome: 'hit' | 'miss', count = 1) => embeddings.inc({ outcome }, count),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
