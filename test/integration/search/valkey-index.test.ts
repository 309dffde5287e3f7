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
const draft = (memory: string, window: number) => `local:vec-draft:model:episodic:${memory}:${window}`;
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
    const one = new ValkeyVectorIndex({
      redis,
      name: 'idx',
      prefix: PREFIX,
      row,
      draft,
      dimension: DIMENSION,
      patienceMs: 100,
      ...options,
    });
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

  describe('on a server that is set to give little', () => {
    const last = (part: RegExp) => part.exec(searches().findLast(([, , text]) => text?.includes('KNN'))?.[2] ?? '')?.[1];

    it('asks for as many neighbours as it gives, compares all that match where that is too few, and counts it', async () => {
      server.engine.limits.k = 5;
      for (let i = 0; i < 30; i++) await index.upsert(`near${i}`, [query], facets({ project: 'other' }));
      for (let i = 0; i < 12; i++) await index.upsert(`far${i}`, [randomUnit(DIMENSION, random)], facets());
      expect(await keys(10, { projects: ['atlas'] })).toHaveLength(10);
      expect(last(/KNN (\d+)/)).toBe('5');
      expect(index.stats().notes).toEqual({ server_ceiling: 1, short_answers: 1 });
      const many = Array.from({ length: 150 }, (_, i) => (i === 7 ? 'atlas' : `p${i}`));
      expect(await keys(12, { projects: many })).toHaveLength(12);
      expect(index.stats().notes).toMatchObject({ server_ceiling: 2, filtered_after: 1 });
      // Known now: nothing is refused twice.
      const refused = searches().filter(([, , text]) => Number(/KNN (\d+)/.exec(text ?? '')?.[1] ?? 0) > 5);
      expect(refused).toHaveLength(1);
    });

    it('gives the exact best where the neighbours it gives are equally near', async () => {
      server.engine.limits.k = 2;
      for (const key of ['d', 'c', 'b', 'a']) await index.upsert(key, [query], facets());
      expect(await keys(2)).toEqual(['a', 'b']);
    });

    it('looks at no more than it may', async () => {
      server.engine.limits.ef = 50;
      for (const key of ['a', 'b']) await index.upsert(key, [query], facets());
      expect(await keys()).toEqual(['a', 'b']);
      expect(last(/EF_RUNTIME (\d+)/)).toBe('50');
      expect(index.stats().notes).toEqual({ server_ceiling: 1 });
    });

    it('notices when it gives more again', async () => {
      server.engine.limits.k = 5;
      await index.upsert('a', [query], facets());
      await keys(10);
      const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 11 * 60_000);
      server.engine.limits.k = 10_000;
      await keys(10);
      later.mockRestore();
      expect(last(/KNN (\d+)/)).toBe('26');
    });

    it('is not asked for ever by a refusal that helps nothing', async () => {
      await index.upsert('a', [query], facets());
      const error = 'Invalid range: Value above maximum; KNN parameter must be a positive integer greater than 0 and cannot exceed 10000.';
      server.engine.intercept = ([command]) => (command === 'FT.SEARCH' ? { error } : undefined);
      await expect(keys()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });

    it('takes a filter that is too long for it for one that it cannot read', async () => {
      server.engine.limits.queryBytes = 100;
      await index.upsert('a', [query], facets());
      await index.upsert('b', [query], facets({ project: 'p3' }));
      expect(await keys(5, { projects: Array.from({ length: 20 }, (_, i) => `p${i}`) })).toEqual(['b']);
      expect(index.stats().notes).toMatchObject({ retried_without_filter: 1 });
    });
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
    ['LOADING Valkey is loading the dataset in memory', 'loading', undefined],
    ['The user does not have permission to access the key prefix', 'permission', undefined],
    ['Something that no version has said so far', 'other', undefined],
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
    await vi.waitFor(() => expect(told).toContain(0.5), 20_000);
    server.engine.backfilled = 1;
    expect(await settled).toBe(true);
    expect(told.at(-1)).toBe(1);
    expect(await second.knn(query, 5, {})).toHaveLength(2);
    expect(second.stats().state).toBe('ready');
  });

  it('says why an index is not filled further', async () => {
    await index.upsert('a', [query], facets());
    server.engine.indexes.clear();
    [server.engine.backfilled, server.engine.paused] = [0.25, true];
    const second = open();
    await second.knn(query, 5, {});
    expect(second.stats()).toMatchObject({
      state: 'backfilling',
      detail: '25 % of the stored vectors are in the index; it is not filled further while the server is above its maxmemory',
    });
    [server.engine.backfilled, server.engine.paused] = [1, false];
    expect(await second.settled(10_000)).toBe(true);
    expect(second.stats().detail).toBeUndefined();
  });

  it('tells of writes that the index refused after it was ready', async () => {
    index = open({ source });
    await redis.hset(source('a'), 'n', '1');
    await index.upsert('a', [query], facets());
    expect(await index.settled(10_000)).toBe(true);
    server.engine.failures = 2;
    expect(await index.phantoms()).toBe(0);
    expect(index.stats().detail).toBe('the index refused 2 writes');
  });

  it('finds nothing after everything was flushed, and takes new vectors', async () => {
    for (const key of ['a', 'b']) await index.upsert(key, [query], facets());
    await redis.flushdb();
    server.engine.indexes.clear();
    expect(await keys()).toEqual([]);
    expect(index.stats().notes).toMatchObject({ lost_index: 1 });
    await index.upsert('a', [query, query], facets());
    expect(await keys()).toEqual(['a']);
    await index.remove('b');
    expect(index.stats()).toMatchObject({ memories: 1, vectors: 2, state: 'ready' });
  });

  it.each([
    ['prefix', { prefix: 'elsewhere:' }],
    ['dimension', { dimension: DIMENSION + 1 }],
    ['M', { m: 8 }],
    ['EF_CONSTRUCTION', { efConstruction: 100 }],
  ])('makes an index of the same name with another %s anew', async (what, other) => {
    await createIndex(redis, { ...definitionOf('idx', PREFIX, DIMENSION), ...other });
    await index.upsert('a', [query], facets());
    expect(await keys(5, { states: ['active'] })).toEqual(['a']);
    expect(index.stats().detail).toMatch(`the index was made anew: its ${what} was`);
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
