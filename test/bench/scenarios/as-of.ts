import { ORIGIN } from '../../../domain/envelope.js';
import { servingGeneration } from '../../../projections/generation.js';
import { memories } from '../../../projections/memories.js';
import { RecallIndex } from '../../../projections/recall/recall-index.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { createCorpus, type MadeQuery } from '../corpus.js';
import { type Figure, latencies, percentile, ratioFigure, timed } from '../figures.js';
import { type OpenedProduct, openProduct, preparedEmbedder, untilIdle } from '../product.js';
import type { Scenario } from '../scenario.js';
import type { Store } from '../stores.js';

const TOP_K = 10;
const PATIENCE_MS = 600_000;

export const asOf: Scenario = {
  name: 'as-of',
  about: 'first answer of an earlier moment against a rebuild of the views it needs; the next ones against a live recall',
  run: async ({ quick, sizes, stores }) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(await stores.at(size), quick ? [2, 40] : [5, 100])));
    return figures;
  },
};

const measure = async (store: Store, [rounds, count]: readonly [number, number]): Promise<readonly Figure[]> => {
  const { size, sample } = store;
  const corpus = createCorpus(11, Date.now());
  const queries = Array.from({ length: count }, (_, i) => corpus.query(sample[i % sample.length] as (typeof sample)[number]));
  await using product = await openProduct(store.dataDir, preparedEmbedder(new Map(queries.map(({ text, vector }) => [text, vector]))));
  await product.index.settled();
  await untilIdle();
  const moments = await lastPlaces(product, rounds + 1);

  const taken = { first: [] as number[], rebuild: [] as number[], cached: [] as number[][], live: [] as number[][] };
  for (const [round, as_of] of moments.entries()) {
    const rebuilt = await timed(() => rebuildIndex(product));
    const first = await timed(() => ask(product, queries[0] as MadeQuery, as_of));
    const cached = await latencies(queries, (query) => ask(product, query, as_of));
    const live = await latencies(queries, (query) => ask(product, query));
    // The first round warms up.
    if (round === 0) continue;
    taken.first.push(first);
    taken.rebuild.push(rebuilt);
    taken.cached.push(cached);
    taken.live.push(live);
  }
  const p50 = (times: readonly number[][]): number[] => times.map((all) => percentile(all, 0.5));
  const named = (name: string) => ({ scenario: 'as-of', name, size, unit: 'ms' as const });
  return [
    ratioFigure(named('first answer'), taken.first, { name: 'rebuild of the recall index', rounds: taken.rebuild }, { most: 2 }),
    ratioFigure(named('answer from the cache p50'), p50(taken.cached), { name: 'live recall p50', rounds: p50(taken.live) }, { most: 2 }),
  ];
};

/** Each round asks of a moment of its own, since the first answer is what is measured. */
const lastPlaces = async ({ redis, keys }: OpenedProduct, wanted: number): Promise<readonly string[]> => {
  const entries = await redis.xrevrange(keys.log, '+', '-', 'COUNT', wanted * 10);
  return Array.from({ length: wanted }, (_, i) => entries[i * 10]?.[0] ?? ORIGIN);
};

const ask = async ({ app }: OpenedProduct, { text }: MadeQuery, as_of?: string): Promise<void> => {
  const { search, results } = await app.queries.recall({ query: text, top_k: TOP_K, as_of }, { actor: 'bench' });
  if (search !== 'fused' || results.length === 0) throw new Error('a recall was answered without vectors, or by nothing');
};

/** As a start does it that finds no index in files. */
const rebuildIndex = async ({ log, redis, keys }: OpenedProduct): Promise<void> => {
  const index = new RecallIndex({
    log,
    redis,
    keys,
    createLexical: () => new InMemoryLexicalIndex(),
    createVectors: (dimension) => new InProcessVectorIndex({ dimension }),
    generation: () => servingGeneration(redis, keys, memories.name),
    // It tries again by itself; a machine that is that busy shows in the time.
    onTrouble: () => undefined,
  });
  index.start();
  if ((await index.progress.waitFor('end', PATIENCE_MS)) === 'late') throw new Error('the log was not read in time');
  await index.settled();
  await index.close();
};
