import { comparePositions, ORIGIN, type Position } from '../domain/envelope.js';
import { DomainError } from '../domain/errors.js';
import { type Degraded, readDegraded } from './dead-letter.js';
import type { ProjectorDeps } from './deps.js';
import { generationDigests, rowDigests } from './digest.js';
import { createFollower, type Follower, type Target } from './follower.js';
import { openGeneration, readGeneration, readPointers, servingGeneration, versionOf } from './generation.js';
import { createLeases } from './lease.js';
import type { Projection } from './projection.js';
import { deleteGeneration } from './rows.js';

export type VerifyReport = {
  readonly projection: string;
  readonly equal: boolean;
  /** Rows of the view as a replay makes them. */
  readonly rows: number;
  /** Names of rows that differ, are missing or should not be there; the first hundred of them by name. */
  readonly differing: readonly string[];
  readonly differingCount: number;
  /** Subjects that stand still: their rows were not compared. */
  readonly degraded: readonly string[];
  /** The generation that was compared. */
  readonly generation: number;
  /** Both states are those of this position. */
  readonly position: Position;
};

export type VerifyOptions = {
  /** Runs a function while the view does not move. Default: takes the lease from its holder for so long. */
  readonly holding?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal;
};

/** The name that owns the rows of a view's shadow. A verification that was killed leaves them behind until the next one. */
export const shadowName = (view: string): string => `${view}~verify`;

const SHADOW_LEASE_MS = 30_000;
/** No worker applies for so long at most, should this process die while it holds the view still. */
const SEIZED_MS = 10_000;
const SHOWN = 100;

/**
 * Replays a view into a shadow and compares the two, row by row, raw bytes. Throws UNAVAILABLE while no generation serves
 * or it is of another version than this program's, CONFLICT when the view is being verified already.
 */
export const verify = async (deps: ProjectorDeps, projection: Projection, options: VerifyOptions = {}): Promise<VerifyReport> => {
  const { redis, keys } = deps;
  // Its rows, lease and checkpoint are another name's, so nothing that serves can be touched.
  const name = shadowName(projection.name);
  const leases = createLeases(redis, keys, SHADOW_LEASE_MS);
  const token = (await leases.acquire([name])).get(name);
  if (token === undefined)
    throw new DomainError('CONFLICT', `The ${projection.name} view is being verified already`, 'Wait for it to finish.');
  const renewal = setInterval(() => void leases.renew(new Map([[name, token]])).catch(() => undefined), SHADOW_LEASE_MS / 3);
  try {
    for (;;) {
      await removeShadows(deps, name);
      const report = await compare(deps, projection, { name, token }, options);
      if (report) return report;
    }
  } finally {
    clearInterval(renewal);
    await removeShadows(deps, name);
    await redis.unlink(keys.projection(name));
    await leases.release(new Map([[name, token]]));
  }
};

/** Undefined when another generation came to serve meanwhile. */
const compare = async (
  deps: ProjectorDeps,
  projection: Projection,
  shadowAs: { readonly name: string; readonly token: number },
  { holding, signal }: VerifyOptions,
): Promise<VerifyReport | undefined> => {
  const { redis, keys, log, now = Date.now } = deps;
  const version = versionOf(projection, deps.fingerprint);
  const generation = await servingGeneration(redis, keys, projection.name);
  const serving = generation === undefined ? undefined : await readGeneration(redis, keys, projection.name, generation);
  if (generation === undefined || serving?.version !== version) {
    throw new DomainError('UNAVAILABLE', `The ${projection.name} view is being built`, 'Verify again when health says that it serves.');
  }

  const { name, token } = shadowAs;
  const known = await readDegraded(redis, keys, projection.name, generation);
  const number = await openGeneration({ redis, keys, name, token, now: now() }, { state: 'building', version, logId: log.logId });
  const shadow: Target = {
    projection,
    name,
    generation: number,
    token,
    serving: false,
    buries: false,
    checkpoint: ORIGIN,
    degraded: new Map(known),
  };
  const follower = createFollower({ redis, keys, log, ...(deps.page !== undefined && { page: deps.page }) });
  const follow = async (): Promise<void> => {
    const until = (await readGeneration(redis, keys, projection.name, generation))?.checkpoint ?? ORIGIN;
    await followTo(follower, shadow, until, signal);
  };

  await follow();
  const first = await differences(deps, projection.name, generation, shadow);
  const suspects = first.rows.filter((row) => !belongsTo(row, shadow.degraded));
  const still = holding ?? seizing(deps, projection.name);
  const differing =
    suspects.length === 0
      ? []
      : await still(async () => {
          await follow();
          return compareRows(deps, projection.name, generation, shadow, suspects);
        });
  if ((await servingGeneration(redis, keys, projection.name)) !== generation) return undefined;

  return {
    projection: projection.name,
    equal: differing.length === 0,
    rows: first.expected,
    differing: [...differing].sort().slice(0, SHOWN),
    differingCount: differing.length,
    degraded: [...shadow.degraded.keys()].sort(),
    generation,
    position: shadow.checkpoint,
  };
};

const followTo = async (follower: Follower, shadow: Target, until: Position, signal: AbortSignal | undefined): Promise<void> => {
  while (comparePositions(shadow.checkpoint, until) < 0) {
    signal?.throwIfAborted();
    const { entries, lost } = await follower.advance([shadow], until);
    if (lost.length > 0) throw new DomainError('CONFLICT', 'The verification was taken over by another', 'Run it again.');
    if (entries === 0) throw new DomainError('UNAVAILABLE', `The view is ahead of the log: it stands at ${until}`, 'Replay the view.');
  }
};

/** Rows that are not the same in both, and how many the shadow has. One pass over each. */
const differences = async (
  { redis, keys }: ProjectorDeps,
  served: string,
  generation: number,
  shadow: Target,
): Promise<{ readonly rows: readonly string[]; readonly expected: number }> => {
  const expected = new Map<string, string>();
  for await (const [row, digest] of generationDigests(redis, keys, shadow.name, shadow.generation)) expected.set(row, digest);
  const count = expected.size;
  const rows: string[] = [];
  for await (const [row, digest] of generationDigests(redis, keys, served, generation)) {
    if (expected.get(row) !== digest) rows.push(row);
    expected.delete(row);
  }
  return { rows: [...rows, ...expected.keys()], expected: count };
};

const compareRows = async (
  { redis, keys }: ProjectorDeps,
  served: string,
  generation: number,
  shadow: Target,
  rows: readonly string[],
): Promise<readonly string[]> => {
  const differing: string[] = [];
  for (let first = 0; first < rows.length; first += 500) {
    const some = rows.slice(first, first + 500);
    const [mine, theirs] = await Promise.all([
      rowDigests(redis, keys, served, generation, some),
      rowDigests(redis, keys, shadow.name, shadow.generation, some),
    ]);
    differing.push(...some.filter((row) => mine.get(row) !== theirs.get(row)));
  }
  return differing;
};

/** A row that is one subject's own ends with the subject. */
const belongsTo = (row: string, degraded: ReadonlyMap<string, Degraded>): boolean =>
  [...degraded.keys()].some((subject) => row === subject || row.endsWith(`:${subject}`));

const seizing =
  ({ redis, keys }: ProjectorDeps, name: string) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    const leases = createLeases(redis, keys, SEIZED_MS);
    const token = await leases.seize(name);
    try {
      return await work();
    } finally {
      await leases.release(new Map([[name, token]]));
    }
  };

const removeShadows = async ({ redis, keys }: ProjectorDeps, name: string): Promise<void> => {
  const { building } = await readPointers(redis, keys, name);
  if (building === undefined) return;
  await deleteGeneration(redis, keys, name, building);
  await redis.hdel(keys.projection(name), 'building');
};
