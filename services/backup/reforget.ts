import { erases } from '../../domain/erasure.js';
import { needlesOf } from '../erasure/needles.js';
import { erasingQueries } from '../erasure/queries.js';
import type { Random } from '../eventlog/random.js';
import type { Store } from '../ops/store.js';
import { keysHoldingAny } from './target.js';

const BATCH = 200;
const ATTEMPTS = 5;

export type ForgetAgain = {
  readonly actor: string;
  readonly random: Random;
  readonly now: () => number;
  /** Only what has text here, and no event for what came without. */
  readonly textOnly?: boolean | undefined;
};

/**
 * Forgets, in this store, what was forgotten elsewhere: for each subject that is here and whose last event is no forgetting,
 * `MemoryForgotten` is appended (`ProjectDeleted` for a project), and whatever is left of its text goes. Answers the subjects.
 */
export const forgetAgain = async (
  { log, redis, keys }: Pick<Store, 'log' | 'redis' | 'keys'>,
  forgotten: ReadonlySet<string>,
  { actor, random, now, textOnly = false }: ForgetAgain,
): Promise<readonly string[]> => {
  const gone: string[] = [];
  const all = [...forgotten];
  for (let from = 0; from < all.length; from += BATCH) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const histories = await log.load(all.slice(from, from + BATCH));
      const left = histories.filter(
        ({ version, events }) => version > 0 && !erases(events.at(-1)?.type) && !(textOnly && events.length === 0),
      );
      if (left.length === 0) break;
      const deletes = await keysHoldingAny(
        redis,
        keys,
        left.map(({ subject }) => subject),
      );
      const pieces = left.flatMap(({ subject, events }) => needlesOf(subject, events));
      const answer = await erasingQueries({ redis, keys, now }, pieces, () =>
        log.forget({
          commandId: random.ulid(now()),
          actor,
          at: new Date(now()).toISOString(),
          subjects: left.map(({ subject, version }) => ({ subject, expected: version, deletes: deletes.get(subject) ?? [] })),
          result: { forgotten: left.length },
        }),
      );
      if (!('events' in answer)) continue;
      gone.push(...left.map(({ subject }) => subject));
      break;
    }
  }
  return gone;
};
