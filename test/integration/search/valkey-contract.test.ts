import { randomUUID } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { afterAll, beforeAll, describe } from 'vitest';
import { ValkeyVectorIndex } from '../../../projections/search/valkey/index.js';
import { connect } from '../../../services/valkey/client.js';
import { vectorIndexContract } from '../../specs/search/contract.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

/** An index of its own under keys of its own, which are removed at the end. */
const fresh = (redis: Redis, made: string[]) => {
  const prefix = `omnimem-test:${randomUUID()}:`;
  made.push(prefix);
  return (dimension: number) =>
    new ValkeyVectorIndex({
      redis,
      name: `${prefix}index`,
      prefix: `${prefix}row:`,
      row: (memory, window) => `${prefix}row:${memory}:${window}`,
      dimension,
    });
};

describe.each(['new', 'old'] as const)('valkey-search emulated, with the %s rules of tags', (tagRules) => {
  let server: SearchServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startSearchServer({ tagRules });
    redis = server.client();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  vectorIndexContract('valkey-search', async (dimension) => fresh(redis, [])(dimension));
});

const url = process.env.OMNIMEM_TEST_SEARCH_URL;

/** The same against a real module: OMNIMEM_TEST_SEARCH_URL=redis://host:6379 of a server with valkey-search 1.2 or newer. */
describe.skipIf(!url)('valkey-search of the server at OMNIMEM_TEST_SEARCH_URL', () => {
  const made: string[] = [];
  let redis: Redis;
  beforeAll(() => {
    redis = connect(url ?? '', 'general');
  });
  afterAll(async () => {
    for (const prefix of made) {
      await redis.call('FT.DROPINDEX', `${prefix}index`).catch(() => undefined);
      const keys = await redis.keys(`${prefix}*`);
      if (keys.length > 0) await redis.del(keys);
    }
    redis.disconnect();
  });

  vectorIndexContract('valkey-search', async (dimension) => fresh(redis, made)(dimension));
});
