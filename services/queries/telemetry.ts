import type { ScoreBreakdown } from '../../domain/scoring.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { QUERY_TEXT_DAYS } from '../erasure/queries.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import type { QueryParts } from './parts.js';
import { packParts } from './recall-notes.js';

const NOTE = loadScript('services/queries/note-recalls.lua');
const RECALLS_KEPT = 10_000;
const COUNTED = 10;
const TEXT_SECONDS = QUERY_TEXT_DAYS * 24 * 60 * 60;
/** Recalls of so many milliseconds are noted together: each write waits for the disk, and the next recall would wait behind it. */
const TOGETHER_MS = 100;

export type RecallRecord = {
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  readonly query: string;
  /** What was shown, best first. `via` names the fact whose score and breakdown its source was given. */
  readonly results: readonly {
    readonly key: string;
    readonly score: number;
    readonly breakdown: ScoreBreakdown;
    readonly via?: string | undefined;
  }[];
  readonly model: string | undefined;
};

type Noted = RecallRecord & { readonly at: string };

type Waiting = { records: Noted[]; timer: NodeJS.Timeout | undefined; writing: Promise<void> };

const queues = new WeakMap<QueryParts, Waiting>();

/**
 * Notes what a recall showed: keys, ranks, scores and what made them in a capped stream without text, the query's text
 * apart, and a count on the first ten memories. Nobody waits for it, and a failure never harms the answer.
 */
export const recordRecall = (parts: QueryParts, record: RecallRecord): void => {
  const queue = queues.get(parts) ?? { records: [], timer: undefined, writing: Promise.resolve() };
  queues.set(parts, queue);
  queue.records.push({ ...record, at: new Date(parts.now()).toISOString() });
  queue.timer ??= setTimeout(() => void recallsNoted(parts), TOGETHER_MS).unref();
};

/** Resolves when every recall of this process so far is noted, or could not be. */
export const recallsNoted = async (parts: QueryParts): Promise<void> => {
  const queue = queues.get(parts);
  if (!queue) return;
  const { records } = queue;
  clearTimeout(queue.timer);
  queue.timer = undefined;
  queue.records = [];
  if (records.length > 0)
    queue.writing = queue.writing
      .then(() => write(parts, records))
      .catch((error: unknown) => parts.onTrouble('recalls could not be noted', error));
  await queue.writing;
};

const write = async ({ redis, keys }: QueryParts, records: readonly Noted[]): Promise<void> => {
  const scriptKeys = [keys.recalls, keys.counter(RECALL_COUNTERS.count), keys.counter(RECALL_COUNTERS.last)];
  const args: (string | number)[] = ['', RECALLS_KEPT, TEXT_SECONDS, COUNTED];
  const key = (name: string): number => scriptKeys.push(name);
  const arg = (text: string): number => args.push(text);

  const plan = records.map(({ kind, actor, query, results, model, at }) => {
    const shown = JSON.stringify(results.map((result) => result.key));
    const scores = JSON.stringify(results.map(({ score }) => score));
    const made = JSON.stringify(results.map(({ breakdown, via }) => packParts(breakdown, via)));
    const fields = ['kind', kind, 'actor', actor, 'at', at, 'keys', shown, 'scores', scores, 'parts', made, 'model', model ?? ''];
    return {
      f: args.push(...fields) - fields.length + 1,
      n: fields.length,
      at,
      t: key(keys.recallTexts(at.slice(0, 10))),
      q: arg(query),
      m: results.map((result) => [key(keys.payloads(result.key)), arg(result.key)]),
    };
  });
  args[0] = JSON.stringify(plan);
  await runScript(redis, NOTE, scriptKeys, args);
};
