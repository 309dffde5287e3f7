import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';

const LOOK_MS = 500;

/**
 * Calls `onReplaced` once when the store holds another log than the one that was opened: a restore into an empty store makes
 * it so, and so does whoever empties the store. Whatever was read of the old one is worth nothing. Not while a restore
 * writes. Answers how to stop.
 */
export const watchForAnotherLog = (
  { redis, keys, logId }: { readonly redis: Redis; readonly keys: Keys; readonly logId: string },
  onReplaced: () => void,
): (() => void) => {
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }, LOOK_MS);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  const look = async (): Promise<void> => {
    const [now, restoring] = await Promise.all([redis.hget(keys.meta, 'log_id'), redis.exists(keys.restoring)]).catch(
      () => [logId, 0] as const,
    );
    if (now === logId || restoring !== 0) return;
    stop();
    onReplaced();
  };
  return stop;
};
