import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hybridSearch } from '../../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { facets, generator, randomUnit, unit } from './samples.js';

const DIMENSION = 16;
const random = generator(2);
const query = randomUnit(DIMENSION, random);
const opposite = unit([...query].map((value) => -value));

describe('hybrid search', () => {
  let vectors: InProcessVectorIndex;
  let words: InMemoryLexicalIndex;
  const remember = async (key: string, text: string, vector: Float32Array | undefined, changes = {}) => {
    words.upsert(key, text, facets(changes));
    if (vector) await vectors.upsert(key, [vector], facets(changes));
  };
  const search = (text: string, candidates = 1, filter = {}) => hybridSearch(vectors, words, { text, vector: query, candidates, filter });

  beforeEach(() => {
    vectors = new InProcessVectorIndex({ dimension: DIMENSION });
    words = new InMemoryLexicalIndex();
  });
  afterEach(() => vectors.close());

  it('scores each candidate by both, whichever index found it', async () => {
    await remember('meaning', 'the lease expired and two workers wrote, ERR_LEASE among others', query);
    await remember('spelling', 'ERR_LEASE', opposite);
    const [first, second] = await search('ERR_LEASE');
    expect(first).toMatchObject({ key: 'meaning', cosine: 1, coverage: 1 });
    expect(first?.lexical).toBeGreaterThan(0);
    expect(second).toMatchObject({ key: 'spelling', cosine: -1, window: 0, coverage: 1 });
  });

  it('looks with the end of a long query too, and takes the nearer of the two', async () => {
    const end = randomUnit(DIMENSION, random);
    await remember('beginning', 'nothing shared', query);
    await remember('end', 'nothing either', end);
    await remember('spelling', 'ERR_LEASE', end);
    const asked = { text: 'ERR_LEASE', vector: query, candidates: 3, filter: {} };
    const alone = await hybridSearch(vectors, words, { ...asked, candidates: 1 });
    expect(alone.find(({ key }) => key === 'end')).toBeUndefined();
    const both = await hybridSearch(vectors, words, { ...asked, ending: end });
    expect(both.map(({ key, cosine }) => [key, cosine])).toEqual([
      ['spelling', 1],
      ['beginning', 1],
      ['end', 1],
    ]);
    const few = await hybridSearch(vectors, words, { ...asked, candidates: 1, ending: end });
    expect(few.find(({ key }) => key === 'spelling')).toMatchObject({ cosine: 1 });
  });

  it('finds a memory that has no vector yet by its words', async () => {
    await remember('with', 'about something else', query);
    await remember('pending', 'ERR_LEASE', undefined);
    expect((await search('ERR_LEASE', 5)).map((hit) => [hit.key, hit.cosine])).toEqual([
      ['with', 1],
      ['pending', undefined],
    ]);
  });

  it('goes by words alone without a vector', async () => {
    await remember('meaning', 'other words', query);
    await remember('spelling', 'ERR_LEASE', opposite);
    const hits = await hybridSearch(vectors, words, { text: 'ERR_LEASE', vector: undefined, candidates: 5, filter: {} });
    expect(hits.map((hit) => [hit.key, hit.cosine])).toEqual([['spelling', undefined]]);
  });

  it('filters in both indexes', async () => {
    await remember('archived', 'ERR_LEASE', query, { state: 'archived' });
    await remember('active', 'ERR_LEASE', opposite);
    expect((await search('ERR_LEASE', 5, { states: ['active'] })).map((hit) => hit.key)).toEqual(['active']);
  });
});
