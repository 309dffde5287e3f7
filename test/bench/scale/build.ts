import { randomBytes } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Index } from 'usearch';
import { BinaryReader, BinaryWriter } from '../../../projections/search/binary.js';
import { graphSettings } from '../../../projections/search/hnsw.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import type { Facets } from '../../../projections/search/ports.js';
import { saveSnapshot } from '../../../projections/search/snapshot.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { createCorpus, DIMENSION, type MadeMemory } from '../corpus.js';
import { timed } from '../figures.js';
import { type Built, MODEL, processorMs, SAMPLE_FILE } from './parts.js';

const SAMPLE = 400;
/** Beyond so many the graph is built by two threads at once, which no code of the product does: it would take the night. */
const BY_ONE_THREAD = 200_000;
const INSERTS = 300;
const BATCH = 500;

/** Makes the two indexes of so many memories, measures that, and leaves them in a folder as a snapshot. */
const build = async (folder: string, size: number): Promise<Built> => {
  const corpus = createCorpus(size, Date.UTC(2026, 0, 1));
  const made = new Float32Array(size * DIMENSION);
  const vectorOf = (i: number): Float32Array => made.subarray(i * DIMENSION, (i + 1) * DIMENSION);
  const facets = facetsOf({ project: 'project', at: Date.UTC(2026, 0, 1) });
  const sample: MadeMemory[] = [];

  const words = new InMemoryLexicalIndex();
  let wordsMs = 0;
  for (let from = 0; from < size; from += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, size - from) }, corpus.memory);
    for (const [i, memory] of memories.entries()) {
      made.set(memory.vector, (from + i) * DIMENSION);
      if ((from + i) % Math.max(1, Math.floor(size / SAMPLE)) === 0) sample.push(memory);
    }
    const before = process.cpuUsage();
    for (const [i, memory] of memories.entries()) words.upsert(keyOf(from + i), memory.content, facetsOf(memory));
    wordsMs += processorMs(before);
  }
  writeFileSync(join(folder, SAMPLE_FILE), JSON.stringify(sample.map(({ content, vector }) => ({ content, vector: [...vector] }))));

  const begun = process.cpuUsage();
  const fill = async (index: InProcessVectorIndex): Promise<InProcessVectorIndex> => {
    for (let i = 0; i < size; i++) await index.upsert(keyOf(i), [vectorOf(i)], facets);
    await index.settled();
    return index;
  };
  const vectors =
    size <= BY_ONE_THREAD
      ? await fill(new InProcessVectorIndex({ dimension: DIMENSION }))
      : await withGraph(await fill(new InProcessVectorIndex({ dimension: DIMENSION, graphFrom: Infinity })), made, folder);
  const graphMs = processorMs(begun);

  const save = await timed(() => saveSnapshot(folder, MODEL, {}, { vectors, words }));
  const bytes = readdirSync(folder)
    .filter((name) => name.endsWith('.bin'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  const later = Array.from({ length: INSERTS }, corpus.memory);
  const inserting = process.cpuUsage();
  for (const [i, memory] of later.entries()) {
    words.upsert(keyOf(size + i), memory.content, facetsOf(memory));
    await vectors.upsert(keyOf(size + i), [memory.vector], facetsOf(memory));
  }
  await vectors.settled();
  return {
    wordsMs,
    graphMs,
    insertMs: processorMs(inserting) / INSERTS,
    saveMs: save,
    bytes,
  };
};

/** The same index with a graph that two threads have built from its vectors, row by row. */
const withGraph = async (index: InProcessVectorIndex, vectors: Float32Array, folder: string): Promise<InProcessVectorIndex> => {
  const graph = new Index(graphSettings(DIMENSION));
  const rows = vectors.length / DIMENSION;
  const AT_ONCE = 10_000;
  for (let from = 0; from < rows; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, rows - from);
    const numbers = BigUint64Array.from({ length: count }, (_, i) => BigInt(from + i));
    graph.add(numbers, vectors.subarray(from * DIMENSION, (from + count) * DIMENSION), 2);
    process.stderr.write(`    ${from + count} of ${rows} in the graph\n`);
  }
  const path = join(folder, `built-${randomBytes(4).toString('hex')}`);
  graph.save(path);
  const parts = new BinaryWriter();
  index.dump(parts);
  const loaded = InProcessVectorIndex.load(new BinaryReader(Buffer.concat(parts.chunks())), { dimension: DIMENSION }, path);
  await rm(path);
  return loaded;
};

const keyOf = (i: number): string => `mem:episodic:${String(i).padStart(26, '0')}`;

const facetsOf = ({ project, at }: Pick<MadeMemory, 'project' | 'at'>): Facets => ({
  namespace: 'episodic',
  state: 'active',
  project,
  licence: 'own',
  createdAt: at,
});

const [folder = '', size = ''] = process.argv.slice(2);
process.send?.(await build(folder, Number(size)));
process.disconnect?.();
