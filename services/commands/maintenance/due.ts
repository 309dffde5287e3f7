import type { Redis } from 'iovalkey';
import type { Keys } from '../../../projections/keys.js';
import { unavailableWhenDown } from '../../valkey/errors.js';

/** Hashes by project: its briefings so far, and how many there had been when maintenance last ran. Both only grow. */
const BRIEFINGS = 'briefings';
const MAINTAINED = 'briefings_maintained';

export type DueParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  /** Briefings of a project from one run to the next; 0: never by itself. */
  readonly maintenance: { readonly interval: number };
};

/** Counts one briefing of a project; true when it is time for maintenance of it. */
export const maintenanceDue = async ({ redis, keys, maintenance: { interval } }: DueParts, project: string): Promise<boolean> => {
  if (interval === 0) return false;
  const [count, since] = await unavailableWhenDown(() =>
    Promise.all([redis.hincrby(keys.counter(BRIEFINGS), project, 1), redis.hget(keys.counter(MAINTAINED), project)]),
  );
  return count - Number(since ?? 0) >= interval;
};

/** Begins to count anew: maintenance of this project ran. */
export const maintenanceDone = async ({ redis, keys }: Pick<DueParts, 'redis' | 'keys'>, project: string): Promise<void> => {
  await unavailableWhenDown(async () => {
    const count = await redis.hget(keys.counter(BRIEFINGS), project);
    if (count !== null) await redis.hset(keys.counter(MAINTAINED), project, count);
  });
};
