import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { createLeases } from '../../projections/lease.js';
import { ENRICHER_LEASE } from './enricher-board.js';

const LEASE_MS = 10_000;

/**
 * One process enriches. `hold` answers whether that is this one; while it is, the lease is renewed, and `lost` is called once
 * when another took it.
 */
export const createLead = (redis: Redis, keys: Keys, lost: () => void) => {
  const leases = createLeases(redis, keys, LEASE_MS);
  let held: ReadonlyMap<string, number> = new Map();
  let renewing: NodeJS.Timeout | undefined;

  const drop = (): void => {
    clearInterval(renewing);
    held = new Map();
  };
  const renew = async (): Promise<void> => {
    const kept = await leases.renew(held).catch(() => new Set<string>());
    if (held.size === 0 || kept.size > 0) return;
    drop();
    lost();
  };

  return {
    hold: async (): Promise<boolean> => {
      if (held.size > 0) return true;
      held = await leases.acquire([ENRICHER_LEASE]);
      if (held.size > 0) renewing = setInterval(() => void renew(), LEASE_MS / 3);
      return held.size > 0;
    },
    release: async (): Promise<void> => {
      const mine = held;
      drop();
      if (mine.size > 0) await leases.release(mine);
    },
  };
};
