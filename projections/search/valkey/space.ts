import type { Redis } from 'iovalkey';
import { DomainError } from '../../../domain/errors.js';
import { NAMESPACES, type Namespace } from '../../../domain/vocabulary.js';
import type { Keys } from '../../keys.js';
import { countMatching, createIndex, dropIndex, listIndexes, matching, nearest, readIndexInfo } from './commands.js';
import { type Refusal, refusalOf, whyRefused } from './errors.js';
import { EVERYTHING } from './filter.js';
import { HIT_FIELDS, ROW_FIELDS } from './hits.js';
import { definitionOf, ValkeyVectorIndex } from './index.js';
import { detectSearchModule, IN_PROCESS, type SearchModule, type VectorEngine } from './module.js';
import { sweepPhantoms } from './phantoms.js';
import { rowsUnder, withRowWriter } from './rows.js';

/** No model and no namespace has this name. */
const TRIAL = 'trial';
const TRIAL_MS = 4_000;
const LISTENERS = 32;

/** Makes the vector index of one model and namespace in the server, fed from the vector cache. */
export const valkeyVectors = (redis: Redis, keys: Keys) => {
  // Each index listens for the end of the connection, and while models change or all is read anew there are twelve of them.
  redis.setMaxListeners(Math.max(LISTENERS, redis.getMaxListeners()));
  return (dimension: number, namespace: Namespace, model: string): ValkeyVectorIndex =>
    new ValkeyVectorIndex({ redis, dimension, name: keys.searchIndex(model, namespace), ...rowSpaceOf(keys, model, namespace) });
};

const rowSpaceOf = (keys: Keys, model: string, namespace: Namespace) => ({
  namespace,
  prefix: keys.searchRows(model, namespace),
  drafts: keys.searchDrafts(model, namespace),
  row: (memory: string, window: number) => keys.searchRow(model, namespace, memory, window),
  draft: (memory: string, window: number) => keys.searchDraft(model, namespace, memory, window),
  source: (memory: string) => keys.embedding(model, memory),
});

/** Deletes the rows that no memory is behind, under every model, and tells of which memories, by namespace. */
export const sweepVectors = async (redis: Redis, keys: Keys, signal: AbortSignal): Promise<ReadonlyMap<Namespace, ReadonlySet<string>>> => {
  const models = await redis.smembers(keys.models);
  const spaces = models.flatMap((model) => NAMESPACES.map((namespace) => rowSpaceOf(keys, model, namespace)));
  const swept = new Map<Namespace, Set<string>>();
  for (const [space, memories] of await sweepPhantoms(redis, [keys.allSearchHashes, keys.allSearchRows], spaces, signal)) {
    const { namespace } = space;
    swept.set(namespace, new Set([...(swept.get(namespace) ?? []), ...memories]));
  }
  return swept;
};

/**
 * Which engine searches the vectors, as asked for. Throws VALIDATION when it is to be the server's and that cannot serve.
 * Rejects when the server does not answer.
 */
export const chooseSearch = async (redis: Redis, keys: Keys, cluster: boolean, asked: VectorEngine = 'auto'): Promise<SearchModule> => {
  if (asked === 'in-process') return { usable: false, version: undefined, reason: `OMNIMEM_VECTOR_ENGINE is in-process; ${IN_PROCESS}` };
  const found = await findSearch(redis, keys, cluster);
  if (asked === 'auto' || found.usable) return found;
  throw new DomainError(
    'VALIDATION',
    `OMNIMEM_VECTOR_ENGINE is valkey, and this server cannot search vectors: ${found.reason.replace(`; ${IN_PROCESS}`, '')}`,
    'Load valkey-search 1.2 or newer into the server, or set OMNIMEM_VECTOR_ENGINE to auto or in-process',
  );
};

/**
 * Finds out whether vectors can be searched in the server: a module that is new enough, an index of ours that may be made,
 * and searches as we ask them that it understands (other servers have modules of this name). Rejects when the server does
 * not answer.
 */
const findSearch = async (redis: Redis, keys: Keys, cluster: boolean): Promise<SearchModule> => {
  const found = await detectSearchModule(redis, { cluster });
  if (!found.usable) return found;
  const trial = keys.searchIndex(TRIAL, TRIAL);
  try {
    await createIndex(redis, definitionOf(trial, keys.searchRows(TRIAL, TRIAL), 1)).catch(unless('index-exists'));
    const refused = await trySearches(redis, trial).then(() => undefined, refusalOrThrow);
    await dropIndex(redis, trial).catch(unless('no-index'));
    if (refused === undefined) return found;
    const reason = `valkey-search ${found.version} is there but does not take our searches (${refused}); ${IN_PROCESS}`;
    return { usable: false, version: found.version, reason };
  } catch (error) {
    refusalOrThrow(error);
    const reason = `valkey-search ${found.version} is there but refuses an index (${whyRefused(error)}); ${IN_PROCESS}`;
    return { usable: false, version: found.version, reason };
  }
};

/** Every question that is asked, over nothing. Where another process dropped the index, or time ran out, it was understood. */
const trySearches = async (redis: Redis, index: string): Promise<void> => {
  const asked = { index, fields: HIT_FIELDS, timeoutMs: TRIAL_MS };
  const expression = `(@state:{active} | @state:{archived}) ${EVERYTHING}`;
  for (const filter of ['*', expression])
    await nearest(redis, { ...asked, filter, vector: Float32Array.of(1), k: 1, efRuntime: 1, limit: 1 }).catch(understood);
  await countMatching(redis, { ...asked, filter: expression }).catch(understood);
  await matching(redis, { ...asked, filter: expression, fields: ROW_FIELDS, limit: 1 }).catch(understood);
  await readIndexInfo(redis, index).catch(understood);
};

const refusalOrThrow = (error: unknown): Refusal => {
  const refusal = refusalOf(error);
  if (refusal === undefined) throw error;
  return refusal;
};

/** Drops the indexes of a model and deletes their rows; the cached vectors stay. */
export const retireVectors = async (redis: Redis, keys: Keys, model: string): Promise<void> => {
  for (const namespace of NAMESPACES) await dropIndex(redis, keys.searchIndex(model, namespace)).catch(unless('no-index'));
  const beginnings = NAMESPACES.flatMap((namespace) => [keys.searchRows(model, namespace), keys.searchDrafts(model, namespace)]);
  await withRowWriter(redis, async (writer) => {
    for await (const found of rowsUnder(redis, keys.allSearchHashes)) {
      const left = found.filter((key) => beginnings.some((beginning) => key.startsWith(beginning)));
      if (left.length > 0) await writer.unlink(left);
    }
  });
};

/**
 * The same for models that nobody uses any more, all at once: a process that was killed as it moved to another model leaves
 * theirs. `unused` tells which of them that still is, and is asked before each step. Reads every key of the server once.
 */
export const sweepModels = async (
  redis: Redis,
  keys: Keys,
  models: readonly string[],
  unused: () => Promise<ReadonlySet<string>>,
  signal: AbortSignal,
): Promise<void> => {
  const places = models.flatMap((model) =>
    NAMESPACES.map((namespace) => ({
      ...{ model, namespace },
      prefixes: [keys.searchRows(model, namespace), keys.searchDrafts(model, namespace)],
    })),
  );
  // A user who may not list indexes may still drop these.
  const names = await listIndexes(redis).catch(unless('permission'));
  for (const { model, namespace } of places) {
    const name = keys.searchIndex(model, namespace);
    if (!(names?.includes(name) ?? true) || signal.aborted || !(await unused()).has(model)) continue;
    await dropIndex(redis, name).catch(unless('no-index'));
  }
  const modelOf = (key: string): string | undefined =>
    places.find(({ prefixes }) => prefixes.some((prefix) => key.startsWith(prefix)))?.model;
  await withRowWriter(redis, async (writer) => {
    for await (const found of rowsUnder(redis, keys.allSearchHashes)) {
      if (signal.aborted) return;
      const rows = found.map((key) => ({ key, model: modelOf(key) }));
      if (rows.every(({ model }) => model === undefined)) continue;
      const still = await unused();
      const left = rows.filter(({ model }) => model !== undefined && still.has(model)).map(({ key }) => key);
      if (left.length > 0) await writer.unlink(left);
    }
  });
};

/** Another process may try at the same moment. */
const unless =
  (...expected: readonly Refusal[]) =>
  (error: unknown): void => {
    const refusal = refusalOf(error);
    if (refusal === undefined || !expected.includes(refusal)) throw error;
  };
const understood = unless('no-index', 'timed-out');

/** The rows of a memory in the server's indexes and their drafts, under every model: what forgetting it has to delete. */
export const searchRowsOf = async (redis: Redis, keys: Keys, memory: string): Promise<readonly string[]> => {
  const models = await redis.smembers(keys.models);
  const places = models.flatMap((model) => NAMESPACES.map((namespace) => rowSpaceOf(keys, model, namespace)));
  const pipeline = redis.pipeline();
  for (const { row, draft } of places) for (const key of [row, draft]) pipeline.hget(key(memory, 0), 'n');
  const replies = ((await pipeline.exec()) ?? []).map(([error, windows]) => {
    if (error) throw error;
    return Number(windows ?? 0);
  });
  // A process that was killed as it renamed leaves some of the windows in one place and some in the other, the first as a draft.
  return places.flatMap(({ row, draft }, i) => {
    const [stored = 0, drafted = 0] = replies.slice(2 * i);
    const windows = Array.from({ length: Math.max(stored, drafted) }, (_, window) => window);
    return (drafted > 0 ? [row, draft] : [row]).flatMap((key) => windows.map((window) => key(memory, window)));
  });
};
