import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { hybridSearch } from '../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../projections/search/lexical.js';
import type { Facets } from '../../projections/search/ports.js';
import { loadSnapshot, saveSnapshot } from '../../projections/search/snapshot.js';
import { InProcessVectorIndex } from '../../projections/search/vectors.js';

const DIMENSION = 384;
const VECTORS_PER_CLUSTER = 50;
const VOCABULARY = 50_000;
const WORDS_PER_MEMORY = 40;
const WORDS_PER_QUERY = 6;
const QUERIES = 300;
const K = 10;

export type IndexFigures = {
  readonly memories: number;
  readonly engine: string;
  /** Milliseconds, bytes, or a share, as the name says. */
  readonly figures: Readonly<Record<string, number>>;
};

/** Speed, size and exactness of the in-process indexes over made-up clustered vectors and Zipf-distributed words. */
export const runSearchIndexes = async (sizes: readonly number[] = [1_000, 10_000, 100_000], seed = 1): Promise<IndexFigures[]> => {
  const figures: IndexFigures[] = [];
  for (const memories of sizes) figures.push(await measure(memories, seed));
  return figures;
};

const measure = async (memories: number, seed: number): Promise<IndexFigures> => {
  const random = generator(seed);
  const vectorOf = clustered(Math.max(20, memories / VECTORS_PER_CLUSTER), random);
  const word = zipf(VOCABULARY, random);
  const texts = Array.from({ length: memories }, () => Array.from({ length: WORDS_PER_MEMORY }, word).join(' '));
  const resident = () => process.memoryUsage().rss;

  const beforeWords = resident();
  const words = new InMemoryLexicalIndex();
  const wordsBuild = await timed(() => {
    for (const [i, text] of texts.entries()) words.upsert(`m${i}`, text, facetsOf(i));
  });
  const wordsBytes = (resident() - beforeWords) / memories;

  const beforeVectors = resident();
  const vectors = new InProcessVectorIndex({ dimension: DIMENSION });
  const vectorsInsert = await timed(async () => {
    for (let i = 0; i < memories; i++) await vectors.upsert(`m${i}`, [vectorOf()], facetsOf(i));
  });
  const graphBuild = await timed(() => vectors.settled());
  const vectorsBytes = (resident() - beforeVectors) / memories;

  const queries = Array.from({ length: QUERIES }, () => ({
    vector: vectorOf(),
    text: (texts[Math.floor(random() * memories)] as string).split(' ').slice(0, WORDS_PER_QUERY).join(' '),
  }));
  const truth = new Map<number, Set<string>>();
  const scan = await latencies(queries, ({ vector }, i) => {
    const keys = vectors.scan(vector, K, {}).map((hit) => hit.key);
    truth.set(i, new Set(keys));
  });
  let found = 0;
  const knn = await latencies(queries, async ({ vector }, i) => {
    for (const hit of await vectors.knn(vector, K, {})) if (truth.get(i)?.has(hit.key)) found++;
  });
  const half = await latencies(queries, ({ vector }) =>
    vectors.knn(vector, K, { states: ['active'], projects: ['p0', 'p1', 'p2', 'p3', 'p4'] }),
  );
  const narrow = await latencies(queries, ({ vector }) => vectors.knn(vector, K, { projects: ['p3'] }));
  const lexical = await latencies(queries, ({ text }) => words.search(text, K, {}));
  const lexical60 = await latencies(queries, ({ text }) => words.search(text, 60, { states: ['active'] }));
  const hybrid = await latencies(queries, ({ vector, text }) =>
    hybridSearch(vectors, words, { text, vector, candidates: 50, filter: { states: ['active'] } }),
  );
  const update = await latencies(queries, ({ text }, i) => words.upsert(`m${i}`, text, facetsOf(i)));

  const directory = await mkdtemp(join(tmpdir(), 'omnimem-search-'));
  const save = await timed(() => saveSnapshot(directory, 'bench', {}, { vectors, words }));
  const load = await timed(async () => {
    const outcome = await loadSnapshot(directory, 'bench', { dimension: DIMENSION });
    if (outcome.status !== 'loaded') throw new Error(`the snapshot was not loaded: ${JSON.stringify(outcome)}`);
    await outcome.vectors.close();
  });
  const sizes = await Promise.all((await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size));
  await rm(directory, { recursive: true });
  const { engine } = vectors.stats();
  await vectors.close();
  return {
    memories,
    engine,
    figures: {
      'words: build ms': wordsBuild,
      'words: bytes a memory': wordsBytes,
      'words: query p50 ms': at(lexical, 0.5),
      'words: query p95 ms': at(lexical, 0.95),
      'words: 60 of a filter p95 ms': at(lexical60, 0.95),
      'words: update p95 ms': at(update, 0.95),
      'vectors: insert ms': vectorsInsert,
      'vectors: graph build ms': graphBuild,
      'vectors: bytes a memory': vectorsBytes,
      'vectors: query p50 ms': at(knn, 0.5),
      'vectors: query p95 ms': at(knn, 0.95),
      'vectors: filter of a half p95 ms': at(half, 0.95),
      'vectors: filter of a tenth p95 ms': at(narrow, 0.95),
      'vectors: exact scan p95 ms': at(scan, 0.95),
      'vectors: recall@10 against exact': found / (QUERIES * K),
      'hybrid: query p50 ms': at(hybrid, 0.5),
      'hybrid: query p95 ms': at(hybrid, 0.95),
      'snapshot: save ms': save,
      'snapshot: load ms': load,
      'snapshot: bytes': sizes.reduce((sum, size) => sum + size, 0),
    },
  };
};

const facetsOf = (i: number): Facets => ({ namespace: 'episodic', state: 'active', project: `p${i % 10}`, licence: 'own', createdAt: i });

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const latencies = async <T>(items: readonly T[], work: (item: T, index: number) => unknown): Promise<number[]> => {
  const taken: number[] = [];
  for (const [i, item] of items.entries()) taken.push(await timed(() => work(item, i)));
  return taken.sort((a, b) => a - b);
};

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] as number;

/** Mulberry32: the same numbers for the same seed. */
const generator = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

const unit = (vector: Float32Array): Float32Array => {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};

const clustered = (clusters: number, random: () => number) => {
  const noise = () => Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5);
  const centres = Array.from({ length: Math.ceil(clusters) }, () => unit(noise()));
  return (): Float32Array => {
    const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
    const away = unit(noise());
    return unit(centre.map((value, i) => value + 0.7 * (away[i] as number)));
  };
};

/** Frequency falls with the rank, from the ranks on that English has beside its stop words. */
const FIRST_RANK = 30;
const zipf = (size: number, random: () => number) => () => `w${Math.floor(FIRST_RANK * (size / FIRST_RANK) ** random())}x`;
