import { loadScript, runScript } from '../../projections/scripts.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
const BUMP = loadScript('services/queries/bump.lua');
const RECALLS_KEPT = 10_000;
const COUNTED = 10;
const TEXT_SECONDS = 30 * 24 * 60 * 60;
/**
 * Notes what a recall showed: keys, ranks and scores in a capped stream without text, the query's text apart, and a count
 * on the first ten memories. Nobody waits for it, and a failure never harms the answer.
 */
export const recordRecall = (parts, record) => {
    void write(parts, record).catch((error) => parts.onTrouble('a recall could not be noted', error));
};
const write = async ({ redis, keys, now }, { kind, actor, query, results, model }) => {
    const at = new Date(now()).toISOString();
    const id = await redis.xadd(keys.recalls, 'MAXLEN', '~', RECALLS_KEPT, '*', 'kind', kind, 'actor', actor, 'keys', JSON.stringify(results.map(({ key }) => key)), 'scores', JSON.stringify(results.map(({ score }) => score)), 'model', model ?? '');
    const texts = keys.recallTexts(at.slice(0, 10));
    const counted = results.slice(0, COUNTED).map(({ key }) => key);
    await Promise.all([
        redis.hset(texts, String(id), query).then(() => redis.expire(texts, TEXT_SECONDS)),
        counted.length > 0 &&
            runScript(redis, BUMP, [keys.counter(RECALL_COUNTERS.count), keys.counter(RECALL_COUNTERS.last), ...counted.map((key) => keys.payloads(key))], [at, ...counted]),
    ]);
};
//# sourceMappingURL=telemetry.js.map