import type { Redis } from 'iovalkey';
import { ORIGIN } from '../../domain/envelope.js';
import { readPointers } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { memories } from '../../projections/memories.js';
import { searchRowsOf } from '../../projections/search/valkey/space.js';
import { shadowName } from '../../projections/verify.js';
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

/**
 * The physical keys that hold a memory's text or vectors beside its payloads: in every generation that serves, is being built
 * or waits to be deleted, and in the shadow of a verification.
 */
export const keysHoldingText = async (redis: Redis, keys: Keys): Promise<(subject: string) => readonly string[]> =>
  unavailableWhenDown(async () => {
    const views = [memories.name, shadowName(memories.name)];
    const [models, ...pointers] = await Promise.all([redis.smembers(keys.models), ...views.map((view) => readPointers(redis, keys, view))]);
    const places = pointers.flatMap(({ serving, building, retired }, i) =>
      [serving, building, ...retired.keys()].flatMap((generation) =>
        generation === undefined ? [] : [[views[i] ?? '', generation] as const],
      ),
    );
    return (subject) => [
      ...places.map(([view, generation]) => keys.row(view, generation, subject)),
      ...models.map((model) => keys.embedding(model, subject)),
    ];
  });

/** The same for each of these, with what the search module holds of them. */
export const keysHoldingAny = async (
  redis: Redis,
  keys: Keys,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const held = await keysHoldingText(redis, keys);
  const rows = await unavailableWhenDown(() => Promise.all(subjects.map((subject) => searchRowsOf(redis, keys, subject))));
  return new Map(subjects.map((subject, i) => [subject, [...held(subject), ...(rows[i] ?? [])]]));
};
