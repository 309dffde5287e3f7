import { randomUUID } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ValkeyVectorIndex } from '../../../projections/search/valkey/index.js';
import { connect } from '../../../services/valkey/client.js';
import { vectorIndexContract } from '../../specs/search/contract.js';
import { cleanUp, reasonToSkip, SEARCH_URL, skipsSearchUrl } from '../../support/search-of-url.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

/** An index of its own under keys of its own, for each test. */
const createFresh = (redis: Redis, prefix: string, dimension: number) =>
  new ValkeyVectorIndex({
    redis,
    name: `${prefix}index`,
    prefix: `${prefix}row:`,
    row: (memory, window) => `${prefix}row:${memory}:${window}`,
    draft: (memory, window) => `${prefix}draft:${memory}:${window}`,
    dimension,
  });

/** The contract over one server, which has neither an index nor a key more after each test than before it. */
const contractOver = (server: () => Redis): void => {
  const prefixes: string[] = [];
  afterEach(async () => {
    for (const prefix of prefixes.splice(0)) await cleanUp(server(), prefix);
  });
  vectorIndexContract('valkey-search', async (dimension) => {
    const prefix = `omnimem-test:${randomUUID()}:`;
    prefixes.push(prefix);
    return createFresh(server(), prefix, dimension);
  });
};

describe.each([
  { tagRules: 'new', youngMs: 80 },
  { tagRules: 'old', youngMs: 0 },
] as const)('valkey-search emulated: %j', (options) => {
  let server: SearchServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startSearchServer(options);
    redis = server.client();
  });
  afterAll(async () => {
    try {
      expect([...server.engine.indexes.keys()]).toEqual([]);
      expect(await redis.dbsize()).toBe(0);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });

  contractOver(() => redis);
});

/**
 * The same against a real module: OMNIMEM_TEST_SEARCH_URL=redis://host:6379 of a server with valkey-search 1.2 or newer. It
 * may hold anything else; nothing of that is touched.
 */
describe.skipIf(await skipsSearchUrl())('valkey-search of the server at OMNIMEM_TEST_SEARCH_URL', () => {
  let redis: Redis;
  beforeAll(() => {
    redis = connect(SEARCH_URL ?? '', 'general');
  });
  afterAll(() => redis.disconnect());

  contractOver(() => redis);
});

describe('a server at OMNIMEM_TEST_SEARCH_URL that cannot serve', () => {
  it('is named with the reason', async () => {
    await using server = await startSearchServer({ version: 10_003 });
    expect(await reasonToSkip(`unix://${server.socket}`)).toMatch(/^valkey-search 1\.0\.3 is older than 1\.2/);
    expect(await reasonToSkip(`unix://${server.valkey.socket}`)).toMatch(/^The server has no search module/);
    await expect(reasonToSkip('redis://127.0.0.1:1')).rejects.toThrow('OMNIMEM_TEST_SEARCH_URL does not serve');
  });
});
