import type { Redis } from 'iovalkey';
import { NAMESPACES, type Namespace } from '../../../domain/vocabulary.js';
import type { Keys } from '../../keys.js';
import { createIndex, dropIndex } from './commands.js';
import { refusalOf } from './errors.js';
import { definitionOf, ValkeyVectorIndex } from './index.js';
import { detectSearchModule, type SearchModule } from './module.js';
import { rowsUnder } from './rows.js';

/** No model and no namespace has this name. */
const TRIAL = 'trial';
const LISTENERS = 32;

/** Makes the vector index of one model and namespace in the server, fed from the vector cache. */
export const valkeyVectors = (redis: Redis, keys: Keys) => {
  // Each index listens for the end of the connection, and while models change or all is read anew there are twelve of them.
  redis.setMaxListeners(Math.max(LISTENERS, redis.getMaxListeners()));
  return (dimension: number, namespace: Namespace, model: string): ValkeyVectorIndex =>
    new ValkeyVectorIndex({
      redis,
      dimension,
      name: keys.searchIndex(model, namespace),
      prefix: keys.searchRows(model, namespace),
      row: (memory, window) => keys.searchRow(model, namespace, memory, window),
      source: (memory) => keys.embedding(model, memory),
    });
};

/**
 * Finds out whether vectors can be searched in the server: a module that is new enough, and an index of ours that may be
 * made. Rejects when the server does not answer.
 */
export const chooseSearch = async (redis: Redis, keys: Keys, cluster: boolean): Promise<SearchModule> => {
  const found = await detectSearchModule(redis, { cluster });
  if (!found.usable) return found;
  const trial = keys.searchIndex(TRIAL, TRIAL);
  try {
    await createIndex(redis, definitionOf(trial, keys.searchRows(TRIAL, TRIAL), 1)).catch(unless('index-exists'));
    await dropIndex(redis, trial).catch(unless('no-index'));
    return found;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const reason = `valkey-search ${found.version} is there but refuses an index (${refusal}); vectors are searched in this process`;
    return { usable: false, version: found.version, reason };
  }
};

/** Drops the indexes of a model and deletes their rows; the cached vectors stay. */
export const retireVectors = async (redis: Redis, keys: Keys, model: string): Promise<void> => {
  for (const namespace of NAMESPACES) {
    await dropIndex(redis, keys.searchIndex(model, namespace)).catch(unless('no-index'));
    for await (const rows of rowsUnder(redis, keys.searchRows(model, namespace))) await redis.unlink([...rows]);
  }
};

/** Another process may try at the same moment. */
const unless =
  (expected: string) =>
  (error: unknown): void => {
    if (refusalOf(error) !== expected) throw error;
  };

/** The rows of a memory in the server's indexes, under every model: what forgetting it has to delete. */
export const searchRowsOf = async (redis: Redis, keys: Keys, memory: string): Promise<readonly string[]> => {
  const models = await redis.smembers(keys.models);
  const places = models.flatMap((model) => NAMESPACES.map((namespace) => ({ model, namespace })));
  const pipeline = redis.pipeline();
  for (const { model, namespace } of places) pipeline.hget(keys.searchRow(model, namespace, memory, 0), 'n');
  const replies = (await pipeline.exec()) ?? [];
  return places.flatMap(({ model, namespace }, i) => {
    const [error, windows] = replies[i] ?? [];
    if (error) throw error;
    return Array.from({ length: Number(windows ?? 0) }, (_, window) => keys.searchRow(model, namespace, memory, window));
  });
};
