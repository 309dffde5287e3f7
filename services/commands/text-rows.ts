import type { Redis } from 'iovalkey';
import { isTopicSubject } from '../../domain/topic/topic.js';
import { readPointers } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { memories } from '../../projections/memories.js';
import { ROW_OF_ALL_TOPICS, suppressions } from '../../projections/suppressions.js';
import { shadowName } from '../../projections/verify.js';
import { unavailableWhenDown } from '../valkey/errors.js';

/** The rows that hold the text of a memory or topic, and the topics that its dead ends became: in the generation that serves, in one being built, in those that wait to be deleted, and in the shadow of a verification. */
export const textRows = async (redis: Redis, keys: Keys, key: string): Promise<readonly string[]> => {
  const views = [memories, suppressions].flatMap(({ name }) => [name, shadowName(name)]);
  const pointers = await unavailableWhenDown(() => Promise.all(views.map((view) => readPointers(redis, keys, view))));
  return pointers.flatMap(({ serving, building, retired }, i) => {
    const row = (generation: number, name: string): string => keys.row(views[i] ?? '', generation, name);
    const present = [serving, building].filter((generation) => generation !== undefined);
    const before = [...retired.keys()];
    return [
      ...[...present, ...before].map((generation) => row(generation, key)),
      // What an older version made, and nothing reads any more.
      ...(isTopicSubject(key) ? before.map((generation) => row(generation, ROW_OF_ALL_TOPICS)) : []),
    ];
  });
};
