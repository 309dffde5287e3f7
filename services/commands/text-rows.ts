import type { Redis } from 'iovalkey';
import { readPointers } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { memories } from '../../projections/memories.js';
import { suppressions } from '../../projections/suppressions.js';
import { shadowName } from '../../projections/verify.js';
import { unavailableWhenDown } from '../valkey/errors.js';

/** The rows that hold a memory's text, and the topics that its dead ends became: in the generation that serves, in one being built, in those that wait to be deleted, and in the shadow of a verification. */
export const textRows = async (redis: Redis, keys: Keys, key: string): Promise<readonly string[]> => {
  const views = [memories, suppressions].flatMap(({ name }) => [name, shadowName(name)]);
  const pointers = await unavailableWhenDown(() => Promise.all(views.map((view) => readPointers(redis, keys, view))));
  return pointers.flatMap(({ serving, building, retired }, i) =>
    [serving, building, ...retired.keys()].flatMap((generation) =>
      generation === undefined ? [] : [keys.row(views[i] ?? '', generation, key)],
    ),
  );
};
