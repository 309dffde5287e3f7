import { ORIGIN } from '../domain/envelope.js';
import { fitsLog } from './checkpoint.js';
import { readDegraded } from './dead-letter.js';
import type { ProjectorDeps } from './deps.js';
import type { Target } from './follower.js';
import { openGeneration, type Pointers, readGeneration, readPointers, retireGeneration, versionOf } from './generation.js';
import type { Leases } from './lease.js';
import type { Projection } from './projection.js';

/** A projection whose lease is ours. */
export type Holding = {
  readonly projection: Projection;
  readonly token: number;
  /** False until its generations were looked at, and again after anything went wrong. */
  loaded: boolean;
  serving: Target | undefined;
  /** Why it must be rebuilt, or undefined. */
  stale: 'missing' | 'version' | 'wanted' | undefined;
};

export type Holdings = {
  readonly all: () => readonly Holding[];
  readonly get: (name: string) => Holding | undefined;
  /** Takes the leases that are free. */
  readonly acquire: () => Promise<void>;
  /** Renews all leases and drops those that are ours no more. */
  readonly renew: () => Promise<void>;
  /** Looks at the generations of what is not loaded; the pointers of the rest say whether a rebuild is wanted. */
  readonly load: () => Promise<void>;
  /** Trusts nothing any more that is kept in this process. */
  readonly unload: (names?: readonly string[]) => void;
  readonly release: () => Promise<void>;
};

/** `onLost` is called for each projection that is not written here any more. */
export const createHoldings = (
  deps: ProjectorDeps,
  leases: Leases,
  projections: readonly Projection[],
  onLost: (name: string) => void,
): Holdings => {
  const held = new Map<string, Holding>();
  const tokens = (): ReadonlyMap<string, number> => new Map([...held].map(([name, { token }]) => [name, token]));

  const drop = (name: string): void => {
    held.delete(name);
    onLost(name);
    deps.logger.warn({ projection: name }, 'the lease of this view lapsed or was taken; it is not written here until it is held again');
  };

  return {
    all: () => [...held.values()],
    get: (name) => held.get(name),
    acquire: async () => {
      const wanted = projections.filter(({ name }) => !held.has(name));
      const won = await leases.acquire(wanted.map(({ name }) => name));
      for (const projection of wanted) {
        const token = won.get(projection.name);
        if (token !== undefined) held.set(projection.name, { projection, token, loaded: false, serving: undefined, stale: undefined });
      }
    },
    renew: async () => {
      const before = tokens();
      const kept = await leases.renew(before);
      for (const [name, token] of before) if (!kept.has(name) && held.get(name)?.token === token) drop(name);
    },
    load: async () => {
      for (const holding of held.values()) {
        const pointers = await readPointers(deps.redis, deps.keys, holding.projection.name);
        if (!holding.loaded) await load(deps, holding, pointers);
        if (holding.stale === undefined && pointers.wanted !== undefined) holding.stale = 'wanted';
      }
    },
    unload: (names) => {
      for (const [name, holding] of held) {
        if (names && !names.includes(name)) continue;
        holding.loaded = false;
        onLost(name);
      }
    },
    release: async () => {
      const given = tokens();
      for (const name of held.keys()) onLost(name);
      held.clear();
      await leases.release(given);
    },
  };
};

/** Finds the generation that serves, opens the first one over an empty log, and throws out one that is of another log. */
const load = async (deps: ProjectorDeps, holding: Holding, pointers: Pointers): Promise<void> => {
  const { redis, keys, log, fingerprint, logger, now = Date.now } = deps;
  const { projection, token } = holding;
  const { name } = projection;
  const version = versionOf(projection, fingerprint);
  const holder = { redis, keys, name, token, now: now() };
  const target = (generation: number): Target => ({
    projection,
    name,
    generation,
    token,
    serving: true,
    buries: true,
    checkpoint: ORIGIN,
    degraded: new Map(),
  });

  const found = pointers.serving === undefined ? undefined : await readGeneration(redis, keys, name, pointers.serving);
  if (found && (await fitsLog(log, found))) {
    const degraded = new Map(await readDegraded(redis, keys, name, found.number));
    holding.serving = { ...target(found.number), checkpoint: found.checkpoint, degraded };
    holding.stale = found.version === version ? undefined : 'version';
  } else {
    if (pointers.serving !== undefined) {
      logger.warn(
        { projection: name, generation: pointers.serving },
        'this view was built from another log, or from a later state of this one; it is rebuilt',
      );
      await retireGeneration({ ...holder, now: 0 }, pointers.serving);
    }
    const empty = (await log.head()) === undefined;
    holding.serving = empty ? target(await openGeneration(holder, { state: 'serving', version, logId: log.logId })) : undefined;
    holding.stale = empty ? undefined : 'missing';
  }
  holding.loaded = true;
};
