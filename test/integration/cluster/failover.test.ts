import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { type ClusterNode, startCluster, type TestCluster } from '../../support/cluster.js';
import { readEvents } from '../../support/eventlog.js';

/** Long enough for a machine that is busy, short enough to be waited for. */
const NODE_TIMEOUT_MS = 1_000;
const LANES = 4;

const rememberedIn = async (): Promise<ReadonlyMap<string, string>> => {
  const events = (await readEvents(test.log)).filter(({ type }) => type === 'MemoryRemembered');
  const found = new Map(events.map(({ envelope }) => [envelope.correlation, envelope.subject]));
  expect(found.size).toBe(events.length);
  return found;
};
/** The replica takes over, by itself. */
const takeOver = async (replica: ClusterNode): Promise<void> => {
  while ((await cluster.ownerOf(test.keys.tenant)) !== replica) await delay(20);
};

let cluster: TestCluster;
let home: ClusterNode;
let replica: ClusterNode;
let test: TestApp;

beforeAll(async () => {
  cluster = await startCluster({ aof: 'always', config: { 'cluster-node-timeout': String(NODE_TIMEOUT_MS) } });
  const [first, second] = cluster.primaries;
  home = second;
  replica = await cluster.addReplica(home);
  const env = { OMNIMEM_TENANT: await cluster.tenantOn(home) };
  test = await openTestApp({ valkey: home.server, env, options: { target: first.url, cluster: true } });
});
afterAll(async () => {
  await test?.end();
  await cluster?.stop();
});

/** What became of the writes: keys by command. `waited`: a replica had said that it has them. */
type Written = { readonly acknowledged: Map<string, string>; readonly waited: Map<string, string>; readonly refusals: Error[] };

/**
 * Clients that write until told to stop; what is refused as UNAVAILABLE they ask again, with the same command id. Where a
 * connection to the primary is given they also wait for a replica.
 */
const startWriters = (primary?: Redis) => {
  const written: Written = { acknowledged: new Map(), waited: new Map(), refusals: [] };
  let stopping = false;
  /** WAIT speaks of what its own connection wrote, so it writes something after the memory. */
  const onReplica = async (): Promise<boolean> => {
    if (primary?.status !== 'ready') return false;
    try {
      await primary.set(`${test.keys.prefix}n:waited`, ulid());
      return Number(await primary.call('WAIT', '1', '1000')) >= 1;
    } catch {
      return false;
    }
  };
  const write = async (content: string): Promise<void> => {
    const commandId = ulid();
    while (true) {
      try {
        const stored = await test.app.commands.remember({ content, force: true }, { ...test.call, commandId });
        if (stored.status !== 'stored') throw new Error(stored.status);
        written.acknowledged.set(commandId, stored.key);
        if (await onReplica()) written.waited.set(commandId, stored.key);
        return;
      } catch (error) {
        if (!isDomainError(error, 'UNAVAILABLE')) throw error;
        written.refusals.push(error);
        await delay(50);
      }
    }
  };
  const lane = async (first: number): Promise<void> => {
    for (let n = first; !stopping; n += LANES) await write(`The lighthouse keeper writes line ${n} of the diary.`);
  };
  const lanes = Promise.all(Array.from({ length: LANES }, (_, i) => lane(i)));
  return {
    written,
    /** Resolves when so many more were acknowledged. */
    writes: async (more: number): Promise<void> => {
      const goal = written.acknowledged.size + more;
      while (written.acknowledged.size < goal) await Promise.race([delay(10), lanes]);
    },
    stop: async (): Promise<void> => {
      stopping = true;
      await lanes;
    },
  };
};

it('loses nothing that a replica had when the primary is killed and the replica takes over by itself', async () => {
  const writers = startWriters(home.server.client('append'));
  const { acknowledged, waited, refusals } = writers.written;
  await writers.writes(60);
  await home.server.kill();
  await takeOver(replica);
  const before = new Map(acknowledged);
  const certain = new Map(waited);
  await writers.writes(40);
  await writers.stop();

  const found = await rememberedIn();
  expect(certain.size).toBeGreaterThanOrEqual(40);
  expect([...certain].filter(([command, key]) => found.get(command) !== key)).toEqual([]);
  // What was acknowledged after the take-over is there; before it, only what no replica had may be missing.
  const after = [...acknowledged].filter(([command]) => !before.has(command));
  expect(after.filter(([command, key]) => found.get(command) !== key)).toEqual([]);
  expect(after.length).toBeGreaterThanOrEqual(40);
  for (const error of refusals) expect(error).toMatchObject({ code: 'UNAVAILABLE' });

  // Reads come back, by key and by search, and every view is what a replay of the log that is left makes.
  const key = [...certain.values()].at(-1) ?? '';
  const { results } = await test.app.queries.recallDetail({ keys: [key] }, test.call);
  expect(results).toMatchObject([{ key }]);
  const recalled = await test.app.queries.recall({ query: 'what does the lighthouse keeper write' }, test.call);
  expect(recalled.results.length).toBeGreaterThan(0);
  await test.verifyAll();
}, 25_000);

it('loses what no replica had, with the primary that had it, and keeps no ghost of it', async () => {
  const [primary, follower] = [replica, home];
  await follower.server.restart();
  await vi.waitFor(async () => expect(await follower.redis.info('replication')).toContain('master_link_status:up'), 15_000);
  const writers = startWriters();
  const { acknowledged } = writers.written;
  await writers.writes(20);
  // From here on nothing reaches the replica, and nobody minds: min-replicas-to-write is not set.
  follower.server.pause();
  await primary.redis.call('CLIENT', 'KILL', 'TYPE', 'replica');
  await writers.writes(20);
  await primary.server.kill();
  follower.server.resume();
  await takeOver(follower);
  await writers.writes(20);
  await writers.stop();

  const found = await rememberedIn();
  const lost = [...acknowledged].filter(([command]) => !found.has(command)).map(([, key]) => key);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThanOrEqual(20 + 2 * LANES);
  await vi.waitFor(() => expect([...test.index.documents.keys()].sort()).toEqual([...found.values()].sort()), 10_000);
  await test.verifyAll();
  const { results } = await test.app.queries.recallDetail({ keys: lost.slice(0, 20) }, test.call);
  expect(results.filter((result) => 'content' in result)).toEqual([]);
}, 25_000);
