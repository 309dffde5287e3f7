import type { Redis } from 'iovalkey';
import { detectSearchModule } from '../../projections/search/valkey/module.js';
import { rowsUnder } from '../../projections/search/valkey/rows.js';
import { connect } from '../../services/valkey/client.js';

/** Where a real valkey-search is, for the tests that run against one; see docs/valkey-search.md. */
export const SEARCH_URL = process.env.OMNIMEM_TEST_SEARCH_URL || undefined;

/** Why nothing can be tested on the server at a URL; undefined when it can. Throws when no server answers there, or not to us. */
export const reasonToSkip = async (url: string): Promise<string | undefined> => {
  const redis = connect(url, 'general', { commandTimeoutMs: 5_000 });
  try {
    const info = await redis.info('cluster');
    const { usable, reason } = await detectSearchModule(redis, { cluster: /^cluster_enabled:1/m.test(info) });
    return usable ? undefined : reason;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The server at OMNIMEM_TEST_SEARCH_URL does not serve these tests: ${why}`);
  } finally {
    redis.disconnect();
  }
};

/** The same for the server of `SEARCH_URL`, told on stderr. `true` also where none is named. */
export const skipsSearchUrl = async (): Promise<boolean> => {
  if (SEARCH_URL === undefined) return true;
  const reason = await reasonToSkip(SEARCH_URL);
  if (reason !== undefined) process.stderr.write(`\nSkipped: what runs on the server at OMNIMEM_TEST_SEARCH_URL. ${reason}\n`);
  return reason !== undefined;
};

/** Drops the indexes whose names begin with a prefix, and deletes all keys under it. */
export const cleanUp = async (redis: Redis, prefix: string): Promise<void> => {
  const names = ((await redis.call('FT._LIST')) as unknown[]).map(String);
  for (const name of names) if (name.startsWith(prefix)) await redis.call('FT.DROPINDEX', name);
  for await (const keys of rowsUnder(redis, prefix)) await redis.del([...keys]);
};
