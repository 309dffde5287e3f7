import { createHash } from 'node:crypto';
import type { ChainableCommander, Redis } from 'iovalkey';
import { ORIGIN, type Position } from '../domain/envelope.js';
import { DomainError } from '../domain/errors.js';
import type { Keys } from './keys.js';
import { outcomeIn, type Replayed, type Verified } from './outcomes.js';
import type { Projection } from './projection.js';
import { loadScript, runScript } from './scripts.js';

const GENERATION = loadScript('projections/lua/generation.lua');

export type GenerationState = 'building' | 'serving' | 'retired';

/** One generation as it is stored. `version` tells the program and catalogue that filled it. */
export type Generation = {
  readonly number: number;
  readonly state: GenerationState;
  readonly checkpoint: Position;
  readonly eventId: string | undefined;
  readonly logId: string;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Events replayed so far and to replay, while it is built. */
  readonly done: number;
  readonly total: number;
};

/** The generations of one projection. `retired` maps numbers to when they retired, epoch milliseconds. */
export type Pointers = {
  readonly serving: number | undefined;
  readonly building: number | undefined;
  readonly retired: ReadonlyMap<number, number>;
  /** When somebody asked for a rebuild, epoch milliseconds. */
  readonly wanted: number | undefined;
  /** Why the last rebuild failed. */
  readonly failed: string | undefined;
  readonly verified: Verified | undefined;
  readonly replayed: Replayed | undefined;
};

/** Names a projection's meaning: its own version and the shapes of all events it may meet. */
export const versionOf = (projection: Projection, fingerprint: string): string =>
  `${projection.version}+${createHash('sha256').update(fingerprint).digest('hex').slice(0, 12)}`;

export const readPointers = async (redis: Redis, keys: Keys, name: string): Promise<Pointers> => {
  const fields = await redis.hgetall(keys.projection(name));
  const number = (field: string): number | undefined => (fields[field] === undefined ? undefined : Number(fields[field]));
  const retired = Object.entries(fields).flatMap(([field, at]) =>
    field.startsWith('retired:') ? [[Number(field.slice('retired:'.length)), Number(at)] as const] : [],
  );
  return {
    serving: number('serving'),
    building: number('building'),
    retired: new Map(retired),
    wanted: number('wanted'),
    failed: fields.failed,
    verified: outcomeIn<Verified>(fields.verified),
    replayed: outcomeIn<Replayed>(fields.replayed),
  };
};

export const readGeneration = async (redis: Redis, keys: Keys, name: string, number: number): Promise<Generation | undefined> => {
  const fields = await redis.hgetall(keys.generation(name, number));
  if (!fields.state) return undefined;
  return {
    number,
    state: fields.state as GenerationState,
    checkpoint: fields.checkpoint ?? ORIGIN,
    eventId: fields.event_id || undefined,
    logId: fields.log_id ?? '',
    version: fields.version ?? '',
    startedAt: Number(fields.started_at ?? 0),
    done: Number(fields.done ?? 0),
    total: Number(fields.total ?? 0),
  };
};

/** The generation that reads use, or undefined while the first one is being built. */
export const servingGeneration = async (redis: Redis, keys: Keys, name: string): Promise<number | undefined> => {
  const number = await redis.hget(keys.projection(name), 'serving');
  return number === null ? undefined : Number(number);
};

/**
 * Runs a read against the generation that serves, and again when that moved meanwhile, so that an answer never mixes two.
 * Throws UNAVAILABLE while the view is being built for the first time.
 */
export const withServing = async <T>(redis: Redis, keys: Keys, name: string, read: (generation: number) => Promise<T>): Promise<T> => {
  let generation = await servingGeneration(redis, keys, name);
  for (;;) {
    if (generation === undefined) throw beingBuilt(name);
    const answer = await read(generation);
    const now = await servingGeneration(redis, keys, name);
    if (now === generation) return answer;
    generation = now;
  }
};

const servedLast = new WeakMap<Redis, Map<string, number>>();

/**
 * The same for reads that fit one pipeline, which `add` fills for a generation: one round trip while the generation is the
 * one that served the last time. Answers the replies of what was added, and rejects with the first error among them.
 */
export const pipelineServing = async (
  redis: Redis,
  keys: Keys,
  name: string,
  add: (pipeline: ChainableCommander, generation: number) => void,
): Promise<readonly unknown[]> => {
  const pointer = keys.projection(name);
  const known = servedLast.get(redis) ?? new Map<string, number>();
  servedLast.set(redis, known);
  let generation = known.get(pointer) ?? (await servingGeneration(redis, keys, name));
  for (;;) {
    if (generation === undefined) throw beingBuilt(name);
    const pipeline = redis.pipeline().hget(pointer, 'serving');
    add(pipeline, generation);
    const replies = ((await pipeline.hget(pointer, 'serving').exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    const served = (reply: unknown): number | undefined => (reply === null ? undefined : Number(reply));
    const [before, after] = [served(replies.at(0)), served(replies.at(-1))];
    if (after !== undefined) known.set(pointer, after);
    if (before === generation && after === generation) return replies.slice(1, -1);
    generation = after;
  }
};

const beingBuilt = (name: string): DomainError =>
  new DomainError('UNAVAILABLE', `The ${name} view is being built`, 'Try again in a few seconds; nothing is lost.');

/** Asks whoever holds the projection to rebuild it. */
export const requestRebuild = async (redis: Redis, keys: Keys, name: string, now: number): Promise<void> =>
  void (await redis.hset(keys.projection(name), 'wanted', now));

/** Takes the request up: it and the failure of an earlier rebuild are forgotten. */
export const clearRequest = async (redis: Redis, keys: Keys, name: string): Promise<void> =>
  void (await redis.hdel(keys.projection(name), 'wanted', 'failed'));

/** Leaves the reason for whoever asked for the rebuild. */
export const noteFailure = async (redis: Redis, keys: Keys, name: string, reason: string): Promise<void> =>
  void (await redis.hset(keys.projection(name), 'failed', reason));

type Holder = { readonly redis: Redis; readonly keys: Keys; readonly name: string; readonly token: number; readonly now: number };

export type Opening = { readonly state: 'building' | 'serving'; readonly version: string; readonly logId: string };

/** Opens an empty generation under the next number. Throws CONFLICT when the lease was lost or one is open in this state. */
export const openGeneration = async (holder: Holder, opening: Opening): Promise<number> => {
  const { redis, keys, name } = holder;
  const number = await redis.hincrby(keys.projection(name), 'next', 1);
  const fields = ['checkpoint', ORIGIN, 'event_id', '', 'log_id', opening.logId, 'version', opening.version, 'started_at', holder.now];
  refuse(name, await change(holder, number, number, ['open', number, holder.now, opening.state, ...fields]));
  return number;
};

/**
 * Lets reads go to the generation that was built; the old one retires. False when the two checkpoints differ.
 * Throws CONFLICT when the lease was lost or the pointers were moved by another.
 */
export const switchGeneration = async (holder: Holder, number: number, serving: number | undefined): Promise<boolean> => {
  const result = await change(holder, number, serving ?? number, ['switch', number, holder.now, serving ?? '']);
  if (result === 'behind') return false;
  refuse(holder.name, result);
  return true;
};

/** Takes a generation out of use; the sweeper deletes it. `holder.now` 0 retires it without grace. */
export const retireGeneration = async (holder: Holder, number: number): Promise<void> =>
  refuse(holder.name, await change(holder, number, number, ['retire', number, holder.now]));

const change = async (
  { redis, keys, name, token }: Holder,
  number: number,
  other: number,
  args: readonly (string | number)[],
): Promise<string> => {
  const touched = [keys.lease(name), keys.projection(name), keys.generation(name, number), keys.generation(name, other)];
  const [result] = (await runScript(redis, GENERATION, touched, [token, ...args])) as [string];
  return result;
};

const refuse = (name: string, result: string): void => {
  if (result === 'done') return;
  const reasons: Record<string, string> = {
    lost: `Another process took over the ${name} view`,
    taken: `The ${name} view is being rebuilt already`,
    moved: `Another process changed which generation of ${name} serves`,
  };
  throw new DomainError('CONFLICT', reasons[result] ?? `generation.lua answered ${result}`, 'Wait for it to finish, then try again.');
};
