import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../projections/search/ports.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { vectorIndexContract } from './contract.js';
import { clusteredUnits, facets, generator, randomUnit, unit } from './samples.js';

const DIMENSION = 64;

vectorIndexContract('exact scan', async (dimension) => new InProcessVectorIndex({ dimension }));
vectorIndexContract(
  'graph from the first vector on',
  async (dimension) => new InProcessVectorIndex({ dimension, graphFrom: 1, scanMost: 0 }),
);

const seed = 11;
const many = (count: number) => clusteredUnits(count, DIMENSION, generator(seed));

/** How much of the exact answer `knn` gives, over queries near the data. */
const agreement = async (index: InProcessVectorIndex, filter: Filter, k = 10): Promise<number> => {
  const random = generator(seed + 1);
  const queries = many(60).map((vector) => unit([...vector].map((value) => value + 0.05 * (random() - 0.5))));
  let agreed = 0;
  let expected = 0;
  for (const query of queries) {
    const exact = index.scan(query, k, filter);
    const found = await index.knn(query, k, filter);
    const similarityOf = new Map(found.map((hit) => [hit.key, hit]));
    expected += exact.length;
    agreed += exact.filter((hit) => similarityOf.has(hit.key)).length;
    for (const hit of exact) if (similarityOf.has(hit.key)) expect(similarityOf.get(hit.key)).toEqual(hit);
    expect(found).toHaveLength(exact.length);
  }
  return agreed / expected;
};

const filled = async (vectors: readonly Float32Array[], options: { graphFrom: number; scanMost: number }) => {
  const index = new InProcessVectorIndex({ dimension: DIMENSION, ...options });
  for (const [i, vector] of vectors.entries()) {
    const state = i % 10 === 0 ? 'archived' : 'active';
    await index.upsert(`m${i}`, i % 7 === 0 ? [vector, randomUnit(DIMENSION, generator(i))] : [vector], facets({ state, createdAt: i }));
  }
  return index;
};

describe('the in-process vector index with a graph', () => {
  it('answers nearly as the scan does, with the same similarities', async () => {
    const index = await filled(many(3_000), { graphFrom: 500, scanMost: 100 });
    await index.settled();
    expect(index.stats().engine).toBe('hnsw');
    expect(await agreement(index, {})).toBeGreaterThan(0.98);
    expect(await agreement(index, { states: ['active'] })).toBeGreaterThan(0.98);
    expect(await agreement(index, { states: ['archived'] })).toBeGreaterThan(0.98);
    expect(await agreement(index, { createdFrom: 100, createdTo: 105 })).toBe(1);
    await index.close();
  });

  it('is right while the graph is still being built, and does not hold up the event loop', async () => {
    const index = await filled(many(2_000), { graphFrom: 500, scanMost: 100_000 });
    const done = index.settled().then(() => 'built');
    let turns = 0;
    let outcome = await Promise.race([done, nextTurn()]);
    while (outcome === 'turn') {
      turns++;
      expect(await agreement(index, {}, 3)).toBe(1);
      if (turns > 5) break;
      outcome = await Promise.race([done, nextTurn()]);
    }
    expect(turns).toBeGreaterThan(5);
    await done;
    await index.close();
  });

  it('scans what the graph lacks', async () => {
    const index = await filled(many(1_000), { graphFrom: 500, scanMost: 100 });
    await index.settled();
    const fresh = randomUnit(DIMENSION, generator(99));
    void index.upsert('fresh', [fresh], facets());
    expect((await index.knn(fresh, 1, {}))[0]).toEqual({ key: 'fresh', similarity: 1, window: 0 });
    await index.close();
  });

  it('stays right through updates, removals and re-use of their places', async () => {
    const vectors = many(2_000);
    const index = await filled(vectors, { graphFrom: 500, scanMost: 100 });
    await index.settled();
    for (let i = 0; i < 2_000; i += 2) await index.remove(`m${i}`);
    await index.settled();
    for (let i = 0; i < 2_000; i += 4) await index.upsert(`again${i}`, [vectors[i] as Float32Array], facets());
    for (let i = 1; i < 2_000; i += 4) await index.upsert(`m${i}`, [vectors[i + 1] as Float32Array], facets());
    await index.settled();
    expect(index.stats()).toMatchObject({ memories: 1_500, engine: 'hnsw' });
    expect(await agreement(index, {})).toBeGreaterThan(0.97);
    await index.close();
  });

  it('goes back to scanning when most is removed', async () => {
    const index = await filled(many(600), { graphFrom: 500, scanMost: 0 });
    await index.settled();
    for (let i = 0; i < 400; i++) await index.remove(`m${i}`);
    expect(index.stats()).toMatchObject({ memories: 200, engine: 'exact' });
    expect(await agreement(index, {})).toBe(1);
    await index.close();
  });

  it('stops building when it is closed', async () => {
    const index = await filled(many(2_000), { graphFrom: 500, scanMost: 100 });
    await index.close();
    await index.settled();
    expect(index.stats().memories).toBe(2_000);
  });
});

const nextTurn = () => new Promise<'turn'>((resolve) => setImmediate(resolve, 'turn'));
