import { describe, expect, it } from 'vitest';
import { SievedVectorIndex } from '../../../projections/history/sieved-vectors.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { vectorIndexContract } from '../search/contract.js';
import { clusteredUnits, cosine, facets, generator, randomUnit, unit } from '../search/samples.js';

vectorIndexContract('sieve', async (dimension) => new SievedVectorIndex(dimension));

/** Both kinds of exact search, over the same vectors: several windows, several chunks, gaps where memories were removed. */
const filled = async (vectors: readonly Float32Array[], dimension: number) => {
  const both = [new SievedVectorIndex(dimension), new InProcessVectorIndex({ dimension, graphFrom: Number.POSITIVE_INFINITY })] as const;
  for (const index of both) {
    for (const [i, vector] of vectors.entries()) {
      const windows = i % 7 === 0 ? [vector, randomUnit(dimension, generator(i))] : [vector];
      await index.upsert(`m${i}`, windows, facets({ state: i % 10 === 0 ? 'archived' : 'active', project: `p${i % 5}`, createdAt: i }));
    }
    for (let i = 0; i < vectors.length; i += 11) await index.remove(`m${i}`);
    for (let i = 0; i < vectors.length; i += 33) await index.upsert(`again${i}`, [vectors[i] ?? new Float32Array()], facets());
  }
  return both;
};

describe('the sieve finds what a full scan finds', () => {
  it.each([3, 48, 384])('in %i dimensions', async (dimension) => {
    const vectors = clusteredUnits(6_000, dimension, generator(3));
    const [sieve, scan] = await filled(vectors, dimension);
    const random = generator(4);
    for (let i = 0; i < 40; i++) {
      const near = vectors[Math.floor(random() * vectors.length)] ?? new Float32Array();
      const query = unit([...near].map((value) => value + (i / 40) * (random() - 0.5)));
      for (const filter of [
        {},
        { states: ['active'] as const },
        { projects: ['p1', 'p2'] },
        { projects: ['p3'], states: ['archived'] as const },
      ])
        expect(await sieve.knn(query, 20, filter)).toEqual(scan.scan(query, 20, filter));
    }
  });

  it.each([
    [
      'without any cluster',
      (dimension: number, random: () => number) => Array.from({ length: 5_000 }, () => randomUnit(dimension, random)),
    ],
    [
      'with many ties',
      (dimension: number, random: () => number) => {
        const few = Array.from({ length: 60 }, () => randomUnit(dimension, random));
        return Array.from({ length: 5_000 }, () => few[Math.floor(random() ** 2 * few.length)] ?? new Float32Array());
      },
    ],
    ['where they crowd', (dimension: number, random: () => number) => clusteredUnits(5_000, dimension, random)],
  ])('%s, as a plain loop over all of them says', async (_, made) => {
    for (const [round, dimension] of [7, 64, 384].entries()) {
      const random = generator(30 + round);
      const vectors = made(dimension, random);
      const sieve = new SievedVectorIndex(dimension);
      const scan = new InProcessVectorIndex({ dimension, graphFrom: Number.POSITIVE_INFINITY });
      for (const [i, vector] of vectors.entries()) {
        // Later windows may be the nearer ones.
        const windows = i % 5 === 0 ? [vector, vectors[(i * 31) % vectors.length] ?? vector] : [vector];
        for (const index of [sieve, scan]) await index.upsert(`m${i}`, windows, facets({ project: `p${i % 8}` }));
      }
      for (const k of [1, 20, 150, 6_000]) {
        const query = k === 20 ? (vectors[17] ?? new Float32Array()) : randomUnit(dimension, random);
        for (const projects of [undefined, ['p0'], ['p2', 'p3', 'p7']]) {
          const all = vectors.flatMap((vector, i) => {
            if (projects && !projects.includes(`p${i % 8}`)) return [];
            const windows = i % 5 === 0 ? [vector, vectors[(i * 31) % vectors.length] ?? vector] : [vector];
            return [{ key: `m${i}`, similarity: Math.max(...windows.map((window) => cosine(window, query))) }];
          });
          all.sort((a, b) => b.similarity - a.similarity || (a.key < b.key ? -1 : 1));
          const filter = projects ? { projects } : {};
          for (const found of [await sieve.knn(query, k, filter), scan.scan(query, k, filter)])
            expect(found.map(({ key, similarity }) => ({ key, similarity }))).toEqual(all.slice(0, k));
        }
      }
    }
  });

  it('where many are equally near, and where a number is too large for its byte', async () => {
    const dimension = 384;
    const spike = unit([1, ...Array.from({ length: dimension - 1 }, () => 0.001)]);
    const vectors = [...Array.from({ length: 900 }, () => spike), ...clusteredUnits(600, dimension, generator(5))];
    const [sieve, scan] = await filled(vectors, dimension);
    for (const query of [spike, vectors[1_000] ?? spike]) expect(await sieve.knn(query, 30, {})).toEqual(scan.scan(query, 30, {}));
  });

  it('has a memory once that is put twice at the same time', async () => {
    const [first = new Float32Array(), second = new Float32Array()] = clusteredUnits(2, 16, generator(6));
    const index = new SievedVectorIndex(16);
    await Promise.all([index.upsert('m', [first], facets()), index.upsert('m', [second], facets())]);
    expect((await index.knn(second, 5, {})).map(({ key }) => key)).toEqual(['m']);
    expect(index.stats()).toMatchObject({ memories: 1, vectors: 1 });
  });

  it('keeps nothing of a vector that was removed', async () => {
    const [vector = new Float32Array()] = clusteredUnits(1, 16, generator(6));
    const index = new SievedVectorIndex(16);
    await index.upsert('gone', [vector], facets());
    await index.remove('gone');
    expect(await index.knn(vector, 5, {})).toEqual([]);
    expect(index.stats()).toMatchObject({ memories: 0, vectors: 0 });
  });
});
