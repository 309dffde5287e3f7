import { comparePositions, ORIGIN, type Position } from '../domain/envelope.js';
import { DomainError } from '../domain/errors.js';
import type { ProjectorDeps } from './deps.js';
import { createFollower, type Follower, PAGE, type Target } from './follower.js';
import { openGeneration, readPointers, retireGeneration, switchGeneration, versionOf } from './generation.js';
import { memoryNeed, refuseWhenTooLarge } from './memory-need.js';
import { noteReplayed } from './outcomes.js';
import type { Projection } from './projection.js';

/** One line of progress. Rates and remaining time follow from what this rebuild did so far. */
export type RebuildProgress = {
  readonly projections: readonly string[];
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
  /** Undefined until there is a rate. */
  readonly remainingSeconds: number | undefined;
};

export type Rebuilt = { readonly projection: string; readonly generation: number; readonly events: number };

/** A projection to rebuild, held under `token`. `serving` is asked each time, since it goes on meanwhile. */
export type RebuildOrder = { readonly projection: Projection; readonly token: number; readonly serving: () => Target | undefined };

export type RebuildOptions = {
  /** Runs a function while no serving view moves: the last steps and the switch. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called with the target that serves from now on. */
  readonly switched: (target: Target) => void;
  readonly onProgress?: ((progress: RebuildProgress) => void) | undefined;
  readonly signal: AbortSignal;
};

/**
 * Builds a new generation of each projection beside the one that serves, in one pass over the log, and switches. Refuses
 * with TOO_LARGE when memory would not do, with CONFLICT when a lease is lost. A failed rebuild leaves no generation open.
 */
export const rebuild = async (
  deps: ProjectorDeps,
  orders: readonly RebuildOrder[],
  options: RebuildOptions,
): Promise<readonly Rebuilt[]> => {
  const { redis, keys, log } = deps;
  await refuseWhenItWouldNotFit(deps, orders);
  const total = await redis.xlen(keys.log);
  const begun = performance.now();
  const open: Building[] = [];
  try {
    for (const order of orders) open.push(await begin(deps, order));
    const follower = createFollower({ redis, keys, log, ...(deps.page !== undefined && { page: deps.page }) });
    const report = reporter(deps, open, total, options.onProgress);
    let done = 0;
    for (;;) {
      options.signal.throwIfAborted();
      const entries = await step(follower, open);
      done += entries;
      await report(done);
      // Near enough: the rest is caught up while the serving view stands still, or a busy log would never let it end.
      if (entries < (deps.page ?? PAGE)) break;
    }
    const all = await options.exclusively(async () => {
      const rebuilt: Rebuilt[] = [];
      for (const building of [...open]) {
        done += await catchUp(follower, building);
        rebuilt.push({ projection: building.target.name, generation: await swap(deps, building, options.switched), events: done });
        open.splice(open.indexOf(building), 1);
      }
      return rebuilt;
    });
    const { now = Date.now } = deps;
    for (const { projection, events } of all) {
      const outcome = { at: now(), ms: Math.round(performance.now() - begun), events };
      // A view that serves is not undone for want of a figure.
      await noteReplayed(redis, keys, projection, outcome).catch(() => undefined);
    }
    return all;
  } catch (error) {
    for (const { target } of open)
      await retireGeneration(holder(deps, target.name, target.token, 0), target.generation).catch(() => undefined);
    throw error;
  }
};

type Building = { readonly target: Target; readonly serving: () => Target | undefined };

const holder = ({ redis, keys, now = Date.now }: ProjectorDeps, name: string, token: number, at = now()) => ({
  redis,
  keys,
  name,
  token,
  now: at,
});

const refuseWhenItWouldNotFit = async ({ redis, keys }: ProjectorDeps, orders: readonly RebuildOrder[]): Promise<void> => {
  const serving = orders.flatMap(({ serving: asked }) => asked() ?? []);
  if (serving.length > 0)
    refuseWhenTooLarge(
      serving.map(({ name }) => name),
      await memoryNeed(redis, keys, serving),
    );
};

const begin = async (deps: ProjectorDeps, { projection, token, serving }: RebuildOrder): Promise<Building> => {
  const { name } = projection;
  // Only the holder of the lease builds, so one that is open now was left by a process that died.
  const { building } = await readPointers(deps.redis, deps.keys, name);
  if (building !== undefined) await retireGeneration(holder(deps, name, token, 0), building);
  const version = versionOf(projection, deps.fingerprint);
  const generation = await openGeneration(holder(deps, name, token), { state: 'building', version, logId: deps.log.logId });
  const target: Target = { projection, name, generation, token, serving: false, buries: true, checkpoint: ORIGIN, degraded: new Map() };
  return { target, serving };
};

/** One page for the targets that are furthest behind, never past the view that serves. */
const step = async (follower: Follower, open: readonly Building[]): Promise<number> => {
  const limits = open.flatMap(({ serving }) => serving()?.checkpoint ?? []);
  const until = limits.length === 0 ? undefined : limits.reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b));
  return advance(follower, furthestBehind(open.map(({ target }) => target)), until);
};

const catchUp = async (follower: Follower, { target, serving }: Building): Promise<number> => {
  let done = 0;
  for (;;) {
    const until = serving()?.checkpoint;
    if (until !== undefined && comparePositions(target.checkpoint, until) >= 0) return done;
    const entries = await advance(follower, [target], until);
    if (entries === 0) return done;
    done += entries;
  }
};

const advance = async (follower: Follower, targets: readonly Target[], until: Position | undefined): Promise<number> => {
  const { entries, lost } = await follower.advance(targets, until);
  const [first] = lost;
  if (first)
    throw new DomainError(
      'CONFLICT',
      `The lease of the ${first.name} view lapsed or was taken`,
      'Whoever holds it next rebuilds the view if it must.',
    );
  return entries;
};

const swap = async (deps: ProjectorDeps, { target, serving }: Building, switched: (target: Target) => void): Promise<number> => {
  const old = serving()?.generation;
  if (!(await switchGeneration(holder(deps, target.name, target.token), target.generation, old))) {
    throw new DomainError('CONFLICT', `The new ${target.name} view did not catch up with the one that serves`, 'Replay again.');
  }
  switched({ ...target, serving: true });
  return target.generation;
};

/** Those of the targets whose checkpoint is the lowest: they can share a page. */
export const furthestBehind = (targets: readonly Target[]): readonly Target[] => {
  const [first, ...others] = targets;
  if (!first) return [];
  const least = others.reduce((low, { checkpoint }) => (comparePositions(checkpoint, low) < 0 ? checkpoint : low), first.checkpoint);
  return targets.filter(({ checkpoint }) => checkpoint === least);
};

/** Milliseconds between two notes of progress for other processes. */
const NOTE_EVERY = 200;

const reporter = (
  { redis, keys, now = Date.now }: ProjectorDeps,
  open: readonly Building[],
  total: number,
  onProgress: RebuildOptions['onProgress'],
): ((done: number) => Promise<void>) => {
  const startedAt = now();
  const projections = open.map(({ target }) => target.name);
  const generations = open.map(({ target }) => keys.generation(target.name, target.generation));
  let notedAt = Number.NEGATIVE_INFINITY;
  return async (done) => {
    const seconds = (now() - startedAt) / 1000;
    const perSecond = seconds > 0 ? done / seconds : 0;
    const remainingSeconds = perSecond > 0 ? Math.max(0, total - done) / perSecond : undefined;
    onProgress?.({ projections, done, total, perSecond, remainingSeconds });
    if (performance.now() - notedAt < NOTE_EVERY) return;
    notedAt = performance.now();
    await Promise.all(generations.map((key) => redis.hset(key, 'done', done, 'total', total)));
  };
};
