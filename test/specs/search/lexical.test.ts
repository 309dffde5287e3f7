import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentTerms, queryTerms } from '../../../domain/text/tokens.js';
import { BinaryReader, BinaryWriter } from '../../../projections/search/binary.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import type { LexicalHit } from '../../../projections/search/ports.js';
import { lexicalIndexContract } from './contract.js';
import { facets, generator } from './samples.js';

lexicalIndexContract('in memory', () => new InMemoryLexicalIndex());

const reloaded = (index: InMemoryLexicalIndex): InMemoryLexicalIndex => {
  const writer = new BinaryWriter();
  index.dump(writer);
  return InMemoryLexicalIndex.load(new BinaryReader(Buffer.concat(writer.chunks())));
};

lexicalIndexContract('in memory, read back from its dump', () => reloaded(new InMemoryLexicalIndex()));

/** BM25 as in the text book, with none of the short cuts. */
const naive = (documents: ReadonlyMap<string, string>, query: string, k: number): LexicalHit[] => {
  const parsed = [...documents].map(([key, text]) => ({ key, ...documentTerms(text) }));
  const average = Math.max(1, parsed.reduce((sum, document) => sum + document.terms.length, 0) / parsed.length);
  const weighed = queryTerms(query).map(({ term, weight }) => {
    const holders = parsed.filter((document) => [...document.terms, ...document.silent].includes(term)).length;
    return { term, idf: weight * Math.log(1 + (parsed.length - holders + 0.5) / (holders + 0.5)) };
  });
  const ideal = weighed.reduce((sum, { idf }) => sum + idf * 2.2, 0);
  return parsed
    .map(({ key, terms, silent }) => {
      let score = 0;
      let covered = 0;
      for (const { term, idf } of weighed) {
        const frequency = [...terms, ...silent].filter((other) => other === term).length;
        if (frequency === 0) continue;
        score += (idf * 2.2 * frequency) / (frequency + 1.2 * (0.25 + (0.75 * terms.length) / average));
        covered += idf * 2.2;
      }
      return { key, score: score / ideal, coverage: covered / ideal };
    })
    .filter((hit) => hit.coverage > 0)
    .sort((a, b) => Math.round(b.score * 1e6) - Math.round(a.score * 1e6) || (a.key < b.key ? -1 : 1))
    .slice(0, k);
};

const WORDS = ['redis', 'stream', 'event', 'replay', 'lease', 'node', 'ERR_A', 'a.b', 'the', 'of', '日本', 'x1', 'x2', 'x3'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const key = fc.constantFrom(...'abcdefghijklmnop');
const changes = fc.array(fc.record({ key, text: fc.option(text, { nil: undefined }) }), { maxLength: 60 });

const applied = (steps: readonly { key: string; text: string | undefined }[]) => {
  const index = new InMemoryLexicalIndex();
  const documents = new Map<string, string>();
  for (const step of steps) {
    if (step.text === undefined) {
      index.remove(step.key);
      documents.delete(step.key);
    } else {
      index.upsert(step.key, step.text, facets());
      documents.set(step.key, step.text);
    }
  }
  return { index, documents };
};

describe('the in-memory lexical index', () => {
  it('answers as plain BM25 does, after any upserts and removals', () => {
    fc.assert(
      fc.property(changes, text, fc.integer({ min: 1, max: 6 }), (steps, query, k) => {
        const { index, documents } = applied(steps);
        const expected = documents.size === 0 ? [] : naive(documents, query, k);
        const found = index.search(query, k, {});
        expect(found.map((hit) => hit.key)).toEqual(expected.map((hit) => hit.key));
        for (const [i, hit] of found.entries()) {
          expect(hit.score).toBeCloseTo(expected[i]?.score ?? Number.NaN, 5);
          expect(hit.coverage).toBeCloseTo(expected[i]?.coverage ?? Number.NaN, 5);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('depends on the set of documents only, not on how they came to be', () => {
    fc.assert(
      fc.property(changes, text, (steps, query) => {
        const { index, documents } = applied(steps);
        const fresh = new InMemoryLexicalIndex();
        for (const [key, text] of [...documents].sort().reverse()) fresh.upsert(key, text, facets());
        expect(fresh.search(query, 5, {})).toEqual(index.search(query, 5, {}));
        expect(fresh.stats()).toEqual(index.stats());
      }),
      { numRuns: 300 },
    );
  });

  it('answers a query that was just asked as the documents are now', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), text), { minLength: 2, maxLength: 8 }), text, (steps, query) => {
        const index = new InMemoryLexicalIndex();
        const documents = new Map<string, string>();
        for (const [key, content] of steps) {
          const gone = documents.get(key) === content;
          if (gone) index.remove(key);
          else index.upsert(key, content, facets());
          if (gone) documents.delete(key);
          else documents.set(key, content);
          const fresh = new InMemoryLexicalIndex();
          for (const [other, words] of documents) fresh.upsert(other, words, facets());
          expect(index.search(query, 5, {})).toEqual(fresh.search(query, 5, {}));
          expect(index.scores(query, ['a', 'b', 'c'])).toEqual(fresh.scores(query, ['a', 'b', 'c']));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('answers the same after a dump and a load, and goes on from there', () => {
    fc.assert(
      fc.property(changes, changes, text, (before, after, query) => {
        const { index } = applied(before);
        const copy = reloaded(index);
        for (const each of [index, copy])
          for (const step of after) step.text === undefined ? each.remove(step.key) : each.upsert(step.key, step.text, facets());
        expect(copy.search(query, 5, {})).toEqual(index.search(query, 5, {}));
        expect(copy.stats()).toEqual(index.stats());
      }),
      { numRuns: 300 },
    );
  });

  it('prunes without losing anybody among thousands of documents', () => {
    const random = generator(3);
    const word = () => `w${Math.floor(3000 ** random())}x`;
    const documents = new Map(Array.from({ length: 3000 }, (_, i) => [`m${i}`, Array.from({ length: 5 + (i % 30) }, word).join(' ')]));
    const index = new InMemoryLexicalIndex();
    for (const [key, text] of documents) index.upsert(key, text, facets());
    for (let i = 0; i < 8; i++) {
      const query = Array.from({ length: 6 }, word).join(' ');
      expect(index.search(query, 10, {}).map((hit) => hit.key)).toEqual(naive(documents, query, 10).map((hit) => hit.key));
    }
  });

  it('uses the numbers of gone terms and documents again', () => {
    const index = new InMemoryLexicalIndex();
    const size = () => {
      const writer = new BinaryWriter();
      index.dump(writer);
      return Buffer.concat(writer.chunks()).length;
    };
    const fill = (round: number) => {
      for (let i = 0; i < 50; i++) index.upsert(`m${i}`, `word${i} round${round} common words`, facets());
    };
    fill(0);
    fill(1);
    const before = size();
    for (let round = 2; round < 10; round++) fill(round);
    expect(size()).toBe(before);
  });
});
