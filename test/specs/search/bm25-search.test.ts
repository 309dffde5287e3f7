import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collection, FREQUENCY_BITS, share, type WeighedQuery, weigh } from '../../../projections/search/bm25.js';
import { Bm25Search } from '../../../projections/search/bm25-search.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import type { Filter, LexicalHit } from '../../../projections/search/ports.js';
import { rounded } from '../../../projections/search/top-k.js';
import { WINDOW } from '../../../projections/search/window-sums.js';
import { facets, generator } from './samples.js';

type Document = ReadonlyMap<number, number>;
type Made = { readonly collection: Collection; readonly query: WeighedQuery };

const keyOf = (slot: number): string => `m${(slot * 7919) % 100_003}`;

/** A collection of documents by slot, and a query of all its terms, which are numbered from 0. */
const made = (documents: ReadonlyMap<number, Document>, terms: number, end: number, matches: (slot: number) => boolean): Made => {
  const slots = [...documents.keys()].sort((a, b) => a - b);
  const lengths = new Uint32Array(end);
  for (const [slot, document] of documents) lengths[slot] = [...document.values()].reduce((sum, often) => sum + often, 0) + (slot % 5);
  const values: number[] = [];
  const asked = Array.from({ length: terms }, (_, id) => {
    const start = values.length;
    let [mostOften, leastSpread] = [0, Number.POSITIVE_INFINITY];
    for (const slot of slots) {
      const frequency = documents.get(slot)?.get(id) ?? 0;
      if (frequency === 0) continue;
      values.push(slot * 2 ** FREQUENCY_BITS + frequency);
      mostOften = Math.max(mostOften, frequency);
      leastSpread = Math.min(leastSpread, (lengths[slot] as number) / frequency);
    }
    return { term: `t${id}`, id, weight: id % 3 === 2 ? 0.5 : 1, documents: values.length - start, start, mostOften, leastSpread };
  });
  const collection: Collection = {
    documents: documents.size,
    end,
    averageLength: Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / documents.size),
    lengths,
    postings: Uint32Array.from(values),
    matches,
    frequencyIn: (slot, term) => documents.get(slot)?.get(term) ?? 0,
  };
  return { collection, query: weigh(asked, collection) };
};

/** Every document scored by every term, with none of the short cuts. */
const exhaustive = (documents: ReadonlyMap<number, Document>, { collection, query }: Made, k: number): LexicalHit[] =>
  [...documents.keys()]
    .filter(collection.matches)
    .map((slot) => {
      let [sum, covered] = [0, 0];
      for (const { id, ideal } of query.known) {
        const frequency = documents.get(slot)?.get(id) ?? 0;
        if (frequency === 0) continue;
        sum += share(ideal, frequency, collection.lengths[slot] as number, collection.averageLength);
        covered += ideal;
      }
      return { key: keyOf(slot), score: rounded(sum / query.ideal), coverage: rounded(covered / query.ideal) };
    })
    .filter(({ coverage }) => coverage > 0)
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
    .slice(0, k);

/** Shares of the documents that hold a term: from names to words of every second document. */
const RARITY = [0.0005, 0.002, 0.01, 0.03, 0.1, 0.2, 0.5] as const;

const sample = (seed: number, slots: number, spread: number): Map<number, Document> => {
  const random = generator(seed);
  const documents = new Map<number, Document>();
  for (let i = 0; i < slots; i++) {
    const held = RARITY.flatMap((share, id): [number, number][] => (random() < share ? [[id, 1 + Math.floor(4 * random() ** 4)]] : []));
    documents.set(i * spread, new Map(held));
  }
  return documents;
};

describe('the search by windows', () => {
  it('finds what scoring every document finds, over several windows, for any number of hits and any filter', () => {
    const search = new Bm25Search(keyOf);
    const shape = fc.record({
      seed: fc.nat(),
      documents: fc.constantFrom(40, 900, 4000),
      spread: fc.constantFrom(1, 3, 9),
      k: fc.constantFrom(1, 5, 20, 300, 5000),
      every: fc.constantFrom(1, 2, 50),
    });
    fc.assert(
      fc.property(shape, ({ seed, documents, spread, k, every }) => {
        const all = sample(seed, documents, spread);
        const one = made(all, RARITY.length, documents * spread, (slot) => slot % every === 0);
        expect(search.search(one.query, Math.min(k, documents), one.collection)).toEqual(exhaustive(all, one, Math.min(k, documents)));
      }),
      { numRuns: 60 },
    );
  });

  it('finds the best in the last window, and equal ones on both sides of a border by their keys', () => {
    const documents = new Map<number, Document>();
    for (let slot = 0; slot < 5 * WINDOW; slot++) documents.set(slot, new Map([[slot % 2, 1]]));
    for (const slot of [WINDOW - 5, WINDOW - 1, WINDOW, 5 * WINDOW - 5]) documents.set(slot, new Map([[2, 2]]));
    documents.set(
      5 * WINDOW - 1,
      new Map([
        [0, 1],
        [1, 1],
        [2, 3],
      ]),
    );
    const one = made(documents, 3, 5 * WINDOW, () => true);
    for (const k of [1, 4, 6]) expect(new Bm25Search(keyOf).search(one.query, k, one.collection)).toEqual(exhaustive(documents, one, k));
  });

  it('of hits says what scores says of them, in an index that changed and was filtered', () => {
    const random = generator(11);
    const index = new InMemoryLexicalIndex();
    const word = () => `w${Math.floor(400 ** random())}x`;
    const upsert = (i: number) =>
      index.upsert(`m${i}`, Array.from({ length: 3 + (i % 9) }, word).join(' '), facets({ project: `p${i % 4}` }));
    for (let i = 0; i < 2000; i++) upsert(i);
    for (let i = 0; i < 2000; i += 3) i % 2 === 0 ? index.remove(`m${i}`) : upsert(i);
    const filters: readonly Filter[] = [{}, { projects: ['p1'] }, { projects: ['p1', 'p3'] }, { states: ['archived'] }];
    const keys = Array.from({ length: 2000 }, (_, i) => `m${i}`);
    for (let i = 0; i < 10; i++) {
      const query = Array.from({ length: 5 }, word).join(' ');
      for (const filter of filters) {
        const allowed = (key: string) => !filter.states && (filter.projects?.includes(`p${Number(key.slice(1)) % 4}`) ?? true);
        const expected = index
          .scores(query, keys)
          .filter(({ key }) => allowed(key))
          .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
        for (const k of [1, 20, 1000]) expect(index.search(query, k, filter)).toEqual(expected.slice(0, k));
      }
    }
  });
});
