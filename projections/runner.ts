import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../domain/envelope.js';
import { isDomainError } from '../domain/errors.js';
import { createBell } from './bell.js';
import { projectionsReached } from './checkpoint.js';
import type { ProjectorDeps } from './deps.js';
import { createFollower } from './follower.js';
import { createGate } from './gate.js';
import { clearRequest, noteFailure } from './generation.js';
import { createHoldings, type Holding } from './holdings.js';
import { createLeases } from './lease.js';
import { createLock } from './lock.js';
import { createProgress } from './progress.js';
import type { Projection } from './projection.js';
import { furthestBehind, type RebuildProgress, rebuild } from './rebuild.js';
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
  /** Says that the log has grown, so that nothing waits for a timer. */
  readonly poke: () => void;
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
  const rebuilding = new Map<string, Promise<void>>();
  const sweeping = new Map<string, Promise<void>>();
  const refused = new Map<string, { readonly reason: string; readonly again: number }>();
  const firstLook = createGate();
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
    startRebuilds(signal);
    startSweeps();
  };

  /** In the background, since a large generation takes its time; a rebuild of the same view waits for it. */
  const startSweeps = (): void => {
    for (const { projection, token } of holdings.all()) {
      const { name } = projection;
      if (rebuilding.has(name) || sweeping.has(name)) continue;
      const work = sweep({ redis, keys, name, token, now: now() }, graceMs)
        .catch((error: unknown) =>
          logger.warn({ projection: name, reason: reasonOf(error) }, 'old generations were not deleted; trying again'),
        )
        .finally(() => sweeping.delete(name));
      sweeping.set(name, work);
    }
  };

  const startRebuilds = (signal: AbortSignal): void => {
    const stale = holdings.all().filter((holding) => {
      const failed = refused.get(holding.projection.name);
      const soon = failed !== undefined && now() < failed.again && holding.stale !== 'wanted';
      return holding.stale !== undefined && !soon && !rebuilding.has(holding.projection.name) && !sweeping.has(holding.projection.name);
    });
    if (stale.length === 0) return;
    const work = rebuildAll(stale, signal).finally(() => {
      for (const { projection } of stale) rebuilding.delete(projection.name);
      bell.ring();
    });
    for (const { projection } of stale) rebuilding.set(projection.name, work);
  };

  const rebuildAll = async (stale: readonly Holding[], signal: AbortSignal): Promise<void> => {
    const views = stale.map(({ projection }) => projection.name);
    logger.info({ views, reasons: stale.map(({ stale: reason }) => reason) }, 'rebuilding views');
    try {
      // Taken before the work, so that a request made meanwhile is met by another rebuild.
      for (const name of views) await clearRequest(redis, keys, name);
      const rebuilt = await rebuild(
        deps,
        stale.map((holding) => ({ projection: holding.projection, token: holding.token, serving: () => holding.serving })),
        {
          exclusively,
          signal,
          onProgress: options.onRebuild,
          switched: (target) => {
            const holding = holdings.get(target.name);
            if (holding?.token !== target.token) return;
            holding.serving = target;
            holding.stale = undefined;
            refused.delete(target.name);
            progress.reached(target.name, target.checkpoint);
          },
        },
      );
      logger.info({ rebuilt }, 'rebuilt views');
    } catch (error) {
      if (signal.aborted) return;
      const reason = reasonOf(error);
      for (const holding of stale) {
        if (holding.stale === undefined) continue;
        const wait = isDomainError(error, 'TOO_LARGE') ? rebuildAgainMs : tickMs;
        refused.set(holding.projection.name, { reason, again: now() + wait });
        if (holding.stale === 'wanted') holding.stale = undefined;
        await noteFailure(redis, keys, holding.projection.name, reason).catch(() => undefined);
      }
      logger.warn({ views, reason }, 'a rebuild failed');
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
        await Promise.allSettled([...rebuilding.values(), ...sweeping.values()]);
        await holdings.release().catch(() => undefined);
      }
    },
    poke: bell.ring,
    waitFor: async (position, timeoutMs, wanted = names) => {
      const deadline = performance.now() + timeoutMs;
      if (!(await firstLook.passed(timeoutMs))) return 'late';
      const here = await progress.wait(wanted, position, Math.max(0, deadline - performance.now()));
      if (here !== 'lost') return here;
      return projectionsReached(redis, keys, wanted, position, Math.max(0, deadline - performance.now()));
    },
    exclusively,
    state: () => ({
      held: holdings.all().map(({ projection }) => projection.name),
      rebuilding: [...rebuilding.keys()],
      outage,
      refused: new Map([...refused].map(([name, { reason }]) => [name, reason])),
    }),
  };
};

/** An error as it may be logged: our own words, or the kind and code of anything else. */
const reasonOf = (error: unknown): string => {
  if (isDomainError(error)) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as NodeJS.ErrnoException;
  return code ?? /^[A-Z]{3,}/.exec(error.message)?.[0] ?? error.name;
};
