import { exactSearch, Index, MetricKind } from 'usearch';
import { breadthOf, graphSettings } from '../../../projections/search/hnsw.js';
import { createCorpus, DIMENSION } from '../corpus.js';
import { type Figure, latencies, percentile, plainFigure, ratioFigure } from '../figures.js';
import { openProduct, preparedEmbedder, untilIdle } from '../product.js';
import type { Scenario } from '../scenario.js';
import type { Store } from '../stores.js';

const TOP_K = 10;
/** What recall asks an index for when ten are wanted. */
const CANDIDATES = 20;
const THREADS = 1;

export const recall: Scenario = {
  name: 'recall',
  about: 'time of a whole recall without the embedding, against a raw index query and a raw exact scan of the same vectors',
  run: async ({ quick, sizes, stores }) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(await stores.at(size), quick ? [3, 60] : [7, 150])));
    return figures;
  },
};

const measure = async (store: Store, [rounds, count]: readonly [number, number]): Promise<Figure[]> => {
  const { size, vectors, sample } = store;
  const corpus = createCorpus(7, Date.now());
  const queries = Array.from({ length: (rounds + 1) * count }, (_, i) =>
    corpus.query(sample[i % sample.length] as (typeof sample)[number]),
  );
  const embedder = preparedEmbedder(new Map(queries.map(({ text, vector }) => [text, vector])));
  await using product = await openProduct(store.dataDir, embedder);
  const { index } = product;
  await index.settled();
  await untilIdle();
  if (index.serving?.missing.size !== 0) throw new Error('the vectors of the store were not loaded');
  const raw = rawIndex(vectors, size);

  const taken: Record<'recall' | 'index' | 'scan', number[][]> = { recall: [], index: [], scan: [] };
  const worked: Record<'recall' | 'index', number[]> = { recall: [], index: [] };
  let found = 0;
  for (let round = 0; round <= rounds; round++) {
    const asked = queries.slice(round * count, (round + 1) * count);
    const start = process.cpuUsage();
    const recalls = await latencies(asked, async ({ text }) => {
      const { results, search } = await product.app.queries.recall({ query: text, top_k: TOP_K }, { actor: 'bench' });
      if (search !== 'fused') throw new Error('a recall was answered without vectors');
      found += results.length;
    });
    const recalling = processorMs(start) / count;
    const between = process.cpuUsage();
    const queried = await latencies(asked, ({ vector }) => raw.search(vector, CANDIDATES, THREADS));
    const querying = processorMs(between) / count;
    const scanned = await latencies(asked.slice(0, 30), ({ vector }) =>
      exactSearch(vectors, vector, DIMENSION, CANDIDATES, MetricKind.IP, THREADS),
    );
    // The first round warms up.
    if (round === 0) continue;
    taken.recall.push(recalls);
    taken.index.push(queried);
    taken.scan.push(scanned);
    worked.recall.push(recalling);
    worked.index.push(querying);
  }
  const at = (kind: keyof typeof taken, share: number): number[] => taken[kind].map((times) => percentile(times, share));
  const named = (name: string) => ({ scenario: 'recall', name, size, unit: 'ms' as const });
  const bound = size === 100_000 ? { most: 3 } : undefined;
  const shown = `${(found / ((rounds + 1) * count)).toFixed(1)} of ${TOP_K} results a recall`;
  return [
    ratioFigure(named('recall p50'), at('recall', 0.5), { name: 'raw index p50', rounds: at('index', 0.5) }),
    ratioFigure({ ...named('recall p95'), note: shown }, at('recall', 0.95), { name: 'raw index p95', rounds: at('index', 0.95) }, bound),
    ratioFigure(named('recall p95 against a scan'), at('recall', 0.95), { name: 'raw exact scan p95', rounds: at('scan', 0.95) }),
    ratioFigure(named('processor time a recall, this process'), worked.recall, { name: 'a raw index query', rounds: worked.index }),
    plainFigure(named('raw exact scan p50'), at('scan', 0.5)),
  ];
};

/** Since `start`, all threads, user and system. A busy machine stretches it less than the clock: only caches are lost to others. */
const processorMs = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** The same graph as the product's, over all vectors at once. */
const rawIndex = (vectors: Float32Array, size: number): Index => {
  const index = new Index({ ...graphSettings(DIMENSION), expansion_search: breadthOf(size) });
  index.add(
    BigUint64Array.from({ length: size }, (_, i) => BigInt(i)),
    vectors,
    2,
  );
  return index;
};
