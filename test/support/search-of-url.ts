import type { Redis } from 'iovalkey';
import { detectSearchModule } from '../../projections/search/valkey/module.js';
import { rowsUnder } from '../../projections/search/valkey/rows.js';
import { connect } from '../../services/valkey/client.js';

/** Why the contract cannot be run on the server at a URL; undefined when it can. Throws when no server answers there. */
export const reasonToSkip = async (url: string): Promise<string | undefined> => {
  const redis = connect(url, 'general', { commandTimeoutMs: 2_000 });
  try {
    const cluster = /^cluster_enabled:1/m.test(await redis.info('cluster'));
    const { usable, reason } = await detectSearchModule(redis, { cluster });
    return usable ? undefined : reason;
  } catch (error) {
    throw new Error(`No Valkey that answers at OMNIMEM_TEST_SEARCH_URL: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    redis.disconnect();
  }
};

/** Drops an index, if it was made, and deletes all keys of a prefix. */
export const cleanUp = async (redis: Redis, index: string, prefix: string): Promise<void> => {
  const names = ((await redis.call('FT._LIST')) as unknown[]).map(String);
  if (names.includes(index)) await redis.call('FT.DROPINDEX', index);
  for await (const keys of rowsUnder(redis, prefix)) await redis.del([...keys]);
};
