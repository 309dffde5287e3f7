import { isDomainError } from '../domain/errors.js';
import type { ProjectorDeps } from './deps.js';
import type { Target } from './follower.js';
import { clearRequest, noteFailure, requestRebuild } from './generation.js';
import type { Holding, Holdings } from './holdings.js';
import { reasonOf } from './reason.js';
import { type RebuildOptions, rebuild } from './rebuild.js';

export type RebuildsOptions = Pick<RebuildOptions, 'exclusively' | 'onProgress'> & {
  /** Whether something else works on the view's generations, so that its rebuild must wait. */
  readonly busy: (name: string) => boolean;
  /** Called with each new target that serves. */
  readonly served: (target: Target) => void;
  readonly ended: () => void;
  /** Milliseconds until a rebuild that failed is tried again, and one that memory forbade. */
  readonly againMs: number;
  readonly tooLargeAgainMs: number;
};

/** The rebuilds that a worker runs in the background, beside the views that serve. */
export type Rebuilds = {
  /** Starts one for what is missing, changed or asked for; views that need it at the same time share a pass over the log. */
  readonly start: (signal: AbortSignal) => void;
  readonly running: (name: string) => boolean;
  /** Why the last rebuild of a view failed, by name. */
  readonly refused: () => ReadonlyMap<string, string>;
  readonly settled: () => Promise<unknown>;
};

export const createRebuilds = (deps: ProjectorDeps, holdings: Holdings, options: RebuildsOptions): Rebuilds => {
  const { redis, keys, logger, now = Date.now } = deps;
  const running = new Map<string, Promise<void>>();
  const refused = new Map<string, { readonly reason: string; readonly again: number }>();

  const due = ({ projection: { name }, stale }: Holding): boolean => {
    if (stale === undefined || running.has(name) || options.busy(name)) return false;
    return stale === 'wanted' || now() >= (refused.get(name)?.again ?? 0);
  };

  const switched = (target: Target): void => {
    const holding = holdings.get(target.name);
    if (holding?.token !== target.token) return;
    holding.serving = target;
    holding.stale = undefined;
    refused.delete(target.name);
    options.served(target);
  };

  const failed = async (stale: readonly Holding[], error: unknown): Promise<void> => {
    const reason = reasonOf(error);
    const again = now() + (isDomainError(error, 'TOO_LARGE') ? options.tooLargeAgainMs : options.againMs);
    const unmet = stale.filter((holding) => holding.stale !== undefined);
    logger.warn({ views: unmet.map(({ projection }) => projection.name), reason }, 'a rebuild failed');
    for (const holding of unmet) {
      const { name } = holding.projection;
      if (holding.stale === 'wanted' && isDomainError(error, 'CONFLICT')) {
        // The lease was lost on the way, to a verification perhaps: whoever holds the view next meets the request.
        holding.stale = undefined;
        await requestRebuild(redis, keys, name, now()).catch(() => undefined);
        continue;
      }
      refused.set(name, { reason, again });
      // Whoever asked is told; a view that must be rebuilt is tried again.
      if (holding.stale === 'wanted') holding.stale = undefined;
      await noteFailure(redis, keys, name, reason).catch(() => undefined);
    }
  };

  const run = async (stale: readonly Holding[], signal: AbortSignal): Promise<void> => {
    const views = stale.map(({ projection }) => projection.name);
    logger.info({ views, reasons: stale.map(({ stale: reason }) => reason) }, 'rebuilding views');
    try {
      // Taken before the work, so that a request made meanwhile is met by another rebuild.
      for (const name of views) await clearRequest(redis, keys, name);
      const orders = stale.map((holding) => ({ projection: holding.projection, token: holding.token, serving: () => holding.serving }));
      const { exclusively, onProgress } = options;
      const rebuilt = await rebuild(deps, orders, { exclusively, onProgress, signal, switched });
      logger.info({ rebuilt }, 'rebuilt views');
    } catch (error) {
      if (!signal.aborted) await failed(stale, error);
    }
  };

  return {
    start: (signal) => {
      const stale = holdings.all().filter(due);
      if (stale.length === 0) return;
      const work = run(stale, signal).finally(() => {
        for (const { projection } of stale) running.delete(projection.name);
        options.ended();
      });
      for (const { projection } of stale) running.set(projection.name, work);
    },
    running: (name) => running.has(name),
    refused: () => new Map([...refused].map(([name, { reason }]) => [name, reason])),
    settled: () => Promise.allSettled(running.values()),
  };
};
