import type { Redis } from 'iovalkey';
import { ORIGIN, type Position } from '../domain/envelope.js';
import { type DeadLetter, type Degraded, readDeadLetters, readDegraded } from './dead-letter.js';
import { readGeneration, readPointers } from './generation.js';
import type { Keys } from './keys.js';
import type { Replayed, Verified } from './outcomes.js';

export type ProjectionStatus = {
  readonly name: string;
  /** Undefined while the first generation is being built. */
  readonly generation: number | undefined;
  readonly version: string | undefined;
  readonly building: { readonly generation: number; readonly done: number; readonly total: number } | undefined;
  readonly checkpoint: Position;
  /** Events of the log that the view has not passed; counted up to `LAG_COUNTED`. */
  readonly lagEvents: number;
  /** Seconds since the oldest of them was appended, by the server's clock. */
  readonly lagSeconds: number;
  readonly degraded: ReadonlyMap<string, Degraded>;
  /** Dead letters of the generation that serves, among the newest of all. */
  readonly deadLetters: number;
  readonly rebuildFailed: string | undefined;
  /** How the last verification and the last replay ended; absent before the first. */
  readonly verified?: Verified | undefined;
  readonly replayed?: Replayed | undefined;
};

/** A lag is counted up to here; what is beyond is "at least". */
export const LAG_COUNTED = 10_000;

/** How each view stands. Rejects on an outage. */
export const projectionStatus = async (redis: Redis, keys: Keys, names: readonly string[]): Promise<readonly ProjectionStatus[]> => {
  const [seconds] = await redis.time();
  const letters = await readDeadLetters(redis, keys, LAG_COUNTED);
  return Promise.all(names.map((name) => statusOf(redis, keys, name, Number(seconds), letters)));
};

const statusOf = async (
  redis: Redis,
  keys: Keys,
  name: string,
  seconds: number,
  letters: readonly DeadLetter[],
): Promise<ProjectionStatus> => {
  const pointers = await readPointers(redis, keys, name);
  const serving = pointers.serving === undefined ? undefined : await readGeneration(redis, keys, name, pointers.serving);
  const building = pointers.building === undefined ? undefined : await readGeneration(redis, keys, name, pointers.building);
  const checkpoint = serving?.checkpoint ?? ORIGIN;
  const [oldest] = await redis.xrange(keys.log, `(${checkpoint}`, '+', 'COUNT', 1);
  return {
    name,
    generation: serving?.number,
    version: serving?.version,
    building: building && { generation: building.number, done: building.done, total: building.total },
    checkpoint,
    lagEvents: oldest ? await countAfter(redis, keys, checkpoint) : 0,
    lagSeconds: oldest ? Math.max(0, seconds - Number(oldest[0].split('-')[0]) / 1000) : 0,
    degraded: serving ? await readDegraded(redis, keys, name, serving.number) : new Map(),
    deadLetters: letters.filter((letter) => letter.projection === name && letter.generation === serving?.number).length,
    rebuildFailed: pointers.failed,
    verified: pointers.verified,
    replayed: pointers.replayed,
  };
};

const countAfter = async (redis: Redis, keys: Keys, position: Position): Promise<number> =>
  (await redis.xrange(keys.log, `(${position}`, '+', 'COUNT', LAG_COUNTED)).length;
