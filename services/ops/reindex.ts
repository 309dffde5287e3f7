import type { Redis } from 'iovalkey';
import { namespaceOf } from '../../domain/memory/key.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import type { Keys } from '../../projections/keys.js';
import { rebuildRecallIndex } from '../../projections/recall/rebuild.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import { replayProjection } from '../../projections/replay.js';
import type { Call, Reindexed, ReindexInput, ReindexResult } from '../api.js';
import { countRecords } from '../queries/health.js';
import { unavailableWhenDown } from '../valkey/errors.js';

export type ReindexParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: RecallIndex;
  /** An empty index that follows the same log. */
  readonly createIndex: () => RecallIndex;
  /** Deletes rows of vectors in the server that no memory is behind, and tells of which memories. */
  readonly sweep: (signal: AbortSignal) => Promise<ReadonlyMap<Namespace, ReadonlySet<string>>>;
  /** Names of the views, to be rebuilt in one pass over the log. */
  readonly views: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Ends what runs. */
  readonly signal: AbortSignal;
  /** Milliseconds for which a call waits for the end; hosts give up after 60 s. */
  readonly patienceMs?: number;
};

type Done = Extract<ReindexResult, { readonly status: 'ok' }>;
type Outcome = { readonly result: Done } | { readonly error: unknown };

type Job = {
  readonly startedAt: number;
  readonly commandId: string | undefined;
  phase: string;
  done?: number;
  total?: number;
  outcome?: Outcome & { readonly at: number };
  /** Somebody was told the outcome, so that the next call is another order. */
  told: boolean;
  settled: Promise<void>;
};

const PATIENCE_MS = 45_000;
const REPEAT_MS = 2_000;
/** For so long the next call is taken for one that asks how the last one ended. */
const OUTCOME_KEPT_MS = 10 * 60_000;

/** Rebuilds of everything that recall reads, one at a time: views first, then the search index of this process. */
export class Reindexer {
  #parts: ReindexParts;
  #job: Job | undefined;

  constructor(parts: ReindexParts) {
    this.#parts = parts;
  }

  /**
   * Starts a rebuild, or joins the one that runs, and answers its result; `running` when it takes longer than a host waits.
   * Throws UNAVAILABLE when no worker takes it up, TOO_LARGE when memory would not do, CONFLICT during a move to another model.
   */
  async run({ namespace }: ReindexInput, { commandId, signal, progress }: Call): Promise<ReindexResult> {
    const job = this.#jobFor(commandId);
    const told = (): void => progress?.(job.phase, job.done, job.total);
    const repeat = setInterval(told, REPEAT_MS);
    try {
      await Promise.race([job.settled, patience(this.#parts.patienceMs ?? PATIENCE_MS, signal)]);
    } finally {
      clearInterval(repeat);
    }
    const { outcome, startedAt, phase, done, total } = job;
    if (!outcome) {
      const started_at = new Date(startedAt).toISOString();
      const counts = { ...(done !== undefined && { done }), ...(total !== undefined && { total }) };
      return { status: 'running', started_at, phase, ...counts, next: 'Call reindex again: it waits for this one and answers its result.' };
    }
    job.told = true;
    if ('error' in outcome) throw outcome.error;
    return narrowed(outcome.result, namespace);
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    await this.#job?.settled;
  }

  #jobFor(commandId: string | undefined): Job {
    const last = this.#job;
    if (last && (isAwaited(last) || (commandId !== undefined && last.commandId === commandId))) return last;
    const job: Job = { startedAt: this.#parts.now(), commandId, phase: 'starting', told: false, settled: Promise.resolve() };
    const ended = (how: Outcome): void => {
      job.outcome = { ...how, at: performance.now() };
    };
    job.settled = this.#rebuild(job).then(
      (result) => ended({ result }),
      (error: unknown) => ended({ error }),
    );
    this.#job = job;
    return job;
  }

  async #rebuild(job: Job): Promise<Done> {
    const { index, createIndex, signal } = this.#parts;
    const begun = performance.now();
    const before = counted(index);
    const views = await this.#rebuildViews(job);
    Object.assign(job, { phase: 'removing rows that no memory is behind', done: undefined, total: undefined });
    const swept = await unavailableWhenDown(() => this.#parts.sweep(signal));
    Object.assign(job, { phase: 'reading the search index anew', done: 0, total: index.documents.size });
    const { phantoms, restored } = await rebuildRecallIndex(index, createIndex, {
      signal,
      onProgress: (documents) => {
        job.done = documents;
      },
    });
    const after = counted(index);
    const records = await unavailableWhenDown(() => countRecords(this.#parts));
    const reindexed = NAMESPACES.map(
      (namespace): Reindexed => ({
        namespace,
        before_num_docs: before(namespace),
        after_num_docs: after(namespace),
        actual_records: records.filter((one) => one.namespace === namespace).reduce((sum, { count }) => sum + count, 0),
        removed_phantoms: new Set([...inNamespace(phantoms, namespace), ...(swept.get(namespace) ?? [])]).size,
        restored: inNamespace(restored, namespace).length,
      }),
    );
    job.phase = 'done';
    return {
      status: 'ok',
      started_at: new Date(job.startedAt).toISOString(),
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      reindexed,
      total_phantoms_removed: reindexed.reduce((sum, { removed_phantoms }) => sum + removed_phantoms, 0),
      views,
    };
  }

  async #rebuildViews(job: Job): Promise<Record<string, number>> {
    const { redis, keys, views, signal, now } = this.#parts;
    job.phase = 'rebuilding the views';
    const progress = new Map<string, { readonly done: number; readonly total: number }>();
    const generations = await Promise.all(
      views.map((view) =>
        unavailableWhenDown(() =>
          replayProjection(redis, keys, view, now(), {
            signal,
            onProgress: (at) => {
              progress.set(view, at);
              // They share a pass over the log: the slowest tells how far it is.
              job.done = Math.min(...[...progress.values()].map(({ done }) => done));
              job.total = Math.max(...[...progress.values()].map(({ total }) => total));
            },
          }),
        ),
      ),
    );
    return Object.fromEntries(views.map((view, i) => [view, generations[i] ?? 0]));
  }
}

/** It runs, or nobody has heard yet how it ended. */
const isAwaited = ({ outcome, told }: Job): boolean => !outcome || (!told && performance.now() - outcome.at < OUTCOME_KEPT_MS);

const patience = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });

/** Contexts of projects are searched, too, and are no memories. */
const counted = (index: RecallIndex): ((namespace: Namespace) => number) => {
  const counts = new Map<Namespace, number>();
  for (const { namespace, key } of index.documents.values())
    if (namespaceOf(key) !== undefined) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return (namespace) => counts.get(namespace) ?? 0;
};

const inNamespace = (found: readonly string[], namespace: Namespace): readonly string[] =>
  found.filter((key) => namespaceOf(key) === namespace);

const narrowed = (result: Done, namespace: Namespace | undefined): Done => {
  if (namespace === undefined) return result;
  const reindexed = result.reindexed.filter((one) => one.namespace === namespace);
  return { ...result, reindexed, total_phantoms_removed: reindexed.reduce((sum, { removed_phantoms }) => sum + removed_phantoms, 0) };
};
