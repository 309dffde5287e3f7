import type { Redis } from 'iovalkey';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeys } from '../../../projections/keys.js';
import { chooseSearch, searchRowsOf, valkeyVectors } from '../../../projections/search/valkey/space.js';
import { facets, generator, randomUnit } from '../../specs/search/samples.js';
import type { EngineOptions } from '../../support/search-engine.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

const DIMENSION = 8;
const MODEL = 'model-8';
/** A tenant whose name means something to a pattern. */
const keys = createKeys('t[1]*');

describe('a space of vectors in the server', () => {
  let server: SearchServer;
  let redis: Redis;
  const query = randomUnit(DIMENSION, generator(3));
  const open = async (options: EngineOptions = {}) => {
    server = await startSearchServer(options);
    redis = server.client();
  };
  const remember = async (memory: string, model = MODEL) => {
    await redis.sadd(keys.models, model);
    await redis.hset(keys.embedding(model, memory), 'n', '1');
  };
  beforeEach(() => open());
  afterEach(() => server[Symbol.asyncDispose]());

  it('is chosen when the module is new enough and takes an index', async () => {
    expect(await chooseSearch(redis, keys, false)).toMatchObject({ usable: true, version: '1.2.1' });
    expect(server.engine.indexes.size).toBe(0);
  });

  it('is not chosen where the server refuses an index, and the reason is said', async () => {
    server.engine.intercept = ([command]) =>
      command === 'FT.CREATE' ? { error: 'The user does not have permission to access the key prefix' } : undefined;
    expect(await chooseSearch(redis, keys, false)).toEqual({
      usable: false,
      version: '1.2.1',
      reason: 'valkey-search 1.2.1 is there but refuses an index (permission); vectors are searched in this process',
    });
  });

  it('is not chosen where the server has an index of this kind but reads our searches in another way', async () => {
    server.engine.intercept = ([command, ...words]) =>
      command === 'FT.SEARCH' && words.includes('ALLSHARDS') ? { error: 'Unknown argument `ALLSHARDS` at position 2' } : undefined;
    expect(await chooseSearch(redis, keys, false)).toEqual({
      usable: false,
      version: '1.2.1',
      reason: 'valkey-search 1.2.1 is there but does not take our searches (other); vectors are searched in this process',
    });
    expect(server.engine.indexes.size).toBe(0);
    server.engine.intercept = ([command]) => (command === 'FT.SEARCH' ? { error: 'Search operation cancelled due to timeout' } : undefined);
    expect(await chooseSearch(redis, keys, false)).toMatchObject({ usable: true });
  });

  it("says in the server's words what no version has refused so far", async () => {
    server.engine.intercept = ([command]) => (command === 'FT.CREATE' ? { error: 'Maximum number of indexes reached (10)' } : undefined);
    expect((await chooseSearch(redis, keys, false)).reason).toContain('refuses an index (Maximum number of indexes reached (10));');
    const index = valkeyVectors(redis, keys)(DIMENSION, 'episodic', MODEL);
    await expect(index.upsert('a', [query], facets())).rejects.toThrow('Maximum');
    expect(index.stats()).toMatchObject({
      state: 'failed',
      detail: 'the server refused the index (Maximum number of indexes reached (10))',
    });
    await index.close();
  });

  it.each([
    ['FT.INFO', /^FT\.INFO /],
    ['searches without neighbours that give rows', /^FT\.SEARCH \S+ [^[]*\[-inf \+inf\] ALLSHARDS TIMEOUT \d+ RETURN/],
  ])('is not chosen where %s are not for this user', async (_, asked) => {
    server.engine.intercept = (words) =>
      asked.test(words.join(' ')) ? { error: "NOPERM User u has no permissions to run the 'FT' command" } : undefined;
    expect(await chooseSearch(redis, keys, false)).toMatchObject({ usable: false, reason: expect.stringContaining('(permission)') });
    expect(server.engine.indexes.size).toBe(0);
  });

  it('is not chosen on a cluster, nor of an older module', async () => {
    expect(await chooseSearch(redis, keys, true)).toMatchObject({ usable: false });
    await server[Symbol.asyncDispose]();
    await open({ version: 10_003 });
    expect(await chooseSearch(redis, keys, false)).toMatchObject({ usable: false, version: '1.0.3' });
    expect(server.engine.requests.map(([command]) => command)).not.toContain('FT.CREATE');
  });

  it('has one index for each namespace, over rows that no other covers', async () => {
    const create = valkeyVectors(redis, keys);
    const [episodic, project] = [create(DIMENSION, 'episodic', MODEL), create(DIMENSION, 'project', MODEL)];
    await remember('a');
    await episodic.upsert('a', [query], facets());
    expect(await project.knn(query, 5, {})).toEqual([]);
    expect(await episodic.knn(query, 5, {})).toHaveLength(1);
    expect([...server.engine.indexes].map(([name, { prefixes }]) => [name, ...prefixes])).toEqual([
      ['t[1]*:idx:model-8:episodic', 't[1]*:vec:model-8:episodic:'],
      ['t[1]*:idx:model-8:project', 't[1]*:vec:model-8:project:'],
    ]);
    await Promise.all([episodic.close(), project.close()]);
  });

  it('names every row of a memory, of each model, for whoever forgets it', async () => {
    const create = valkeyVectors(redis, keys);
    const spaces = [create(DIMENSION, 'episodic', MODEL), create(DIMENSION, 'episodic', 'other')];
    for (const model of [MODEL, 'other']) await remember('a', model);
    await remember('b');
    await spaces[0]?.upsert('a', [query, query], facets());
    await spaces[0]?.upsert('b', [query], facets());
    await spaces[1]?.upsert('a', [query], facets());
    const rows = await searchRowsOf(redis, keys, 'a');
    expect([...rows].sort()).toEqual((await redis.keys('*vec:*:a:*')).sort());
    expect(rows).toHaveLength(3);
    for (const space of spaces) await space.close();
  });

  it('removes what a process left behind of memories that are forgotten', async () => {
    const before = valkeyVectors(redis, keys)(DIMENSION, 'episodic', MODEL);
    for (const memory of ['gone', 'here']) await remember(memory);
    await before.upsert('gone', [query, query], facets());
    await before.upsert('here', [query], facets());
    await before.close();
    await redis.del(keys.embedding(MODEL, 'gone'));

    const after = valkeyVectors(redis, keys)(DIMENSION, 'episodic', MODEL);
    await after.upsert('here', [query], facets());
    await vi.waitFor(async () => expect(await redis.keys('*vec:*')).toEqual([keys.searchRow(MODEL, 'episodic', 'here', 0)]), 20_000);
    await after.close();
  });
});
