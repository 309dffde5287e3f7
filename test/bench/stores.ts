import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberModel } from '../../services/vectors/fill.js';
import { createCorpus, DIMENSION, type MadeMemory } from './corpus.js';
import { appendOf, MODEL, openProduct, preparedEmbedder, untilIdle, writeOf } from './product.js';

/** A data folder of the product with made memories in it, and no process on it. */
export type Store = {
  readonly size: number;
  readonly dataDir: string;
  /** Every vector, one after the other. */
  readonly vectors: Float32Array;
  /** Some of its memories, to ask for. */
  readonly sample: readonly MadeMemory[];
  /** What a memory's text and vector take by themselves, on average. Bytes. */
  readonly plainBytes: number;
};

export type Stores = {
  readonly at: (size: number) => Promise<Store>;
  readonly close: () => Promise<void>;
};

const SAMPLE = 600;
const BATCH = 250;
const AHEAD = 4;

export const createStores = (say: (text: string) => void): Stores => {
  const made = new Map<number, Promise<Store>>();
  const home = mkdtempSync(join(tmpdir(), 'omnimem-bench-'));
  return {
    at: (size) => {
      const store = made.get(size) ?? makeStore(join(home, String(size)), size, say);
      made.set(size, store);
      return store;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
};

const makeStore = async (dataDir: string, size: number, say: (text: string) => void): Promise<Store> => {
  const begun = performance.now();
  const corpus = createCorpus(size, Date.now());
  const vectors = new Float32Array(size * DIMENSION);
  const sample: MadeMemory[] = [];
  let plainBytes = 0;

  await using product = await openProduct(dataDir, preparedEmbedder(new Map()));
  await rememberModel(product.redis, product.keys, MODEL.id);
  const waiting = new Set<Promise<unknown>>();
  for (let from = 0; from < size; from += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, size - from) }, corpus.memory);
    for (const [i, memory] of memories.entries()) {
      vectors.set(memory.vector, (from + i) * DIMENSION);
      plainBytes += (Buffer.byteLength(memory.content) + memory.vector.byteLength) / size;
      if ((from + i) % Math.max(1, Math.floor(size / SAMPLE)) === 0 && sample.length < SAMPLE) sample.push(memory);
    }
    const writes = memories.map((memory) => writeOf(memory));
    const append = product.log.append(appendOf(writes, memories[0]?.at ?? Date.now())).finally(() => waiting.delete(append));
    waiting.add(append);
    if (waiting.size >= AHEAD) await Promise.race(waiting);
  }
  await Promise.all(waiting);
  const head = await product.log.head();
  if (head) await product.runner.waitFor(head.position, 600_000);
  await untilIdle();
  say(`made a store of ${size} memories in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return { size, dataDir, vectors, sample, plainBytes };
};
