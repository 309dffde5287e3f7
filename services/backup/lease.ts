import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';
import { createLeases } from '../../projections/lease.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { inFolder } from './folder-fault.js';
import { withFolderLock } from './folder-lock.js';

const NAME = 'backup';
const LEASE_MS = 10_000;
const LOOK_AGAIN_MS = 100;
const LOST = 'This process lost its hold on the backups: another took over, or it was held up for too long to keep it';

export type LeaseOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the lease runs without a sign, and for which another's is waited for. Default 10,000. */
  readonly leaseMs?: number | undefined;
};

/**
 * Runs work on the backups of a store in a folder while no other process works on that store's backups or in that folder.
 * The signal ends when either is lost or the caller's own ends. One that was killed is waited for; throws CONFLICT while
 * another goes on, UNAVAILABLE for a folder that cannot be used.
 */
export const withBackups = <T>(
  { redis, keys }: { readonly redis: Redis; readonly keys: Keys },
  root: string,
  work: (signal: AbortSignal) => Promise<T>,
  options: LeaseOptions = {},
): Promise<T> =>
  withLease(
    redis,
    keys,
    (signal) => inFolder(root, () => withFolderLock(root, work, { signal, leaseMs: options.leaseMs ?? LEASE_MS })),
    options,
  );

const withLease = async <T>(
  redis: Redis,
  keys: Keys,
  work: (signal: AbortSignal) => Promise<T>,
  { signal: stop, leaseMs = LEASE_MS }: LeaseOptions,
): Promise<T> => {
  const leases = createLeases(redis, keys, leaseMs);
  const deadline = performance.now() + leaseMs;
  let held = await unavailableWhenDown(() => leases.acquire([NAME]));
  while (!held.has(NAME)) {
    stop?.throwIfAborted();
    if (performance.now() > deadline) {
      throw new DomainError(
        'CONFLICT',
        'A backup of this store is running',
        'Wait for it to end. One whose process died is over some seconds later.',
      );
    }
    await sleep(LOOK_AGAIN_MS);
    held = await unavailableWhenDown(() => leases.acquire([NAME]));
  }
  const lost = new AbortController();
  const mine = held;
  const renewal = setInterval(() => {
    leases.renew(mine).then(
      (kept) => {
        if (!kept.has(NAME)) lost.abort(new DomainError('CONFLICT', LOST, 'Run it again: it goes on where this one stopped.'));
      },
      () => undefined,
    );
  }, leaseMs / 3);
  try {
    return await work(stop ? AbortSignal.any([stop, lost.signal]) : lost.signal);
  } finally {
    clearInterval(renewal);
    await leases.release(mine).catch(() => undefined);
  }
};
