import { DomainError } from '../../../domain/errors.js';
import { createLeases } from '../../../projections/lease.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { CommandParts } from '../parts.js';

/** Held by the one run of maintenance that is under way. */
export const MAINTENANCE_LEASE = 'job:maintenance';
/** A run whose process was killed is over after this many milliseconds; one that goes on renews it. */
const LEASE_MS = 15_000;
/** Hash: the token of the run that began last, and when it began (ISO). */
const BEGUN = 'maintenance_begun';

type LeaseParts = Pick<CommandParts, 'redis' | 'keys' | 'now'>;

/**
 * Does one run of maintenance while no other process does. A run that was held up for so long that another began is still
 * harmless: every decision is guarded. Throws CONFLICT while another goes on, UNAVAILABLE.
 */
export const oneAtATime = async <Result>(parts: LeaseParts, run: () => Promise<Result>): Promise<Result> => {
  const { redis, keys, now } = parts;
  const leases = createLeases(redis, keys, LEASE_MS);
  const held = await unavailableWhenDown(() => leases.acquire([MAINTENANCE_LEASE]));
  const token = held.get(MAINTENANCE_LEASE);
  if (token === undefined) throw await underWay(parts);
  const renewal = setInterval(() => void leases.renew(held).catch(() => undefined), LEASE_MS / 3);
  try {
    await unavailableWhenDown(() => redis.hset(keys.counter(BEGUN), { token, at: new Date(now()).toISOString() }));
    return await run();
  } finally {
    clearInterval(renewal);
    // It ends by itself when the server cannot be reached now.
    await leases.release(held).catch(() => undefined);
  }
};

const underWay = async ({ redis, keys }: LeaseParts): Promise<DomainError> => {
  const [token, begun] = await unavailableWhenDown(() =>
    Promise.all([redis.get(keys.lease(MAINTENANCE_LEASE)), redis.hgetall(keys.counter(BEGUN))]),
  );
  const since = begun.at !== undefined && begun.token === token ? `, since ${begun.at}` : '';
  return new DomainError(
    'CONFLICT',
    `Maintenance is running already${since}`,
    `Wait for it to end; nothing was changed by this call. A run whose process died is over ${LEASE_MS / 1_000} seconds later`,
  );
};
