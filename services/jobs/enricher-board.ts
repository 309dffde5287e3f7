import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { type Random, systemRandom } from '../eventlog/random.js';

/** Holds the lease of the one process that enriches. */
export const ENRICHER_LEASE = 'job:enrichment';

/** How the text that version `of` set failed so far; `due` is the epoch milliseconds from which it is tried again. */
export type Failed = { readonly of: number; readonly attempts: number; readonly code: string; readonly due: number };

/** The model failed `count` times in a row. `stopped`: nothing is tried until somebody asks. */
export type Trouble = {
  readonly code: string;
  readonly message: string;
  readonly since: string;
  readonly count: number;
  readonly stopped: boolean;
};

/** What any process can see of the worker's state. None of it matters to what is done in the end: the log decides that. */
export type Board = {
  /** Memories that are worked on. */
  readonly running: readonly string[];
  readonly failed: ReadonlyMap<string, Failed>;
  readonly trouble: Trouble | undefined;
  /** Requests to try again that are not answered yet, by their ids. */
  readonly again: ReadonlyMap<string, Again>;
};

/** What is to be tried again: what waits, or what was given up as well. */
export type Again = 'waiting' | 'parked';

const RUNNING = 'running:';
const FAILED = 'failed:';
const AGAIN = 'again:';

/** Reads the board; work of a process that is gone does not count. */
export const readBoard = async (redis: Redis, keys: Keys): Promise<Board> => {
  const [fields, alive] = await Promise.all([redis.hgetall(keys.enrichment), redis.exists(keys.lease(ENRICHER_LEASE))]);
  const under = (prefix: string) =>
    Object.entries(fields).flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : []));
  return {
    running: alive === 1 ? under(RUNNING).map(([key]) => key) : [],
    failed: new Map(under(FAILED).map(([key, json]) => [key, JSON.parse(json) as Failed])),
    trouble: fields.trouble === undefined ? undefined : (JSON.parse(fields.trouble) as Trouble),
    again: new Map(under(AGAIN).map(([id, again]) => [id, again === 'parked' ? 'parked' : 'waiting'])),
  };
};

/** Asks whichever process enriches to try again at once. */
export const requestAgain = async (redis: Redis, keys: Keys, again: Again, { ulid }: Random = systemRandom()): Promise<void> => {
  await redis.hset(keys.enrichment, AGAIN + ulid(Date.now()), again);
};

/** The worker's hand on the board. */
export const createBoard = (redis: Redis, keys: Keys) => {
  const names = (prefix: string, members: readonly string[]): string[] => members.map((key) => prefix + key);
  return {
    read: () => readBoard(redis, keys),
    /** These requests were answered; one that came meanwhile stays. */
    answered: async (ids: readonly string[]) => {
      if (ids.length > 0) await redis.hdel(keys.enrichment, ...names(AGAIN, ids));
    },
    /** Forgets the work of a worker before this one. */
    noneRunning: async () => {
      const { running } = await readBoard(redis, keys);
      if (running.length > 0) await redis.hdel(keys.enrichment, ...names(RUNNING, running));
    },
    started: (members: readonly string[], at: string) =>
      redis.hset(keys.enrichment, Object.fromEntries(names(RUNNING, members).map((name) => [name, at]))),
    ended: (members: readonly string[]) => redis.hdel(keys.enrichment, ...names(RUNNING, members)),
    failed: (member: string, failed: Failed) => redis.hset(keys.enrichment, FAILED + member, JSON.stringify(failed)),
    /** Nothing is known against these any more. */
    cleared: async (members: readonly string[]) => {
      if (members.length > 0) await redis.hdel(keys.enrichment, ...names(FAILED, members));
    },
    trouble: async (trouble: Trouble | undefined) => {
      if (trouble) await redis.hset(keys.enrichment, 'trouble', JSON.stringify(trouble));
      else await redis.hdel(keys.enrichment, 'trouble');
    },
  };
};

export type EnricherBoard = ReturnType<typeof createBoard>;
