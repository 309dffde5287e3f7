import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Filter, LexicalIndex, VectorIndex } from '../../../projections/search/ports.js';
import { clusteredUnits, cosine, facets, generator, randomUnit, unit } from './samples.js';

const DIMENSION = 32;

/** The filters that every adapter must honour, over the memories a to f below. */
const FILTERED = [
  { key: 'a', facets: facets() },
  { key: 'b', facets: facets({ state: 'deprioritised' }) },
  { key: 'c', facets: facets({ namespace: 'project', createdAt: 2_000 }) },
  { key: 'd', facets: facets({ project: undefined, licence: 'restricted' }) },
  { key: 'e', facets: facets({ project: 'borealis', createdAt: 3_000 }) },
  { key: 'f', facets: facets({ project: '{a|b}*@x:{y}', state: 'archived', licence: 'unknown' }) },
];
const FILTERS: readonly (readonly [name: string, filter: Filter, keys: string])[] = [
  ['nothing asked', {}, 'abcdef'],
  ['a state', { states: ['active'] }, 'acde'],
  ['two states', { states: ['archived', 'deprioritised'] }, 'bf'],
  ['a namespace', { namespaces: ['project'] }, 'c'],
  ['a project', { projects: ['atlas'] }, 'abc'],
  ['several projects', { projects: ['borealis', 'atlas', 'unheard of'] }, 'abce'],
  ['a project of odd characters', { projects: ['{a|b}*@x:{y}'] }, 'f'],
  ['a wildcard, which is a name', { projects: ['*'] }, ''],
  ['an unknown project', { projects: ['unheard of'] }, ''],
  ['licences', { licences: ['restricted', 'unknown'] }, 'df'],
  ['a time from', { createdFrom: 2_000 }, 'ce'],
  ['a time to', { createdTo: 2_000 }, 'abcdf'],
  ['a time range', { createdFrom: 1_001, createdTo: 2_999 }, 'c'],
  [
    'all together',
    { states: ['active'], namespaces: ['episodic'], projects: ['atlas', 'borealis'], licences: ['own'], createdTo: 1_000 },
    'a',
  ],
  ['an empty list', { states: [] }, ''],
  ['an empty list of projects', { projects: [] }, ''],
];

export const vectorIndexContract = (name: string, create: (dimension: number) => Promise<VectorIndex>): void => {
  describe(`${name}: vector index`, () => {
    let index: VectorIndex;
    const random = generator(7);
    const query = randomUnit(DIMENSION, random);
    const keys = async (k: number, filter: Filter = {}) => (await index.knn(query, k, filter)).map((hit) => hit.key);

    beforeEach(async () => {
      index = await create(DIMENSION);
    });
    afterEach(() => index.close());

    it('finds nothing in an empty index', async () => expect(await index.knn(query, 5, {})).toEqual([]));

    it('gives the nearest, best first, with the rounded cosine', async () => {
      const vectors = clusteredUnits(200, DIMENSION, random);
      for (const [i, vector] of vectors.entries()) await index.upsert(`m${i}`, [vector], facets());
      const expected = vectors
        .map((vector, i) => ({ key: `m${i}`, similarity: cosine(vector, query), window: 0 }))
        .sort((a, b) => b.similarity - a.similarity || (a.key < b.key ? -1 : 1));
      expect(await index.knn(query, 10, {})).toEqual(expected.slice(0, 10));
      expect(await index.knn(query, 500, {})).toEqual(expected);
    });

    it('puts equal memories in the order of their keys', async () => {
      for (const key of ['c', 'a', 'd', 'b']) await index.upsert(key, [query], facets());
      expect(await keys(3)).toEqual(['a', 'b', 'c']);
    });

    it('finds a memory once, by its best window', async () => {
      const far = unit([...query].map((value) => -value));
      await index.upsert('long', [far, randomUnit(DIMENSION, random), query, far], facets());
      await index.upsert('short', [far], facets());
      expect(await index.knn(query, 5, {})).toEqual([
        { key: 'long', similarity: 1, window: 2 },
        { key: 'short', similarity: -1, window: 0 },
      ]);
      expect(index.stats()).toMatchObject({ memories: 2, vectors: 5, dimension: DIMENSION });
    });

    it('forgets the vectors that an upsert replaces', async () => {
      await index.upsert('a', [query, query], facets());
      const other = randomUnit(DIMENSION, random);
      await index.upsert('a', [other], facets());
      expect(await index.knn(query, 5, {})).toEqual([{ key: 'a', similarity: cosine(other, query), window: 0 }]);
      expect(index.stats()).toMatchObject({ memories: 1, vectors: 1 });
    });

    it('forgets a key, and takes it again', async () => {
      await index.upsert('a', [query], facets());
      await index.upsert('b', [query], facets());
      await index.remove('a');
      await index.remove('never there');
      expect(await keys(5)).toEqual(['b']);
      await index.upsert('a', [query], facets());
      expect(await keys(5)).toEqual(['a', 'b']);
    });

    it('follows a change of facets, and ignores one of an unknown key', async () => {
      await index.upsert('a', [query], facets());
      await index.setFacets('a', facets({ state: 'archived', project: 'borealis' }));
      await index.setFacets('unknown', facets());
      expect(await keys(5, { states: ['active'] })).toEqual([]);
      expect(await keys(5, { states: ['archived'], projects: ['borealis'] })).toEqual(['a']);
      expect(await keys(5)).toEqual(['a']);
    });

    it.each(FILTERS)('filters inside the search: %s', async (_, filter, expected) => {
      for (const memory of FILTERED) await index.upsert(memory.key, [query], memory.facets);
      expect((await keys(10, filter)).join('')).toBe(expected);
    });

    it('fills k under a filter that most of the nearest fail', async () => {
      for (let i = 0; i < 300; i++) await index.upsert(`near${i}`, [query], facets({ state: 'archived' }));
      for (let i = 0; i < 7; i++) await index.upsert(`far${i}`, [randomUnit(DIMENSION, random)], facets());
      expect(await keys(7, { states: ['active'] })).toHaveLength(7);
    });

    it('tells the similarity of given keys, in their order', async () => {
      const other = randomUnit(DIMENSION, random);
      await index.upsert('a', [other], facets());
      await index.upsert('b', [other, query], facets());
      expect(await index.similarities(query, ['b', 'missing', 'a'])).toEqual([
        { key: 'b', similarity: 1, window: 1 },
        { key: 'a', similarity: cosine(other, query), window: 0 },
      ]);
    });

    it.each([
      ['a wrong length', new Float32Array(DIMENSION + 1).fill(1 / Math.sqrt(DIMENSION + 1))],
      ['NaN', new Float32Array(DIMENSION).fill(Number.NaN)],
      ['zeros', new Float32Array(DIMENSION)],
      ['no unit vector', new Float32Array(DIMENSION).fill(1)],
      ['infinity', new Float32Array(DIMENSION).fill(Number.POSITIVE_INFINITY)],
    ])('refuses %s and keeps what it had', async (_, bad) => {
      await index.upsert('a', [query], facets());
      await expect(index.upsert('a', [query, bad], facets())).rejects.toMatchObject({ code: 'VALIDATION' });
      await expect(index.knn(bad, 5, {})).rejects.toMatchObject({ code: 'VALIDATION' });
      expect(await index.knn(query, 5, {})).toEqual([{ key: 'a', similarity: 1, window: 0 }]);
    });
  });
};

export const lexicalIndexContract = (name: string, create: () => LexicalIndex): void => {
  describe(`${name}: lexical index`, () => {
    let index: LexicalIndex;
    const keys = (query: string, k = 10, filter: Filter = {}) => index.search(query, k, filter).map((hit) => hit.key);

    beforeEach(() => {
      index = create();
    });

    it('takes a last word that nobody holds for the beginning of one, and no other word', () => {
      index.upsert('a', 'the valkey cluster failed over', facets());
      index.upsert('b', 'ERR_MODULE_NOT_FOUND at start', facets());
      index.upsert('c', 'the village fair', facets());
      expect(keys('valk')).toEqual(['a']);
      expect(keys('what about ERR_MODULE_NOT')).toEqual(['b']);
      expect(keys('valk nothing')).toEqual([]);
      expect(keys('va')).toEqual([]);
      expect(keys('fair')).toEqual(['c']);
    });

    it('completes an identifier as it was begun, and else its end', () => {
      for (const end of ['URL', 'SECRET', 'TIMEOUT']) index.upsert(end, `set PAYMENTS_WEBHOOK_${end} before the start`, facets());
      for (const end of ['design-tokens', 'icons']) index.upsert(end, `we moved @acme/${end} to the monorepo`, facets());
      index.upsert('bill', 'src/services/billing/invoiceMailer.ts sends it', facets());
      index.upsert('ship', 'src/services/shipping/labels.ts prints it', facets());
      index.upsert('flag', 'never push with --no-verify here', facets());
      index.upsert('verifier', 'the verifier of the release, no less', facets());
      expect(keys('PAYMENTS_WEBHOOK_SECRE')[0]).toBe('SECRET');
      expect(keys('where is PAYMENTS_WEBHOOK_TIM')[0]).toBe('TIMEOUT');
      expect(keys('@acme/des')[0]).toBe('design-tokens');
      expect(keys('src/services/bil')[0]).toBe('bill');
      expect(keys('elsewhere/invoiceMai')).toEqual(['bill']);
      for (const flag of ['--no-verif', 'no-verif']) expect(keys(flag)).toEqual(['flag']);
      expect(index.search('PAYMENTS_WEBHOOK_SECRE', 3, {}).map(({ score }) => score > 0.4)).toEqual([true, false, false]);
    });

    it('finds names, codes and umlauts as others write them', () => {
      index.upsert('snake', 'ERR_MODULE_NOT_FOUND at start', facets());
      index.upsert('camel', 'call getInvoiceTotal first', facets());
      index.upsert('ticket', 'see PROJ-4711', facets());
      index.upsert('hex', 'it failed with 0x80070005', facets());
      index.upsert('umlaut', 'die Größenänderung der Platte', facets());
      index.upsert('other', 'an error of a module was found in PROJ-4712, total of the invoice, 0x80070006', facets());
      const asked = ['errModuleNotFound', 'get_invoice_total', 'PROJ4711', 'PROJ_4711', '80070005', 'Groessenaenderung'];
      expect(asked.map((query) => keys(query)[0])).toEqual(['snake', 'camel', 'ticket', 'ticket', 'hex', 'umlaut']);
      expect(index.search('what about PROJ4711', 1, {})[0]).toMatchObject({ named: true });
    });

    it('finds emoji, and nothing for one that nobody holds', () => {
      index.upsert('rocket', '🚀 deploy channel', facets());
      index.upsert('other', 'the deploy channel of others 🔥', facets());
      expect(keys('🚀')).toEqual(['rocket']);
      expect(keys('🔥')).toEqual(['other']);
      expect(keys('🦄')).toEqual([]);
      expect(keys('deploy channel 🚀')[0]).toBe('rocket');
    });

    it('finds a rare name at the end of a query of many rarer words', () => {
      const rare = Array.from({ length: 60 }, (_, i) => `a${i}word`);
      index.upsert('pasted', rare.join(' '), facets());
      index.upsert('code', 'ZZZ_PASTED_CODE was the cause', facets());
      expect(index.search(`${rare.join(' ')} ZZZ_PASTED_CODE`, 5, {}).find(({ key }) => key === 'code')).toMatchObject({ named: true });
    });

    it('says which hits hold a rare name that the query spells out', () => {
      for (let i = 0; i < 400; i++) index.upsert(`m${i}`, `note ${i} on build_all and the weather`, facets());
      index.upsert('x', 'ticket-17x was the cause', facets());
      expect(index.search('what was ticket-17x about', 3, {})[0]).toMatchObject({ key: 'x', named: true });
      expect(index.scores('what was ticket-17x about', ['x', 'm3'])).toMatchObject([{ key: 'x', named: true }]);
      expect(index.search('why build_all', 3, {}).some(({ named }) => named)).toBe(false);
      expect(index.search('ticket cause', 3, {}).some(({ named }) => named)).toBe(false);
    });

    it('finds nothing in an empty index, for an empty query, for an unknown word', () => {
      expect(keys('word')).toEqual([]);
      index.upsert('a', 'some word', facets());
      expect(keys('')).toEqual([]);
      expect(keys('?!')).toEqual([]);
      expect(keys('zzz')).toEqual([]);
    });

    it.each([
      'ERR_MODULE_NOT_FOUND',
      '@scope/pkg',
      'snake_case',
      'camelCase',
      'v1.2.3',
      'src/app/main.ts',
      '--no-verify',
      '6379',
      '接続',
      'Größe',
    ])('finds %s by its exact spelling', (identifier) => {
      index.upsert('with', `We met ${identifier}, again.`, facets());
      index.upsert('without', 'We met an error in a module of the app, not found again in any scope or case, version 1, no 63.', facets());
      expect(index.search(identifier, 1, {})[0]).toMatchObject({ key: 'with', coverage: 1 });
    });

    it('prefers rare words, more of them, and short texts', () => {
      index.upsert('common', 'deploy deploy the service', facets());
      index.upsert('rare', 'deploy the zeppelin', facets());
      index.upsert('long', `deploy the zeppelin ${'and many other matters besides '.repeat(20)}`, facets());
      expect(keys('deploy zeppelin')).toEqual(['rare', 'long', 'common']);
    });

    it('scores between 0 and 1, whatever else matched', () => {
      index.upsert('a', 'redis '.repeat(200), facets());
      index.upsert('b', 'redis once in a much longer text about caches', facets());
      const [best, second] = index.search('redis', 5, {});
      expect(best).toMatchObject({ key: 'a', coverage: 1 });
      expect(best?.score).toBeGreaterThan(0.9);
      expect(best?.score).toBeLessThanOrEqual(1);
      expect(second?.score).toBeGreaterThan(0);
      const [weak] = index.search('redis zeppelin quorum lattice', 5, {});
      expect(weak?.score).toBeLessThan(0.2);
      expect(weak?.coverage).toBeLessThan(0.2);
    });

    it('answers a query of stop words only, and ignores them in any other', () => {
      index.upsert('a', 'who is it', facets());
      index.upsert('b', 'the deployment', facets());
      expect(keys('who is it')).toEqual(['a']);
      expect(keys('who is the deployment')).toEqual(['b']);
    });

    it('puts equal texts in the order of their keys', () => {
      for (const key of ['c', 'a', 'd', 'b']) index.upsert(key, 'same text', facets());
      expect(keys('text', 3)).toEqual(['a', 'b', 'c']);
    });

    it('forgets the text that an upsert replaces, and a removed key', () => {
      index.upsert('a', 'first wording', facets());
      index.upsert('a', 'second wording', facets());
      index.upsert('b', 'third wording', facets());
      expect(keys('first')).toEqual([]);
      expect(keys('second')).toEqual(['a']);
      index.remove('a');
      index.remove('never there');
      expect(keys('wording')).toEqual(['b']);
      expect(index.stats()).toEqual({ memories: 1, terms: 2 });
      index.remove('b');
      expect(index.stats()).toEqual({ memories: 0, terms: 0 });
    });

    it('follows a change of facets, and ignores one of an unknown key', () => {
      index.upsert('a', 'text', facets());
      index.setFacets('a', facets({ state: 'archived' }));
      index.setFacets('unknown', facets());
      expect(keys('text', 5, { states: ['active'] })).toEqual([]);
      expect(keys('text', 5, { states: ['archived'] })).toEqual(['a']);
    });

    it.each(FILTERS)('filters inside the search: %s', (_, filter, expected) => {
      for (const memory of FILTERED) index.upsert(memory.key, 'text', memory.facets);
      expect(keys('text', 10, filter).join('')).toBe(expected);
    });

    it('fills k under a filter that the best fail', () => {
      for (let i = 0; i < 300; i++) index.upsert(`best${i}`, 'text', facets({ state: 'archived' }));
      for (let i = 0; i < 7; i++) index.upsert(`longer${i}`, 'some text among other words', facets());
      expect(keys('text', 7, { states: ['active'] })).toHaveLength(7);
    });

    it('scores given keys as the search does, in their order', () => {
      index.upsert('a', 'alpha beta', facets());
      index.upsert('b', 'alpha', facets());
      index.upsert('c', 'gamma', facets());
      const found = new Map(index.search('alpha beta', 5, {}).map((hit) => [hit.key, hit]));
      expect(index.scores('alpha beta', ['b', 'c', 'missing', 'a'])).toEqual([found.get('b'), found.get('a')]);
    });
  });
};
