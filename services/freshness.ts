import type { Redis } from 'iovalkey';
import type { Position } from '../domain/envelope.js';
import { projectionsReached } from '../projections/checkpoint.js';
import type { Keys } from '../projections/keys.js';
import { memories } from '../projections/memories.js';
import type { RecallIndex } from '../projections/recall/recall-index.js';
import type { Runner } from '../projections/runner.js';
import { projectionStatus } from '../projections/status.js';
import type { EventLog } from './eventlog/log.js';
import type { Stale } from './queries/parts.js';
import { createReadableViews } from './readable-views.js';
import { unavailableWhenDown } from './valkey/errors.js';

/** Milliseconds for which a read waits for the views, and a write for its own visibility. */
const PATIENCE_MS = 2_000;

export type FreshnessParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly log: EventLog;
  readonly index: RecallIndex;
  readonly views: readonly string[];
  /** Undefined in a process that leaves the views to another. */
  readonly runner: Runner | undefined;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/** Whether the views and the index in this process have come as far as the log, waited for with a bound. */
export const createFreshness = ({ redis, keys, log, index, views: viewNames, runner, onTrouble }: FreshnessParts) => {
  const readable = createReadableViews({ redis, keys, names: viewNames, patienceMs: PATIENCE_MS });
  const viewsReach = async (position: Position): Promise<'reached' | 'late'> => {
    const names = await readable.names();
    return runner ? runner.waitFor(position, PATIENCE_MS, names) : projectionsReached(redis, keys, names, position, PATIENCE_MS);
  };
  /** Whether all of them have passed a place in the log. Never throws. */
  const settled = async (position: Position): Promise<boolean> => {
    // What was appended stands, whatever becomes of this look at the views.
    const looked = viewsReach(position).catch((error: unknown) => {
      onTrouble('the views could not be looked at', error);
      return 'late' as const;
    });
    const [views, search] = await Promise.all([looked, index.progress.waitFor(position, PATIENCE_MS)]);
    return views === 'reached' && search === 'reached';
  };
  return {
    settled,
    /** How far an answer given now is behind the log; undefined when it is not. Throws UNAVAILABLE. */
    stale: async (): Promise<Stale | undefined> => {
      const head = await log.head();
      if (!head || (await settled(head.position))) return undefined;
      const [behind] = await unavailableWhenDown(() => projectionStatus(redis, keys, [memories.name]));
      return {
        events: behind?.lagEvents ?? 0,
        note: 'A view was still behind the log after two seconds; what was stored last may be missing from this answer.',
      };
    },
    /** Resolves when every view serves, or after the patience. Never throws but by the signal. */
    begun: async (signal?: AbortSignal): Promise<void> => {
      await readable.begun(signal).catch((error: unknown) => {
        signal?.throwIfAborted();
        onTrouble('the views could not be looked at', error);
      });
    },
  };
};
