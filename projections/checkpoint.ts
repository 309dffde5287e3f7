import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { comparePositions, ORIGIN, type Position } from '../domain/envelope.js';
import type { Generation } from './generation.js';
import type { Keys } from './keys.js';
import type { LogReader } from './log-reader.js';

/**
 * Whether a generation was built from this very log: the log is the same and still holds the event it stopped at. A cut
 * append-only file or an older data folder must not leave rows of events that never happened.
 */
export const fitsLog = async (log: LogReader, generation: Generation): Promise<boolean> => {
  const { checkpoint, eventId } = generation;
  if (generation.logId !== log.logId) return false;
  if (checkpoint === ORIGIN) return true;
  if (eventId !== undefined) return log.holds(checkpoint, eventId);
  // The entry was unreadable and has no id: its place is all there is to compare.
  const head = await log.head();
  return head !== undefined && comparePositions(checkpoint, head.position) <= 0;
};

/** The serving generation's checkpoint per projection, or undefined where none serves. */
export const readCheckpoints = async (
  redis: Redis,
  keys: Keys,
  names: readonly string[],
): Promise<ReadonlyMap<string, Position | undefined>> => {
  const serving = await values(
    redis,
    names.map((name) => [keys.projection(name), 'serving'] as const),
  );
  const checkpoints = await values(
    redis,
    names.map((name, i) => [keys.generation(name, Number(serving[i] ?? 0)), 'checkpoint'] as const),
  );
  return new Map(names.map((name, i) => [name, serving[i] === null ? undefined : (checkpoints[i] ?? undefined)]));
};

const values = async (redis: Redis, fields: readonly (readonly [key: string, field: string])[]): Promise<readonly (string | null)[]> =>
  Promise.all(fields.map(([key, field]) => redis.hget(key, field)));

/** Milliseconds between two looks at checkpoints that another process moves. */
const LOOK_AGAIN = 5;

/**
 * Waits until all named views that serve have passed `position`, by looking at their checkpoints: for processes that run
 * no projector. Rejects on an outage.
 */
export const projectionsReached = async (
  redis: Redis,
  keys: Keys,
  names: readonly string[],
  position: Position,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<'reached' | 'late'> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const checkpoints = await readCheckpoints(redis, keys, names);
    const passed = [...checkpoints.values()].every((at) => at !== undefined && comparePositions(at, position) >= 0);
    if (passed) return 'reached';
    if (performance.now() >= deadline || signal?.aborted) return 'late';
    await sleep(LOOK_AGAIN);
  }
};
