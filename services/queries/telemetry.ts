import { loadScript, runScript } from '../../projections/scripts.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import type { QueryParts } from './parts.js';

const NOTE = loadScript('services/queries/note-recalls.lua');
const RECALLS_KEPT = 10_000;
const COUNTED = 10;
const TEXT_SECONDS = 30 * 24 * 60 * 60;
/** Recalls of so many milliseconds are noted together: each write waits for the disk, and the next recall would wait behind it. */
const TOGETHER_MS = 100;

export type RecallRecord = {
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  readonly query: string;
  readonly results: readonly { readonly key: string; readonly score: number }[];
  readonly model: string | undefined;
};

type Noted = RecallRecord & { readonly at: string };

const waiting = new WeakMap<QueryParts, Noted[]>();

/**
 * Notes what a recall showed: keys, ranks and scores in a capped stream without text, the query's text apart, and a count
 * on the first ten memories. Nobody waits for it, and a failure never harms the answer.
 */
export const recordRecall = (parts: QueryParts, record: RecallRecord): void => {
  const noted = { ...record, at: new Date(parts.now()).toISOString() };
  const before = waiting.get(parts);
  if (before) {
    before.push(noted);
    return;
  }
  const together = [noted];
  waiting.set(parts, together);
  setTimeout(() => {
    waiting.delete(parts);
    write(parts, together).catch((error) => parts.onTrouble('recalls could not be noted', error));
  }, TOGETHER_MS).unref();
};

const write = async ({ redis, keys }: QueryParts, records: readonly Noted[]): Promise<void> => {
  const scriptKeys = [keys.recalls, keys.counter(RECALL_COUNTERS.count), keys.counter(RECALL_COUNTERS.last)];
  const args: (string | number)[] = ['', RECALLS_KEPT, TEXT_SECONDS, COUNTED];
  const key = (name: string): number => scriptKeys.push(name);
  const arg = (text: string): number => args.push(text);

  const plan = records.map(({ kind, actor, query, results, model, at }) => {
    const shown = JSON.stringify(results.map((result) => result.key));
    const scores = JSON.stringify(results.map(({ score }) => score));
    const fields = ['kind', kind, 'actor', actor, 'at', at, 'keys', shown, 'scores', scores, 'model', model ?? ''];
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
