import type { Redis } from 'iovalkey';
import type { Keys } from './keys.js';
import { loadScript, runScript } from './scripts.js';

const LEASE = loadScript('projections/lua/lease.lua');

/** Who may write a projection. A token is a number that only grows, so that a holder who slept is told from its successor. */
export type Leases = {
  /** Tokens by name, for those that were free. */
  readonly acquire: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Takes the lease from whoever holds it; the next batch of that holder is refused. */
  readonly seize: (name: string) => Promise<number>;
  /** The names whose lease was still ours, and now runs for its full time again. */
  readonly renew: (held: ReadonlyMap<string, number>) => Promise<ReadonlySet<string>>;
  /** Gives up what is still ours. */
  readonly release: (held: ReadonlyMap<string, number>) => Promise<void>;
};

/** A lease runs `milliseconds` from its last renewal. */
export const createLeases = (redis: Redis, keys: Keys, milliseconds: number): Leases => {
  const run = async (op: string, names: readonly string[], tokens: readonly number[] = []): Promise<readonly number[]> => {
    if (names.length === 0) return [];
    const leases = [keys.leaseTokens, ...names.map(keys.lease)];
    return (await runScript(redis, LEASE, leases, [op, milliseconds, ...tokens])) as number[];
  };
  return {
    acquire: async (names) => {
      const tokens = await run('acquire', names);
      return new Map(names.flatMap((name, i) => (tokens[i] ? [[name, tokens[i]] as const] : [])));
    },
    seize: async (name) => (await run('seize', [name]))[0] ?? 0,
    renew: async (held) => {
      const names = [...held.keys()];
      const kept = await run('renew', names, [...held.values()]);
      return new Set(names.filter((_, i) => kept[i] === 1));
    },
    release: async (held) => void (await run('release', [...held.keys()], [...held.values()])),
  };
};
