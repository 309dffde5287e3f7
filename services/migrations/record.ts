import type { Redis } from 'iovalkey';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import type { Keys } from '../../projections/keys.js';
import type { EventLog } from '../eventlog/log.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const PAGE = 1_000;
/** Field of the log's meta hash: the highest migration that is known to be recorded in the log. */
const APPLIED = 'migrated';

/** The highest number that the log records, 0 for none. The log is read only where the store has no note of it yet. */
export const lastApplied = async ({ log, redis, keys }: Parts, { note = true } = {}): Promise<number> => {
  const noted = await unavailableWhenDown(() => redis.hget(keys.meta, APPLIED));
  if (noted !== null) return Number(noted);
  const found = await recordedInLog({ log, redis, keys });
  if (note) await noteApplied({ redis, keys }, found);
  return found;
};

export const noteApplied = async ({ redis, keys }: Pick<Parts, 'redis' | 'keys'>, number: number): Promise<void> =>
  unavailableWhenDown(async () => void (await redis.hset(keys.meta, APPLIED, number)));

type Parts = { readonly log: EventLog; readonly redis: Redis; readonly keys: Keys };

const recordedInLog = async ({ log, redis, keys }: Parts): Promise<number> => {
  let highest = 0;
  let from = ORIGIN;
  for (;;) {
    const page = await unavailableWhenDown(() => redis.xrange(keys.log, `(${from}`, '+', 'COUNT', PAGE));
    const places = page.filter(([, fields]) => fields[fields.indexOf('type') + 1] === 'MigrationApplied').map(([position]) => position);
    for (const entry of await log.at(places)) {
      if (entry.kind === 'event' && entry.event.type === 'MigrationApplied') highest = Math.max(highest, entry.event.data.number);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return highest;
    from = last[0];
  }
};

/** How far a migration is. It is kept until the migration is recorded, so that one that was cut off goes on. */
export type Checkpoint = { readonly correlation: string; readonly position: Position; readonly events: number; readonly subjects: number };

/** The checkpoint of whoever began first, else a new one with this correlation. */
export const openCheckpoint = async (redis: Redis, keys: Keys, number: number, correlation: string): Promise<Checkpoint> =>
  unavailableWhenDown(async () => {
    await redis.hsetnx(keys.migration(number), 'correlation', correlation);
    const fields = await redis.hgetall(keys.migration(number));
    return {
      correlation: fields.correlation ?? correlation,
      position: fields.position ?? ORIGIN,
      events: Number(fields.events ?? 0),
      subjects: Number(fields.subjects ?? 0),
    };
  });

export const saveCheckpoint = async (redis: Redis, keys: Keys, number: number, checkpoint: Checkpoint): Promise<void> =>
  unavailableWhenDown(async () => void (await redis.hset(keys.migration(number), checkpoint)));

export const dropCheckpoint = async (redis: Redis, keys: Keys, number: number): Promise<void> =>
  unavailableWhenDown(async () => void (await redis.del(keys.migration(number))));
