import type { Redis } from 'iovalkey';
import { ORIGIN } from '../../domain/envelope.js';
import { readPointers } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { memories } from '../../projections/memories.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { factsOf } from './entry.js';
import { type RawFields, readFieldsAfter } from './source.js';

const PAGE = 1_000;
/** A store that never held more than this many entries about itself counts as empty. */
const BLANK_ENTRIES = 200;
const ABOUT_ITSELF: ReadonlySet<string> = new Set(['EmbeddingModelChanged', 'BackupTaken', 'MigrationApplied']);

/** Reads the store's own log entry by entry. */
export const storeCursor = (redis: Redis, keys: Keys) => {
  let page: readonly RawFields[] = [];
  let at = 0;
  let last = ORIGIN;
  let ended = false;
  return async (): Promise<RawFields | undefined> => {
    if (at === page.length && !ended) {
      page = await readFieldsAfter(redis, keys, last, PAGE);
      at = 0;
      ended = page.length === 0;
      last = page.at(-1)?.position ?? last;
    }
    const entry = page[at];
    if (entry) at += 1;
    return entry;
  };
};

/**
 * The entries of a store in which nothing was ever remembered: all it says is which model it uses. A server that was just
 * started is such a store. Undefined when it holds more.
 */
export const blankStore = async (redis: Redis, keys: Keys): Promise<readonly RawFields[] | undefined> => {
  const entries = await readFieldsAfter(redis, keys, ORIGIN, BLANK_ENTRIES + 1);
  const isBlank = entries.length <= BLANK_ENTRIES && entries.every((entry) => ABOUT_ITSELF.has(factsOf(entry).type ?? ''));
  return isBlank ? entries : undefined;
};

/** The physical keys that hold a memory's text or vectors beside its payloads. */
export const keysHoldingText = async (redis: Redis, keys: Keys): Promise<(subject: string) => readonly string[]> =>
  unavailableWhenDown(async () => {
    const [{ serving, building }, models] = await Promise.all([readPointers(redis, keys, memories.name), redis.smembers(keys.models)]);
    const generations = [serving, building].filter((generation) => generation !== undefined);
    return (subject) => [
      ...generations.map((generation) => keys.row(memories.name, generation, subject)),
      ...models.map((model) => keys.embedding(model, subject)),
    ];
  });
