import { QUERY_LENGTH } from '../../domain/content.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import type { QueryParts } from './parts.js';

const BUMP = loadScript('services/queries/bump.lua');
const RECALLS_KEPT = 10_000;
const COUNTED = 10;
const TEXT_SECONDS = 30 * 24 * 60 * 60;

export type RecallRecord = {
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  readonly query: string;
  readonly results: readonly { readonly key: string; readonly score: number }[];
  readonly model: string | undefined;
};

/**
 * Notes what a recall showed: keys, ranks and scores in a capped stream without text, the query's text apart, and a count
 * on the first ten memories. Nobody waits for it, and a failure never harms the answer.
 */
export const recordRecall = (parts: QueryParts, record: RecallRecord): void => {
  void write(parts, record).catch((error) => parts.onTrouble('a recall could not be noted', error));
};

const write = async ({ redis, keys, now }: QueryParts, { kind, actor, query, results, model }: RecallRecord): Promise<void> => {
  const at = new Date(now()).toISOString();
  const id = await redis.xadd(
    keys.recalls,
    'MAXLEN',
    '~',
    RECALLS_KEPT,
    '*',
    'kind',
    kind,
    'actor',
    actor,
    'keys',
    JSON.stringify(results.map(({ key }) => key)),
    'scores',
    JSON.stringify(results.map(({ score }) => score)),
    'model',
    model ?? '',
  );
  const texts = keys.recallTexts(at.slice(0, 10));
  const counted = results.slice(0, COUNTED).map(({ key }) => key);
  await Promise.all([
    redis.hset(texts, String(id), query.slice(0, QUERY_LENGTH)).then(() => redis.expire(texts, TEXT_SECONDS)),
    counted.length > 0 &&
      runScript(
        redis,
        BUMP,
        [keys.counter(RECALL_COUNTERS.count), keys.counter(RECALL_COUNTERS.last), ...counted.map((key) => keys.payloads(key))],
        [at, ...counted],
      ),
  ]);
};
