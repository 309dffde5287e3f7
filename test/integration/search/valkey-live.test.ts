import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readIndexInfo } from '../../../projections/search/valkey/commands.js';
import { connect } from '../../../services/valkey/client.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { cleanUp, SEARCH_URL, skipsSearchUrl } from '../../support/search-of-url.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

/**
 * The whole product over a search module, seen from outside only, so that it runs alike over the emulation and over the real
 * module of OMNIMEM_TEST_SEARCH_URL. That server may hold anything: the tests have a tenant of their own there.
 */
const productOver = (target: () => string): void => {
  let test: TestApp;
  let provider: ReturnType<typeof providerOf>;
  let redis: ReturnType<typeof connect>;

  beforeEach(async () => {
    redis = connect(target(), 'general');
    provider = providerOf(hashedEmbedder('use-lite'));
    test = await openTestApp({ provider, env: { OMNIMEM_VECTOR_ENGINE: 'valkey' }, options: { target: target() } });
    await vi.waitFor(() => expect(test.index.serving).toBeDefined(), 30_000);
    // On a busy machine the views begin late.
    await vi.waitFor(() => test.app.queries.recall({ query: 'anything' }, test.call), 30_000);
  });
  afterEach(async () => {
    await test.end();
    await cleanUp(redis, test.keys.prefix);
    redis.disconnect();
  });

  const remember = async (content: string, more: object = {}) => {
    const stored = await test.app.commands.remember({ content, force: true, ...more }, test.call);
    return 'key' in stored ? stored.key : '';
  };
  const recall = async (query: string, more: object = {}) => {
    const { results, search } = await test.app.queries.recall({ query, ...more }, test.call);
    expect(search).toBe('fused');
    return results.map(({ key }) => key);
  };
  const modelId = () => test.index.serving?.model.id ?? '';
  const indexName = () => test.keys.searchIndex(modelId(), 'episodic');
  const stats = () => test.index.serving?.stats().episodic;
  const indexes = async () => ((await redis.call('FT._LIST')) as unknown[]).map(String).filter((name) => name.startsWith(test.keys.prefix));

  it('stores, finds, filters by project, changes, archives and forgets', async () => {
    const port = await remember('The staging API listens on port 8080.', { project: 'ports' });
    const fruit = await remember('Bananas ripen faster in a paper bag.', { project: 'fruit and nuts' });
    const none = await remember('The lighthouse keeper lives alone.');
    expect((await recall('which port does the staging API use?'))[0]).toBe(port);
    expect(await recall('bananas in a bag', { project_filter: ['fruit and nuts'] })).toEqual([fruit]);
    expect(await recall('lighthouse keeper', { project_filter: ['ports'] })).not.toContain(none);
    await test.app.commands.archive({ key_or_query: none }, test.call);
    expect(await recall('lighthouse keeper')).not.toContain(none);
    await test.app.commands.forget({ key_or_query: fruit, confirm: true }, test.call);
    expect(await recall('bananas in a bag')).not.toContain(fruit);
    expect(await redis.exists(test.keys.searchRow(modelId(), 'episodic', fruit, 0))).toBe(0);
    await vi.waitFor(() => expect(stats()).toMatchObject({ engine: 'valkey-search', state: 'ready' }), 10_000);
    const { indexes: told, issues } = await test.app.queries.health();
    expect(told.search).toMatchObject({ asked: 'valkey', usable: true });
    expect(issues.filter(({ code }) => code.startsWith('SEARCH'))).toEqual([]);
  });

  it('goes on where another has dropped the index, and says so', async () => {
    const key = await remember('The lighthouse keeper lives alone.');
    expect(await recall('lighthouse keeper')).toEqual([key]);
    await redis.call('FT.DROPINDEX', indexName());
    expect(await recall('lighthouse keeper')).toEqual([key]);
    expect(await indexes()).toContain(indexName());
    expect(stats()?.notes?.lost_index).toBeGreaterThan(0);
  });

  it('makes an index of its name and of another definition anew at the next start', async () => {
    const key = await remember('The lighthouse keeper lives alone.');
    await test.close();
    await redis.call('FT.DROPINDEX', indexName());
    const other = ['TYPE', 'FLOAT32', 'DIM', '3', 'DISTANCE_METRIC', 'L2'];
    const prefix = test.keys.searchRows(modelId(), 'episodic');
    await redis.call('FT.CREATE', indexName(), 'ON', 'HASH', 'PREFIX', '1', prefix, 'SCHEMA', 'vector', 'VECTOR', 'HNSW', '6', ...other);
    const next = await test.another();
    await next.app.whenReady(10_000);
    await vi.waitFor(async () => {
      const { results, search } = await next.app.queries.recall({ query: 'lighthouse keeper' }, test.call);
      expect([search, results[0]?.key]).toEqual(['fused', key]);
      expect(next.index.serving?.stats().episodic?.detail).toMatch('the index was made anew: its metric was L2, not COSINE');
    }, 15_000);
    await next.close();
  });

  it('leaves out what was written over its rows, and rows with a vector that is none', async () => {
    const [good, nan, short] = [
      await remember('A good lighthouse.'),
      await remember('A lighthouse of NaN.'),
      await remember('A short one.'),
    ];
    await vi.waitFor(() => expect(stats()).toMatchObject({ state: 'ready', memories: 3 }), 10_000);
    const row = (key: string) => test.keys.searchRow(modelId(), 'episodic', key, 0);
    const dimension = test.index.serving?.model.dimension ?? 0;
    await redis.hset(row(nan), 'vector', Buffer.from(new Float32Array(dimension).fill(Number.NaN).buffer));
    await redis.hset(row(short), 'vector', Buffer.alloc(8));
    const query = hashedEmbedder('use-lite');
    const [vector = new Float32Array()] = (await query.embed(['A good lighthouse.']))[0] ?? [];
    expect((await test.index.serving?.index('episodic').knn(vector, 5, {}))?.map(({ key }) => key)).toEqual([good]);
  });

  it('moves to another model, whose index alone stays', async () => {
    const key = await remember('The lighthouse keeper lives alone.');
    const old = modelId();
    await recall('lighthouse keeper');
    provider.arrive(hashedEmbedder('all-MiniLM-L6-v2', 64));
    await vi.waitFor(() => expect(test.index.serving?.model.dimension).toBe(64), 20_000);
    await vi.waitFor(async () => expect((await indexes()).filter((name) => name.includes(old))).toEqual([]), 10_000);
    expect(await redis.exists(test.keys.searchRow(old, 'episodic', key, 0))).toBe(0);
    expect(await recall('lighthouse keeper')).toEqual([key]);
    expect(await readIndexInfo(redis, indexName())).toMatchObject({ hashes: 1, state: 'ready', failures: 0 });
  });

  it('starts again over the rows that are there, and finds what several processes wrote', async () => {
    const first = await remember('The lighthouse keeper lives alone.');
    const second = await test.another();
    await second.app.whenReady(10_000);
    const stored = await second.app.commands.remember({ content: 'The harbour master drinks tea.', force: true }, test.call);
    const key = 'key' in stored ? stored.key : '';
    await vi.waitFor(async () => expect(await recall('harbour master tea')).toContain(key), 10_000);
    await second.close();
    expect(await recall('lighthouse keeper')).toContain(first);
    expect(stats()).toMatchObject({ memories: 2 });
  });
};

describe('the product over an emulated module', () => {
  let server: SearchServer;
  beforeAll(async () => {
    server = await startSearchServer({ youngMs: 90 });
  });
  afterAll(async () => {
    try {
      expect([...server.engine.indexes.keys()]).toEqual([]);
      expect(await server.valkey.client().dbsize()).toBe(0);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });

  productOver(() => `unix://${server.socket}`);
});

describe.skipIf(await skipsSearchUrl())('the product over the module at OMNIMEM_TEST_SEARCH_URL', () => {
  productOver(() => SEARCH_URL ?? '');
});
