import type { Redis } from 'iovalkey';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bytesOf, createIndex } from '../../../projections/search/valkey/commands.js';
import { HIT_FIELDS } from '../../../projections/search/valkey/hits.js';
import { definitionOf, ValkeyVectorIndex, type ValkeyVectorIndexOptions } from '../../../projections/search/valkey/index.js';
import { facets, generator, randomUnit } from '../../specs/search/samples.js';
import type { Reply } from '../../support/resp.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

const DIMENSION = 16;
const PREFIX = 'local:vec:model:episodic:';
const row = (memory: string, window: number) => `${PREFIX}${memory}:${window}`;
const source = (memory: string) => `local:emb:model:${memory}`;

/** The arguments of a search without a filter, as this adapter sends them. */
const searching = (query: Float32Array, k: number): (string | Buffer)[] => [
  ...[`*=>[KNN ${k} @vector $B AS score]`, 'PARAMS', '2', 'B', bytesOf(query)],
  ...['RETURN', String(HIT_FIELDS.length), ...HIT_FIELDS, 'LIMIT', '0', String(k), 'DIALECT', '2'],
];

describe('vectors in the server', () => {
  let server: SearchServer;
  let redis: Redis;
  let index: ValkeyVectorIndex;
  const random = generator(5);
  const query = randomUnit(DIMENSION, random);
  const opened: ValkeyVectorIndex[] = [];
  const open = (options: Partial<ValkeyVectorIndexOptions> = {}) => {
    const one = new ValkeyVectorIndex({ redis, name: 'idx', prefix: PREFIX, row, dimension: DIMENSION, patienceMs: 100, ...options });
    opened.push(one);
    return one;
  };
  const keys = async (k = 5, filter = {}) => (await index.knn(query, k, filter)).map(({ key }) => key);
  const searches = () => server.engine.requests.filter(([command]) => command === 'FT.SEARCH');

  beforeEach(async () => {
    server = await startSearchServer();
    redis = server.client();
    index = open();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await server[Symbol.asyncDispose]();
  });

  it('asks in the way that every version understands', async () => {
    await index.upsert('a', [query], facets());
    await keys(5, { states: ['active', 'archived'], projects: ['atlas'] });
    const [text = '', ...rest] = searches()[0]?.slice(2) ?? [];
    expect(text).toBe('(@state:{active} | @state:{archived}) @project:{atlas}=>[KNN 21 @vector $B EF_RUNTIME 100 AS score]');
    expect(rest.join(' ')).toMatch(/^ALLSHARDS TIMEOUT 4000 PARAMS 2 B .* RETURN 9 score .* LIMIT 0 21 DIALECT 2$/s);
    const created = server.engine.requests.find(([command]) => command === 'FT.CREATE')?.join(' ');
    expect(created).toBe(
      `FT.CREATE idx ON HASH PREFIX 1 ${PREFIX} SCHEMA vector VECTOR HNSW 12 TYPE FLOAT32 DIM 16 DISTANCE_METRIC COSINE M 16 EF_CONSTRUCTION 200 EF_RUNTIME 100 state TAG CASESENSITIVE namespace TAG CASESENSITIVE project TAG CASESENSITIVE licence TAG CASESENSITIVE created_at NUMERIC`,
    );
  });

  it('filters afterwards what cannot be asked, fills k all the same, and counts it', async () => {
    for (let i = 0; i < 200; i++) await index.upsert(`near${i}`, [query], facets({ project: 'other' }));
    for (let i = 0; i < 6; i++) await index.upsert(`far${i}`, [randomUnit(DIMENSION, random)], facets({ project: `p${i}` }));
    const projects = Array.from({ length: 150 }, (_, i) => `p${i}`);
    expect((await keys(6, { projects })).sort()).toEqual(['far0', 'far1', 'far2', 'far3', 'far4', 'far5']);
    expect(index.stats().notes).toEqual({ filtered_after: 1 });
    expect(searches().length).toBeGreaterThan(1);
  });

  it('applies a filter that the server refuses itself, and counts it', async () => {
    await index.upsert('a', [query], facets());
    await index.upsert('b', [query], facets({ state: 'archived' }));
    server.engine.intercept = ([command, , text]) =>
      command === 'FT.SEARCH' && text?.startsWith('@state')
        ? { error: `Invalid filter expression: \`${text}\`. Of some new kind` }
        : undefined;
    expect(await keys(5, { states: ['archived'] })).toEqual(['b']);
    expect(index.stats().notes).toMatchObject({ retried_without_filter: 1 });
  });

  it('leaves out ghosts and still fills k', async () => {
    for (const key of ['a', 'b', 'c']) await index.upsert(key, [query], facets());
    const fields = new Map([
      ['vector', Buffer.from(query.buffer)],
      ['state', Buffer.from('active')],
    ]);
    for (let i = 0; i < 40; i++) server.engine.ghosts.push({ key: row(`ghost${i}`, 0), fields });
    expect(await keys(3, { states: ['active'] })).toEqual(['a', 'b', 'c']);
    expect(index.stats().notes?.ghosts).toBeGreaterThanOrEqual(19);
  });

  it('takes a row with a broken vector for absent, not for near', async () => {
    for (const key of ['a', 'b', 'c']) await index.upsert(key, [query], facets());
    await redis.hset(row('a', 0), 'vector', Buffer.from(query.buffer, 0, 8));
    await redis.hset(row('b', 0), 'vector', Buffer.from(new Float32Array(DIMENSION).fill(Number.NaN).buffer));
    expect(await keys()).toEqual(['c']);
    expect(await index.similarities(query, ['a', 'b', 'c'])).toEqual([{ key: 'c', similarity: 1, window: 0 }]);
    await index.upsert('a', [query], facets());
    expect(await keys()).toEqual(['a', 'c']);
  });

  it('does not believe an answer that is shorter than the server counts', async () => {
    for (const key of ['a', 'b', 'c']) await index.upsert(key, [query], facets());
    await index.upsert('d', [query], facets({ state: 'archived' }));
    server.engine.intercept = ([command, , text]) => (command === 'FT.SEARCH' && text?.includes('KNN') ? [0] : undefined);
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
    expect(await keys(5, { states: ['archived'] })).toEqual(['d']);
    expect(index.stats().notes).toEqual({ short_answers: 2 });
  });

  it('does not believe k hits either, when the server counts more than it looked at', async () => {
    for (const key of ['a', 'b']) await index.upsert(key, [randomUnit(DIMENSION, random)], facets());
    const reached = (await redis.callBuffer('FT.SEARCH', ['idx', ...searching(query, 2)])) as unknown;
    await index.upsert('near', [query], facets());
    server.engine.intercept = ([command, , text]) => (command === 'FT.SEARCH' && text?.includes('KNN') ? (reached as Reply) : undefined);
    expect((await keys(2))[0]).toBe('near');
    expect(index.stats().notes).toEqual({ short_answers: 1 });
  });

  it('walks the whole graph while it is small, so that the answer is exact', async () => {
    const ef = () => /EF_RUNTIME (\d+)/.exec(searches().findLast(([, , text]) => text?.includes('KNN'))?.[2] ?? '')?.[1];
    for (let i = 0; i < 150; i++) await index.upsert(`m${i}`, [query, query], facets());
    await keys(3);
    expect(Number(ef())).toBeGreaterThanOrEqual(300);
    for (let i = 150; i < 501; i++) await index.upsert(`m${i}`, [randomUnit(DIMENSION, random), query], facets());
    await keys(3, { projects: ['unheard-of'] });
    expect(ef()).toBe('100');
  });

  it.each([
    ['Search operation cancelled due to timeout', 'timed-out', { timed_out: 1 }],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'memory', undefined],
  ])('says that it is unavailable when the server answers %s', async (error, kind, notes) => {
    await index.upsert('a', [query], facets());
    server.engine.intercept = ([command]) => (command === 'FT.SEARCH' ? { error } : undefined);
    await expect(keys()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: `The server's vector search refused (${kind})` });
    expect(index.stats().notes).toEqual(notes);
  });

  it('makes a lost index anew, over the hashes that stayed', async () => {
    await index.upsert('a', [query], facets());
    expect(await keys()).toEqual(['a']);
    server.engine.indexes.clear();
    expect(await keys()).toEqual(['a']);
    expect(index.stats()).toMatchObject({ state: 'ready', notes: { lost_index: 1 } });
  });

  it('makes an index of another schema anew, and says why', async () => {
    const old = definitionOf('idx', PREFIX, DIMENSION);
    await createIndex(redis, { ...old, fields: old.fields.slice(1) });
    await index.upsert('a', [query], facets());
    expect(await keys(5, { states: ['active'] })).toEqual(['a']);
    expect(index.stats().detail).toMatch(/^the index was made anew: its fields was/);
    expect(server.engine.requests).toContainEqual(['FT.DROPINDEX', 'idx']);
  });

  it('answers with what there is while the index is being filled, says so, and tells the progress', async () => {
    for (const key of ['a', 'b']) await index.upsert(key, [query], facets());
    server.engine.indexes.clear();
    server.engine.backfilled = 0.5;
    const second = open();
    expect(await second.knn(query, 5, {})).toHaveLength(1);
    expect(second.stats()).toMatchObject({
      state: 'backfilling',
      detail: '50 % of the stored vectors are in the index',
      notes: { while_backfilling: 1 },
    });
    const told: number[] = [];
    const settled = second.settled(10_000, (share) => told.push(share));
    await vi.waitFor(() => expect(told).toContain(0.5));
    server.engine.backfilled = 1;
    expect(await settled).toBe(true);
    expect(told.at(-1)).toBe(1);
    expect(await second.knn(query, 5, {})).toHaveLength(2);
    expect(second.stats().state).toBe('ready');
  });

  it('looks at the index again when the server was away', async () => {
    await index.upsert('a', [query], facets());
    expect(await keys()).toEqual(['a']);
    server.engine.backfilled = 0;
    redis.disconnect(true);
    expect(await keys()).toEqual([]);
    expect(index.stats().state).toBe('backfilling');
  });

  it('counts what it wrote, not what the server counts', async () => {
    await index.upsert('a', [query, randomUnit(DIMENSION, random)], facets());
    await redis.hset(row('stranger', 0), 'state', 'active');
    expect(index.stats()).toMatchObject({ memories: 1, vectors: 2, engine: 'valkey-search' });
    await index.remove('a');
    expect(index.stats()).toMatchObject({ memories: 0, vectors: 0 });
    expect(await redis.keys(`${PREFIX}a:*`)).toEqual([]);
  });

  describe('written by several processes', () => {
    beforeEach(async () => {
      index = open({ source });
      for (const key of ['a', 'b']) await redis.hset(source(key), 'n', '1');
    });

    it('keeps the newest state, whoever comes last', async () => {
      const late = open({ source });
      await late.upsert('a', [query], facets({ version: 1 }));
      await index.upsert('a', [query], facets({ version: 1 }));
      await index.setFacets('a', facets({ version: 3, state: 'archived' }));
      await late.setFacets('a', facets({ version: 2, state: 'deprioritised' }));
      expect(await keys(5, { states: ['archived'] })).toEqual(['a']);
      const old = randomUnit(DIMENSION, random);
      await late.upsert('a', [old], facets({ version: 2 }));
      expect(await index.similarities(query, ['a'])).toEqual([{ key: 'a', similarity: 1, window: 0 }]);
      await late.remove('a');
      expect(await keys()).toEqual(['a']);
      await late.setFacets('a', facets({ version: 3, state: 'archived' }));
      await index.remove('a');
      expect(await keys()).toEqual([]);
    });

    it('does not remove what it has not read yet', async () => {
      await index.upsert('a', [query], facets({ version: 4 }));
      await open({ source }).remove('a');
      expect(await keys()).toEqual(['a']);
    });

    it('writes nothing of a memory whose vectors are gone, and removes what is left of it', async () => {
      await index.upsert('a', [query], facets({ version: 1 }));
      await redis.del(source('a'));
      await open({ source }).upsert('a', [query], facets({ version: 2 }));
      expect(await redis.keys(`${PREFIX}*`)).toEqual([]);
      await index.upsert('b', [query], facets({ version: 1 }));
      await redis.del(source('b'));
      await open({ source }).remove('b');
      expect(await redis.keys(`${PREFIX}*`)).toEqual([]);
    });

    it('writes nothing anew at a start when nothing changed', async () => {
      await index.upsert('a', [query], facets({ version: 2 }));
      await redis.hset(row('a', 0), 'licence', 'untouched');
      const next = open({ source });
      await next.upsert('a', [query], facets({ version: 2 }));
      expect(await redis.hget(row('a', 0), 'licence')).toBe('untouched');
      expect(next.stats()).toMatchObject({ memories: 1, vectors: 1 });
      await next.upsert('a', [query], facets({ version: 3 }));
      expect(await redis.hget(row('a', 0), 'licence')).toBe('own');
    });

    it('grows and shrinks with the windows, also when another process changed their number', async () => {
      const other = open({ source });
      await index.upsert('a', [query], facets({ version: 1 }));
      await other.upsert('a', [query, query, query], facets({ version: 2 }));
      await index.upsert('a', [query, query], facets({ version: 3 }));
      expect((await redis.keys(`${PREFIX}*`)).sort()).toEqual([row('a', 0), row('a', 1)]);
      expect(await redis.hget(row('a', 1), 'n')).toBe('2');
    });
  });
});
