import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const SCRIPT = loadScript('services/backup/restoring.lua');
/** Without a batch for so long, a restore is taken for dead. */
const SILENT_SECONDS = 30;

/**
 * Stops every writer of the store until `endRestoring`. Answers whether an earlier restore was left unfinished. Throws CONFLICT
 * while another restore goes on.
 */
export const beginRestoring = async (
  redis: Redis,
  keys: Keys,
  token: string,
  backup: string,
  silentSeconds = SILENT_SECONDS,
): Promise<{ readonly resumed: boolean }> => {
  const answer = await run(redis, keys, 'take', token, backup, silentSeconds);
  if (answer !== 0) return { resumed: answer === 2 };
  throw new DomainError(
    'CONFLICT',
    'Another restore writes this store',
    `Wait for it to end; a killed one can be taken over after ${silentSeconds} s.`,
  );
};

export const endRestoring = async (redis: Redis, keys: Keys, token: string): Promise<void> =>
  void (await run(redis, keys, 'release', token, ''));

/** Keeps the mark of a restore that ended half way, for the next one to take over at once. */
export const leaveRestoring = async (redis: Redis, keys: Keys, token: string): Promise<void> =>
  void (await run(redis, keys, 'leave', token, ''));

/** Lets writers in again after a restore that will not be finished; what it brought stays. Throws CONFLICT while it goes on. */
export const giveUpRestoring = async (
  redis: Redis,
  keys: Keys,
  silentSeconds = SILENT_SECONDS,
): Promise<{ readonly backup: string | null }> => {
  const backup = await unavailableWhenDown(() => redis.hget(keys.restoring, 'backup'));
  if ((await run(redis, keys, 'give-up', '', '', silentSeconds)) === 1) return { backup };
  throw new DomainError(
    'CONFLICT',
    'The restore still goes on',
    `Stop it first; after ${SILENT_SECONDS} s without a sign of life it can be given up.`,
  );
};

/** The restore that writes the store, or was left unfinished. `silent` in seconds. */
export const restoringNow = async (
  redis: Redis,
  keys: Keys,
  now: number,
): Promise<{ readonly backup: string; readonly silent: number } | undefined> => {
  const [at, backup] = await unavailableWhenDown(() => redis.hmget(keys.restoring, 'at', 'backup'));
  return at ? { backup: backup ?? '', silent: Math.max(0, Math.round(now / 1_000) - Number(at)) } : undefined;
};

const run = (redis: Redis, keys: Keys, op: string, token: string, backup: string, silentSeconds = SILENT_SECONDS): Promise<unknown> =>
  unavailableWhenDown(() => runScript(redis, SCRIPT, [keys.restoring], [op, token, backup, silentSeconds]));
