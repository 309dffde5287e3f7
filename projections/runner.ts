import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, ORIGIN, type Position } from '../domain/envelope.js';
import { createBell } from './bell.js';
import { projectionsReached } from './checkpoint.js';
import type { ProjectorDeps } from './deps.js';
import { createFollower } from './follower.js';
import { createGate } from './gate.js';
import { createHoldings } from './holdings.js';
import { createLeases } from './lease.js';
import { createLock } from './lock.js';
import { createProgress } from './progress.js';
import type { Projection } from './projection.js';
import { reasonOf } from './reason.js';
import { furthestBehind, type RebuildProgress } from './rebuild.js';
import { createRebuilds } from './rebuilds.js';
import { sweep } from './sweep.js';

export type RunnerOptions = {
  /** Milliseconds that a lease runs without renewal. Default 10,000. */
  readonly leaseMs?: number;
  /** Milliseconds between looks at leases, requests and retired generations. Default 1,000. */
  readonly tickMs?: number;
  /** Milliseconds for which a retired generation is kept for reads under way. Default 60,000. */
  readonly graceMs?: number;
  /** Milliseconds until a rebuild that memory forbade is tried again. Default 60,000. */
  readonly rebuildAgainMs?: number;
  readonly onRebuild?: (progress: RebuildProgress) => void;
};

export type RunnerState = {
  /** Names of the views that this process writes. */
  readonly held: readonly string[];
  readonly rebuilding: readonly string[];
  /** The outage that stops the runner now, as an error code. */
  readonly outage: string | undefined;
  /** Why the last rebuild of a view failed, by name. */
  readonly refused: ReadonlyMap<string, string>;
};

export type Runner = {
  /** Follows the log until aborted, then gives up the leases. Outages are waited out; it never rejects for one. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /**
   * Waits until the named views (default all) have passed a position, whichever process writes them; not before this
   * runner has looked at them once, so that a view of another history is never taken for one that is up to date.
   */
  readonly waitFor: (position: Position, timeoutMs: number, names?: readonly string[]) => Promise<'reached' | 'late'>;
  /** Runs a function while this process applies nothing. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  readonly state: () => RunnerState;
};

/** The worker that keeps the views up with the log. Any number may run; each view is written by the one that leases it. */
export const createRunner = (deps: ProjectorDeps, projections: readonly Projection[], options: RunnerOptions = {}): Runner => {
  const { redis, keys, log, logger, now = Date.now } = deps;
  const { leaseMs = 10_000, tickMs = 1_000, graceMs = 60_000, rebuildAgainMs = 60_000 } = options;
  const names = projections.map(({ name }) => name);
  const progress = createProgress();
  const holdings = createHoldings(deps, createLeases(redis, keys, leaseMs), projections, progress.lost);
  const follower = createFollower({ redis, keys, log, ...(deps.page !== undefined && { page: deps.page }) });
  const exclusively = createLock();
  const bell = createBell();
  const sweeping = new Map<string, Promise<void>>();
  const firstLook = createGate();
  const rebuilds = createRebuilds(deps, holdings, {
    exclusively,
    busy: (name) => sweeping.has(name),
    served: ({ name, checkpoint }) => progress.reached(name, checkpoint),
    ended: bell.ring,
    onProgress: options.onRebuild,
    againMs: tickMs,
    tooLargeAgainMs: rebuildAgainMs,
  });
  let outage: string | undefined;
  let tickedAt = Number.NEGATIVE_INFINITY;

  const targets = () => holdings.all().flatMap(({ loaded, serving }) => (loaded && serving ? [serving] : []));

  /** One page for the views that are furthest behind. */
  const advance = (): Promise<number> =>
    exclusively(async () => {
      const { entries, lost } = await follower.advance(furthestBehind(targets()));
      if (lost.length > 0) {
        holdings.unload(lost.map(({ name }) => name));
        await holdings.renew();
        await holdings.load();
      }
      for (const { name, checkpoint } of targets()) progress.reached(name, checkpoint);
      return entries;
    });

  const tick = async (signal: AbortSignal): Promise<void> => {
    if (performance.now() - tickedAt < tickMs && holdings.all().every(({ loaded }) => loaded)) return;
    await exclusively(async () => {
      await holdings.acquire();
      await holdings.load();
    });
    tickedAt = performance.now();
    for (const { name, checkpoint } of targets()) progress.reached(name, checkpoint);
    firstLook.open();
    rebuilds.start(signal);
    startSweeps();
  };

  /** In the background, since a large generation takes its time; a rebuild of the same view waits for it. */
  const startSweeps = (): void => {
    for (const { projection, token } of holdings.all()) {
      const { name } = projection;
      if (rebuilds.running(name) || sweeping.has(name)) continue;
      const work = sweep({ redis, keys, name, token, now: now() }, graceMs)
        .catch((error: unknown) =>
          logger.warn({ projection: name, reason: reasonOf(error) }, 'old generations were not deleted; trying again'),
        )
        .finally(() => sweeping.delete(name));
      sweeping.set(name, work);
    }
  };

  const follow = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    let waiting: Promise<void> | undefined;
    while (!signal.aborted) {
      try {
        await tick(signal);
        const entries = await advance();
        outage = undefined;
        failures = 0;
        if (entries > 0) continue;
        const [furthest] = furthestBehind(targets());
        // A wait that is under way is kept when the bell ends it early: a second one would hold a connection of its own.
        if (furthest) {
          waiting ??= log.waitForMore(furthest.checkpoint, tickMs, signal).finally(() => {
            waiting = undefined;
          });
        }
        await bell.heard(tickMs, signal, waiting);
      } catch (error) {
        if (signal.aborted) break;
        outage = reasonOf(error);
        failures += 1;
        holdings.unload();
        logger.warn({ outage, failures }, 'views stand still; trying again');
        await sleep(Math.min(5_000, 50 * 2 ** failures), undefined, { signal }).catch(() => undefined);
      }
    }
    await waiting?.catch(() => undefined);
  };

  return {
    run: async (signal) => {
      const renewal = setInterval(() => void holdings.renew().catch(() => undefined), leaseMs / 3);
      try {
        await follow(signal);
      } finally {
        clearInterval(renewal);
        await Promise.allSettled([rebuilds.settled(), ...sweeping.values()]);
        await holdings.release().catch(() => undefined);
      }
    },
    waitFor: async (position, timeoutMs, wanted = names) => {
      const deadline = performance.now() + timeoutMs;
      if (!(await firstLook.passed(timeoutMs))) return 'late';
      // Whoever waits for more than there is makes the runner look; a read of views that are up to date leaves it alone.
      if (wanted.some((name) => comparePositions(progress.position(name) ?? ORIGIN, position) < 0)) bell.ring();
      const here = await progress.wait(wanted, position, Math.max(0, deadline - performance.now()));
      if (here !== 'lost') return here;
      return projectionsReached(redis, keys, wanted, position, Math.max(0, deadline - performance.now()));
    },
    exclusively,
    state: () => ({
      held: holdings.all().map(({ projection }) => projection.name),
      rebuilding: names.filter(rebuilds.running),
      outage,
      refused: rebuilds.refused(),
    }),
  };
};
