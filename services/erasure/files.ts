import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { parseInfo } from '../valkey/info.js';

const LOOK_MS = 250;
/** Words of a server that never does it, as against one that cannot do it now. */
const REFUSED = /^NOPERM |unknown command|not (allowed|permitted|supported)|disabled/i;

/** What a server wrote to its disk anew; `refused` says why it will not when we ask it. */
export type Rewritten = { readonly refused?: string };

/**
 * Has the server write its files anew, so that what was erased before leaves them: the append-only file, and the snapshot
 * where it makes any. A rewrite that runs already carries the text, so one is begun after it. Both are seen to end well;
 * rejects when one did not. `onlyLog` for a server of our own, which makes no snapshots.
 */
export const rewriteFiles = async (redis: Redis, { onlyLog, signal }: { onlyLog: boolean; signal: AbortSignal }): Promise<Rewritten> => {
  try {
    const info = await untilIdle(redis, signal);
    if (info.get('aof_enabled') === '1') await rewriteLog(redis, signal);
    if (!onlyLog && (await makesSnapshots(redis, info))) await replaceSnapshot(redis, signal);
    return {};
  } catch (error) {
    if (error instanceof Error && REFUSED.test(error.message)) return { refused: error.message };
    throw error;
  }
};

const rewriteLog = async (redis: Redis, signal: AbortSignal): Promise<void> => {
  await redis.bgrewriteaof();
  // The server answers before it forks; look only after it has begun.
  await delay(LOOK_MS, undefined, { signal });
  const status = (await untilIdle(redis, signal)).get('aof_last_bgrewrite_status');
  if (status !== 'ok') throw new Error(`the rewrite of the append-only file ended with ${status}`);
};

const replaceSnapshot = async (redis: Redis, signal: AbortSignal): Promise<void> => {
  const begun = Number((await redis.time())[0]);
  await redis.bgsave();
  await delay(LOOK_MS, undefined, { signal });
  const info = await untilIdle(redis, signal);
  const status = info.get('rdb_last_bgsave_status');
  if (status !== 'ok' || Number(info.get('rdb_last_save_time')) < begun) throw new Error(`the snapshot of the server ended with ${status}`);
};

/** A server whose settings may not be read is taken to make some. */
const makesSnapshots = async (redis: Redis, info: ReadonlyMap<string, string>): Promise<boolean> => {
  if (Number(info.get('rdb_saves') ?? 0) > 0 || Number(info.get('rdb_last_load_keys_loaded') ?? 0) > 0) return true;
  try {
    const [, points] = (await redis.config('GET', 'save')) as string[];
    return points !== '';
  } catch (error) {
    if (error instanceof Error && REFUSED.test(error.message)) return true;
    throw error;
  }
};

/** Waits while the server writes a file; answers how it stands then. */
const untilIdle = async (redis: Redis, signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  for (;;) {
    const info = parseInfo(await redis.info('persistence'));
    if (['aof_rewrite_in_progress', 'aof_rewrite_scheduled', 'rdb_bgsave_in_progress'].every((name) => (info.get(name) ?? '0') === '0'))
      return info;
    await delay(LOOK_MS, undefined, { signal });
  }
};
