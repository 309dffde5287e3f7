import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';
import { createLeases } from '../../projections/lease.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const NAME = 'backup';
const LEASE_MS = 30_000;

/**
 * Runs work on the backups of a store while no other process does. The signal ends when the lease is lost or the caller's
 * own ends. Throws CONFLICT while another has it.
 */
export const withBackupLease = async <T>(
  redis: Redis,
  keys: Keys,
  work: (signal: AbortSignal) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> => {
  const leases = createLeases(redis, keys, LEASE_MS);
  const held = await unavailableWhenDown(() => leases.acquire([NAME]));
  if (!held.has(NAME)) {
    throw new DomainError(
      'CONFLICT',
      'Another backup of this store is being written',
      'Wait for it to end, at most half a minute after a kill.',
    );
  }
  const lost = new AbortController();
  const renewal = setInterval(() => {
    leases.renew(held).then(
      (kept) => {
        if (!kept.has(NAME)) lost.abort(new DomainError('CONFLICT', 'Another process took over the backups', 'Run it again.'));
      },
      () => undefined,
    );
  }, LEASE_MS / 3);
  try {
    return await work(stop ? AbortSignal.any([stop, lost.signal]) : lost.signal);
  } finally {
    clearInterval(renewal);
    await leases.release(held).catch(() => undefined);
  }
};
