import type { Redis } from 'iovalkey';
import { counters, membersOf, sets } from '../../projections/counters.js';
import { withServing } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';

/** Members of documents named `<namespace>:<doc_id>`, in no order. */
export const documentMembers = async (redis: Redis, keys: Keys, documents: readonly string[]): Promise<readonly string[]> => {
  if (documents.length === 0) return [];
  return unavailableWhenDown(() =>
    withServing(redis, keys, counters.name, async (generation) => {
      const members = await Promise.all(
        documents.map(async (document) => {
          const [namespace = '', docId = ''] = document.split(':');
          const all = await membersOf(redis, keys, generation, sets.document(docId));
          return all.filter((key) => key.startsWith(`mem:${namespace}:`));
        }),
      );
      return members.flat();
    }),
  );
};
