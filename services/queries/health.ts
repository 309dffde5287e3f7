import { NAMESPACES, STATES } from '../../domain/vocabulary.js';
import { countSets, sets } from '../../projections/counters.js';
import { servingGeneration } from '../../projections/generation.js';
import type { ProjectionStatus } from '../../projections/status.js';
import type { HealthIssue, HealthResult } from '../api.js';
import { type BackupStanding, backupIssues, type RestoreStanding } from '../backup/issues.js';
import { diskIssues, type Erasing, erasureIssues } from '../erasure/issues.js';
import { type SearchFacts, searchIssues } from '../health/search.js';
import { standingOf, verifyIssues } from '../health/views.js';
import type { ValkeyVitals } from '../ops/valkey-vitals.js';
import type { QueryParts } from './parts.js';
import { type EnrichmentStanding, isFailing } from './queue.js';

/** What health looks at, read at one moment. Absent `store` means that Valkey did not answer. */
export type Examination = {
  readonly store:
    | {
        readonly vitals: ValkeyVitals;
        readonly projections: readonly ProjectionStatus[];
        readonly events: number;
        readonly head: string | null;
        readonly records: Readonly<Record<string, number>>;
        /** How many wait for the files to be rewritten, and why the server refuses to. */
        readonly erasures: { readonly count: number; readonly refused: string | undefined };
      }
    | undefined;
  readonly outage: string | undefined;
  readonly index: {
    readonly documents: number;
    readonly caughtUp: boolean;
    readonly degraded: number;
    readonly lag: 'none' | 'behind';
    /** The folder for the index's files, and why it cannot be used. */
    readonly unkept?: string | undefined;
  };
  readonly vectors: {
    readonly serving: string | undefined;
    readonly named: string | undefined;
    readonly pending: number;
    readonly refused: number;
  };
  readonly model: {
    readonly state: 'off' | 'loading' | 'ready' | 'failed';
    readonly id: string | undefined;
    readonly reason: string | undefined;
  };
  readonly reembedding: { readonly model: string; readonly done: number; readonly total: number } | undefined;
  readonly supervisor:
    | {
        readonly restarts: number;
        readonly mode: string;
        readonly answering: boolean;
        readonly lastExit: { readonly at: number; readonly reason: string; readonly hint: string } | undefined;
      }
    | undefined;
  /** How backups stand. */
  readonly backup?: BackupStanding | undefined;
  /** A restore that writes now, or was left unfinished. */
  readonly restoring?: RestoreStanding | undefined;
  /** What serves the vectors, and the state of its indexes. */
  readonly search?: SearchFacts | undefined;
  /** How enrichment stands; absent when it could not be read. */
  readonly enrichment?: EnrichmentStanding | undefined;
  readonly erasing?: Erasing | undefined;
  readonly storeDiffers: string | undefined;
  readonly dataDirFault: string | undefined;
  readonly diskLow: string | undefined;
  readonly now: number;
};

/** A view this far behind for this long is wrong, not merely late. */
const LAG_SECONDS = 10;
const RESTART_REMEMBERED_MS = 10 * 60 * 1000;
const MEMORY_FULL = 0.95;

const red = (code: string, message: string, hint: string): HealthIssue => ({ code, severity: 'red', message, hint });
const amber = (code: string, message: string, hint: string): HealthIssue => ({ code, severity: 'amber', message, hint });

/** Everything that makes memory wrong or in danger, worst first. Pure, so that every condition has a test. */
export const issuesOf = (examination: Examination): readonly HealthIssue[] =>
  [
    ...storeIssues(examination),
    ...viewIssues(examination),
    ...vectorIssues(examination),
    ...machineIssues(examination),
    ...backupIssues(examination),
    ...(examination.erasing ? erasureIssues(examination.erasing) : []),
    ...enrichmentIssues(examination),
    ...searchIssues(examination.search),
  ].sort((a, b) => (a.severity === b.severity ? 0 : a.severity === 'red' ? -1 : 1));

const storeIssues = ({ store, outage, storeDiffers, supervisor, now }: Examination): HealthIssue[] => {
  const issues: HealthIssue[] = [];
  if (!store) issues.push(red('VALKEY_DOWN', outage ?? 'Valkey does not answer', 'See the log; the managed server is restarted by itself'));
  if (storeDiffers) {
    issues.push(
      red('STORE_CHANGED', storeDiffers, 'Check OMNIMEM_DATA_DIR, VALKEY_URL and OMNIMEM_TENANT; restore a backup if the data is lost'),
    );
  }
  if (store && store.vitals.aofLastWrite !== 'ok' && store.vitals.numbers.aof_enabled === 1) {
    issues.push(red('NOT_DURABLE', 'Valkey could not write its append-only file', 'Look at the disk under the data folder'));
  }
  if (store && store.vitals.numbers.aof_enabled === 0) {
    issues.push(
      amber('NO_AOF', 'Valkey writes no append-only file: a crash may lose what it acknowledged', 'Set appendonly yes on that server'),
    );
  }
  const { used_memory: used = 0, maxmemory: limit = 0 } = store?.vitals.numbers ?? {};
  if (limit > 0 && used > MEMORY_FULL * limit) {
    issues.push(
      red(
        'MEMORY_FULL',
        `Valkey uses ${used} of ${limit} bytes; writes are or will be refused`,
        'Raise maxmemory, or forget what is not needed',
      ),
    );
  }
  const exit = supervisor?.lastExit;
  if (exit && now - exit.at < RESTART_REMEMBERED_MS) {
    issues.push(amber('VALKEY_RESTARTED', `Valkey ended and was started again (${supervisor.restarts} times): ${exit.reason}`, exit.hint));
  }
  if (supervisor && supervisor.mode !== 'normal') {
    issues.push(
      red('DISK_FULL', 'The disk is full: Valkey serves reads and forgetting only', 'Free some space; service resumes by itself'),
    );
  }
  if (store) issues.push(...diskIssues(store.erasures));
  return issues;
};

const viewIssues = ({ store, index }: Examination): HealthIssue[] => {
  const issues: HealthIssue[] = [];
  for (const view of store?.projections ?? []) {
    if (view.generation === undefined)
      issues.push(amber('VIEW_BUILDING', `The ${view.name} view is being built for the first time`, 'Wait for it'));
    else if (view.lagEvents > 0 && view.lagSeconds > LAG_SECONDS) {
      issues.push(
        red(
          'VIEW_BEHIND',
          `The ${view.name} view is ${view.lagEvents} events and ${Math.round(view.lagSeconds)} s behind`,
          'See the log for what stops it; omnimem doctor helps',
        ),
      );
    }
    if (view.degraded.size > 0 || view.deadLetters > 0) {
      const subjects = [...view.degraded].slice(0, 3).map(([subject, { code }]) => `${subject} (${code})`);
      issues.push(
        red(
          'DEAD_LETTERS',
          `The ${view.name} view could not use ${view.deadLetters} events; ${view.degraded.size} memories stand still${subjects.length > 0 ? `: ${subjects.join(', ')}` : ''}`,
          `Mend or remove the entries, then run omnimem replay --projection ${view.name}`,
        ),
      );
    }
    issues.push(...verifyIssues(view));
    if (view.rebuildFailed)
      issues.push(
        red(
          'REBUILD_FAILED',
          `The ${view.name} view could not be rebuilt: ${view.rebuildFailed}`,
          'The old one serves; mend the cause and replay',
        ),
      );
  }
  if (!index.caughtUp)
    issues.push(amber('INDEX_LOADING', 'The search index is still reading the log', 'Recall may miss memories for a moment'));
  else if (index.lag === 'behind')
    issues.push(red('INDEX_BEHIND', 'The search index does not follow the log', 'See the log; a restart rebuilds it'));
  if (index.unkept !== undefined)
    issues.push(
      amber(
        'INDEX_NOT_KEPT',
        `The search index cannot be kept in files: ${index.unkept}. Each start reads the whole log`,
        'Remove that folder, or give this user the right to; an older index in it may hold words of what was forgotten',
      ),
    );
  if (index.degraded > 0)
    issues.push(
      red(
        'INDEX_DEGRADED',
        `${index.degraded} memories stand still in the search index behind unreadable events`,
        'Mend or remove the entries, then replay',
      ),
    );
  const counted = Object.values(store?.records ?? {}).reduce((sum, count) => sum + count, 0);
  if (
    store &&
    index.caughtUp &&
    index.lag === 'none' &&
    store.projections.every(({ lagEvents, degraded }) => lagEvents === 0 && degraded.size === 0) &&
    counted !== index.documents
  ) {
    issues.push(
      red(
        'INDEX_DRIFT',
        `The search index holds ${index.documents} memories, the store ${counted}`,
        'Call reindex, or run omnimem reindex; if it stays, omnimem verify',
      ),
    );
  }
  return issues;
};

const vectorIssues = ({ vectors, model, reembedding, index }: Examination): HealthIssue[] => {
  const issues: HealthIssue[] = [];
  if (vectors.refused > 0) {
    issues.push(
      red(
        'VECTORS_REFUSED',
        `${vectors.refused} stored vectors were refused (wrong length, zero or NaN)`,
        'They are made anew while a model is ready; see omnimem doctor',
      ),
    );
  }
  if (model.state === 'failed')
    issues.push(
      red(
        'NO_MODEL',
        `No embedding model serves: ${model.reason ?? 'unknown'}`,
        'Recall is by words only. Run omnimem model fetch, or set OMNIMEM_MODEL_DIR',
      ),
    );
  else if (model.reason && model.state === 'ready')
    issues.push(
      amber(
        'SECOND_CHOICE_MODEL',
        `The second choice of model serves: ${model.reason}`,
        'It is replaced by itself when the better one arrives',
      ),
    );
  if (reembedding) {
    issues.push(
      amber(
        'REEMBEDDING',
        `Vectors of ${reembedding.model} are being made: ${reembedding.done} of ${reembedding.total}`,
        'Recall goes on with the old ones',
      ),
    );
  } else if (model.state === 'ready' && vectors.named !== undefined && model.id !== vectors.named) {
    issues.push(
      red(
        'MODEL_MISMATCH',
        `The vectors are of ${vectors.named}, the embedder is ${model.id}; the two are never mixed`,
        'Run omnimem reembed, or set EMBEDDING back',
      ),
    );
  } else if ((model.state === 'ready' || model.state === 'loading') && vectors.pending > 0) {
    const share = index.documents === 0 ? 0 : vectors.pending / index.documents;
    const text = `${vectors.pending} memories have no vector yet`;
    issues.push(
      share > 0.5 && vectors.pending > 100
        ? red('VECTORS_MISSING', text, 'They are being made; until then words find them')
        : amber('VECTORS_PENDING', text, 'They are being made; until then words find them'),
    );
  }
  return issues;
};

const machineIssues = ({ dataDirFault, diskLow }: Examination): HealthIssue[] => [
  ...(dataDirFault ? [red('DATA_DIR', `The data folder cannot be written: ${dataDirFault}`, 'Mend its rights or free some space')] : []),
  ...(diskLow ? [red('DISK_LOW', diskLow, 'Free some space; nothing new is stored until then')] : []),
];

const enrichmentIssues = ({ enrichment }: Examination): HealthIssue[] => {
  const issues: HealthIssue[] = [];
  const { trouble, parked = 0 } = enrichment ?? {};
  if (trouble?.stopped) {
    issues.push(
      amber(
        'ENRICHMENT_STOPPED',
        `No facts are drawn: ${trouble.message} (since ${trouble.since})`,
        'Mend ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL or FACT_EXTRACTION_MODEL and restart, or run omnimem enrich. Nothing was given up',
      ),
    );
  } else if (trouble && enrichment && isFailing(enrichment)) {
    issues.push(
      amber(
        'ENRICHMENT_FAILING',
        `The last ${trouble.count} attempts to draw facts failed: ${trouble.message} (since ${trouble.since})`,
        'They are tried again, ever more slowly; look at the service, or at the log of the server',
      ),
    );
  }
  if (parked > 0)
    issues.push(
      amber(
        'ENRICHMENT_PARKED',
        `${parked} memories were given up by enrichment`,
        'queue_status names them; omnimem enrich --parked tries again',
      ),
    );
  return issues;
};

/** How many live memories each namespace holds. */
export const countRecords = async ({
  redis,
  keys,
}: Pick<QueryParts, 'redis' | 'keys'>): Promise<
  readonly { readonly namespace: string; readonly state: string; readonly count: number }[]
> => {
  const generation = await servingGeneration(redis, keys, 'counters');
  if (generation === undefined) return [];
  const wanted = NAMESPACES.flatMap((namespace) => STATES.map((state) => ({ namespace, state })));
  const counts = await countSets(
    redis,
    keys,
    generation,
    wanted.map(({ namespace, state }) => sets.state(namespace, state)),
  );
  return wanted.map((place, i) => ({ ...place, count: counts[i] ?? 0 }));
};

/** The answer of the `health` tool. */
export const healthOf = (
  examination: Examination,
  facts: Pick<HealthResult, 'indexes' | 'uptime_seconds' | 'data_dir'> & { readonly logId: string },
): HealthResult => {
  const issues = issuesOf(examination);
  const { store, model, vectors, supervisor, reembedding } = examination;
  return {
    status: issues.some(({ severity }) => severity === 'red') ? 'red' : issues.length > 0 ? 'amber' : 'green',
    issues,
    valkey_connected: store !== undefined,
    records: store?.records ?? {},
    indexes: facts.indexes,
    model_loaded: model.state === 'ready',
    model: { ...model, serving: vectors.serving ?? null, ...(reembedding && { reembedding }) },
    log: { log_id: facts.logId, events: store?.events ?? 0, head: store?.head ?? null },
    projections: Object.fromEntries((store?.projections ?? []).map((view) => [view.name, standingOf(view)])),
    vectors: { pending: vectors.pending, refused: vectors.refused },
    valkey: {
      version: store?.vitals.version ?? null,
      ...store?.vitals.numbers,
      ...(supervisor && { restarts: supervisor.restarts, mode: supervisor.mode }),
    },
    uptime_seconds: facts.uptime_seconds,
    ...(facts.data_dir !== undefined && { data_dir: facts.data_dir }),
  };
};
