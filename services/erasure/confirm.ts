import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import { systemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { lateProcesses } from './register.js';

/** Fields of the log's meta hash: the number of erasures up to which each half of the work is done. */
export const CONFIRMED = 'erasures_confirmed';
export const TEXTS_DROPPED = 'erasures_texts_dropped';
/** Why the server will not rewrite its files when we ask it; there as long as it does not. */
export const REFUSED = 'erasures_refused';

export type ConfirmParts = {
  readonly log: Pick<EventLog, 'append' | 'erasures'>;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly random: Random;
  readonly now: () => number;
};

/** Appends that everything forgotten up to this number has left the files of the server and the memory of every process. */
export const confirmErasures = async ({ log, redis, keys, random, now }: ConfirmParts, erasures: number, actor: string): Promise<void> => {
  const at = new Date(now()).toISOString();
  await log.append({
    commandId: random.ulid(now()),
    actor,
    at,
    writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'ErasureConfirmed', data: { erasures } }] }],
    result: { erasures },
  });
  await unavailableWhenDown(() => redis.multi().hset(keys.meta, CONFIRMED, erasures).hdel(keys.meta, REFUSED).exec());
};

/** Erasures that wait, and why the server does not rewrite its files for them, if it refused. */
export type Waiting = { readonly count: number; readonly erasures: number; readonly refused: string | undefined };

export const waitingErasures = async ({ log, redis, keys }: Pick<ConfirmParts, 'log' | 'redis' | 'keys'>): Promise<Waiting> => {
  const [erasures, [confirmed, refused]] = await Promise.all([
    log.erasures(),
    unavailableWhenDown(() => redis.hmget(keys.meta, CONFIRMED, REFUSED)),
  ]);
  return { count: erasures - Number(confirmed ?? 0), erasures, refused: refused ?? undefined };
};

/**
 * Takes somebody's word that the files of a server that is not ours were rewritten. Answers how many erasures that confirms.
 * Throws CONFLICT while a process that lives may still have text in its memory.
 */
export const confirmByWord = async (
  parts: ConfirmParts,
  actor: string,
): Promise<{ readonly confirmed: number; readonly erasures: number }> => {
  const { count, erasures } = await waitingErasures(parts);
  if (count <= 0) return { confirmed: 0, erasures };
  const [late] = await lateProcesses(parts.redis, parts.keys, erasures);
  if (late)
    throw new DomainError(
      'CONFLICT',
      `The ${late.name} has not passed the last erasure yet; forgotten text may still be in its memory`,
      'Try again in half a minute, or restart that process',
    );
  await confirmErasures(parts, erasures, actor);
  return { confirmed: count, erasures };
};
