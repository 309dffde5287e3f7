import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Index, ScalarKind } from 'usearch';
import { BinaryReader } from '../../../projections/search/binary.js';
import { graphSettings } from '../../../projections/search/hnsw.js';
import { hybridSearch } from '../../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { loadSnapshot } from '../../../projections/search/snapshot.js';
import { VectorStore } from '../../../projections/search/vector-store.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { createCorpus, DIMENSION, type MadeMemory, type MadeQuery } from '../corpus.js';
import { percentile, timed } from '../figures.js';
import { type GraphFound, type Measured, MODEL, type Percentiles, processorMs, type Round, SAMPLE_FILE } from './parts.js';

const ROUNDS = 5;
const QUESTIONS = 100;
const NEAREST = 10;
/** What recall asks an index for, and what `knn` of ten fetches from its graph to score again. */
const CANDIDATES = 20;
const FETCHED = 26;
const BREADTHS = [64, 96, 128, 192, 256, 512];
/** A second graph is built for the comparison up to so many. */
const SECOND_GRAPH = 100_000;
const SEARCHED = { states: ['active', 'deprioritised'] } as const;

/** Loads a snapshot as a start does and asks it questions, of which some are held against a scan of all vectors. */
const measure = async (folder: string, size: number): Promise<Measured> => {
  const before = await held();
  const words = InMemoryLexicalIndex.load(new BinaryReader(readFileSync(fileOf(folder, 'words'))));
  const withWords = await held();
  const graphFile = readdirSync(folder).some((name) => name.startsWith('graph-')) ? fileOf(folder, 'graph') : undefined;
  const vectors = InProcessVectorIndex.load(new BinaryReader(readFileSync(fileOf(folder, 'vectors'))), { dimension: DIMENSION }, graphFile);
  const withVectors = await held();
  const loadMs = await timed(async () => {
    const snapshot = await loadSnapshot(folder, MODEL, { dimension: DIMENSION });
    if (snapshot.status !== 'loaded') throw new Error(`the snapshot was not loaded: ${JSON.stringify(snapshot)}`);
    await snapshot.vectors.close();
  });
  await held();

  const corpus = createCorpus(7, Date.UTC(2026, 0, 1));
  const sample = JSON.parse(readFileSync(join(folder, SAMPLE_FILE), 'utf8')) as { content: string; vector: number[] }[];
  const asked = Array.from({ length: QUESTIONS * (ROUNDS + 1) }, (_, i): MadeQuery => {
    const { content, vector } = sample[i % sample.length] as { content: string; vector: number[] };
    return corpus.query({ content, vector: Float32Array.from(vector) } satisfies Pick<MadeMemory, 'content' | 'vector'>);
  });

  const ways = {
    knn: ({ vector }: MadeQuery) => vectors.knn(vector, CANDIDATES, SEARCHED),
    words: ({ text }: MadeQuery) => words.search(text, CANDIDATES, SEARCHED),
    hybrid: ({ text, vector }: MadeQuery) => hybridSearch(vectors, words, { text, vector, candidates: CANDIDATES, filter: SEARCHED }),
  };
  const rounds: Record<keyof typeof ways, Round[]> = { knn: [], words: [], hybrid: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const questions = asked.slice(round * QUESTIONS, (round + 1) * QUESTIONS);
    for (const [name, search] of Object.entries(ways) as [keyof typeof ways, (query: MadeQuery) => unknown][]) {
      const taken = await roundOf(questions, search);
      // The first round warms up.
      if (round > 0) rounds[name].push(taken);
    }
  }

  const questions = asked.slice(0, QUESTIONS);
  const truth = questions.map(({ vector }) => new Set(vectors.scan(vector, NEAREST, {}).map(({ key }) => key)));
  const shares: number[] = [];
  for (const [i, { vector }] of questions.entries()) {
    const found = await vectors.knn(vector, NEAREST, {});
    shares.push(found.filter(({ key }) => truth[i]?.has(key)).length / NEAREST);
  }

  const rows = truth.map((keys) => new Set([...keys].map((key) => Number(key.slice(key.lastIndexOf(':') + 1)))));
  const graph = emptyGraph();
  if (graphFile) graph.load(graphFile);
  return {
    loadMs,
    wordsBytes: (withWords.all - before.all) / size,
    vectorsBytes: (withVectors.all - withWords.all) / size,
    graphBytes: graphFile ? statSync(graphFile).size / size : 0,
    heapBytes: (withVectors.heap - before.heap) / size,
    found: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    foundLeast: Math.min(...shares),
    rounds,
    breadths: graphFile ? BREADTHS.map((breadth) => foundBy(graph, breadth, questions, rows)) : [],
    ...(graphFile && size <= SECOND_GRAPH && { bytes: inBytes(folder, size, questions, rows) }),
  };
};

const roundOf = async (questions: readonly MadeQuery[], search: (query: MadeQuery) => unknown): Promise<Round> => {
  const [clock, processor]: [number[], number[]] = [[], []];
  for (const question of questions) {
    const before = process.cpuUsage();
    clock.push(await timed(() => search(question)));
    processor.push(processorMs(before));
  }
  return { clock: percentilesOf(clock), processor: percentilesOf(processor) };
};

const percentilesOf = (taken: readonly number[]): Percentiles => ({ p50: percentile(taken, 0.5), p95: percentile(taken, 0.95) });

const foundBy = (graph: Index, breadth: number, questions: readonly MadeQuery[], rows: readonly ReadonlySet<number>[]): GraphFound => {
  const found = { first: 0, rescored: 0 };
  const before = process.cpuUsage();
  const answers = questions.map(({ vector }) => graph.search(vector, breadth, 1).keys.subarray(0, FETCHED));
  const processor = processorMs(before) / questions.length;
  for (const [i, keys] of answers.entries()) {
    const hits = Array.from(keys, (key) => rows[i]?.has(Number(key)) ?? false);
    found.first += hits.slice(0, NEAREST).filter(Boolean).length;
    found.rescored += hits.filter(Boolean).length;
  }
  const all = questions.length * NEAREST;
  return { breadth, found: found.first / all, foundRescored: found.rescored / all, processorMs: processor };
};

/** A graph of the same vectors in one byte a number, made for the comparison. */
const inBytes = (
  folder: string,
  size: number,
  questions: readonly MadeQuery[],
  rows: readonly ReadonlySet<number>[],
): Measured['bytes'] => {
  const graph = emptyGraph(ScalarKind.I8);
  const store = VectorStore.load(new BinaryReader(readFileSync(fileOf(folder, 'vectors'))), DIMENSION);
  for (let row = 0; row < size; row++) graph.add(BigInt(row), store.vector(row), 1);
  const path = join(folder, 'built-bytes');
  graph.save(path);
  return { found: foundBy(graph, 128, questions, rows), graphBytes: statSync(path).size / size };
};

const fileOf = (folder: string, kind: 'vectors' | 'graph' | 'words'): string =>
  join(folder, readdirSync(folder).find((name) => name.startsWith(`${kind}-`)) ?? kind);

const emptyGraph = (quantization = ScalarKind.BF16): Index => new Index({ ...graphSettings(DIMENSION), quantization });

/** Bytes of objects, and of them and arrays, once what the loading left behind is given back. */
const held = async (): Promise<{ readonly heap: number; readonly all: number }> => {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    global.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, all: heapUsed + arrayBuffers };
};

const [folder = '', size = ''] = process.argv.slice(2);
process.send?.(await measure(folder, Number(size)));
process.disconnect?.();
