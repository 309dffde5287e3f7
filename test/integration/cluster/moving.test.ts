import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { type ClusterNode, startCluster, type TestCluster } from '../../support/cluster.js';
import { readEvents } from '../../support/eventlog.js';

let cluster: TestCluster;
let tenant: string;
let test: TestApp;
let neighbour: TestApp;

beforeAll(async () => {
  cluster = await startCluster({ aof: 'always' });
  const [first, second, third] = cluster.primaries;
  const openOn = async (home: ClusterNode): Promise<[string, TestApp]> => {
    const name = await cluster.tenantOn(home);
    const options = { target: third.url, cluster: true };
    return [name, await openTestApp({ valkey: home.server, env: { OMNIMEM_TENANT: name }, options })];
  };
  [tenant, test] = await openOn(first);
  [, neighbour] = await openOn(second);
});
afterAll(async () => {
  await test?.end();
  await neighbour?.end();
  await cluster?.stop();
});

/** Keys of acknowledged memories by their command. */
type Written = { readonly acknowledged: Map<string, string>; readonly refusals: string[] };

/** A client that writes until told to stop, and repeats with the same command id what was refused as UNAVAILABLE. */
const startWriter = (name: string, app: TestApp) => {
  const written: Written = { acknowledged: new Map(), refusals: [] };
  let stopping = false;
  const write = async (n: number): Promise<void> => {
    const commandId = ulid();
    while (true) {
      try {
        const stored = await app.app.commands.remember(
          { content: `${name} writes line ${n} of its diary.`, force: true },
          { ...app.call, commandId },
        );
        if (stored.status !== 'stored') throw new Error(stored.status);
        written.acknowledged.set(commandId, stored.key);
        return;
      } catch (error) {
        if (!isDomainError(error, 'UNAVAILABLE')) throw error;
        written.refusals.push(error.message);
        await delay(50);
      }
    }
  };
  const lane = async (first: number): Promise<void> => {
    for (let n = first; !stopping; n += 4) await write(n);
  };
  const lanes = Promise.all([0, 1, 2, 3].map(lane));
  return {
    written,
    /** Resolves when so many more were acknowledged. */
    writes: async (more: number): Promise<void> => {
      const goal = written.acknowledged.size + more;
      while (written.acknowledged.size < goal) await Promise.race([delay(10), lanes]);
    },
    stop: async (): Promise<Written> => {
      stopping = true;
      await lanes;
      return written;
    },
  };
};

/** What the log holds of these commands is what was acknowledged: all of it, and none twice. */
const expectNothingLostOrDoubled = async ({ acknowledged }: Written): Promise<void> => {
  const events = await readEvents(test.log);
  const of = events.filter(({ type, envelope }) => type === 'MemoryRemembered' && acknowledged.has(envelope.correlation));
  expect(of.map(({ envelope }) => envelope.subject).sort()).toEqual([...acknowledged.values()].sort());
  expect(new Set(of.map(({ envelope }) => envelope.correlation)).size).toBe(acknowledged.size);
};

const expectWell = async (written: Written): Promise<void> => {
  await expectNothingLostOrDoubled(written);
  await test.verifyAll();
  const [last] = [...written.acknowledged.values()].slice(-1);
  const { results } = await test.app.queries.recallDetail({ keys: [last ?? ''] }, test.call);
  expect(results).toHaveLength(1);
};

it('loses and doubles nothing when its slot moves while one writes', async () => {
  const [, second, third] = cluster.primaries;
  await test.app.commands.remember({ content: 'The lighthouse keeper counts seven gulls.' }, test.call);
  const writer = startWriter('Mover', test);
  await writer.writes(40);
  let held = false;
  const seen: unknown[] = [];
  const moved = await cluster.moveSlot(await cluster.slotOf(tenant), third, {
    between: async () => {
      if (held) return;
      held = true;
      // Longer than a command waits for a slot to arrive.
      const before = await test.log.size();
      await delay(3_000);
      expect(await test.log.size()).toBe(before);
      const { results } = await test.app.queries.recallDetail({ keys: [...writer.written.acknowledged.values()].slice(0, 20) }, test.call);
      seen.push(...results);
    },
  });
  expect(moved).toBeGreaterThan(80);
  // Reads went on, with half of the keys here and half there.
  expect(seen).toHaveLength(20);
  await writer.writes(40);
  const written = await writer.stop();
  expect(written.refusals).toContain('This memory is being moved to another server of the cluster');
  expect(await cluster.ownerOf(tenant)).toBe(third);
  await expectWell(written);
  const { results } = await test.app.queries.recall({ query: 'how many gulls does the lighthouse keeper count' }, test.call);
  expect(results[0]?.content).toBe('The lighthouse keeper counts seven gulls.');
  expect(await second.redis.keys(`{${tenant}}:*`)).toEqual([]);
});

it('goes on after a move that is quick', async () => {
  const [first] = cluster.primaries;
  const writer = startWriter('Sprinter', test);
  await writer.writes(20);
  await cluster.moveSlot(await cluster.slotOf(tenant), first, { batch: 500 });
  await writer.writes(20);
  await expectWell(await writer.stop());
});

it('does not take half a slot for the whole when it scans', async () => {
  const [, second] = cluster.primaries;
  const slot = await cluster.slotOf(tenant);
  let refusal: unknown;
  await cluster.moveSlot(slot, second, {
    between: async (moved) => {
      if (moved > 10) return;
      refusal = await test.redis.scan('0', 'MATCH', `${test.keys.prefix}*`, 'COUNT', 10).catch((error: unknown) => error);
    },
  });
  expect(String(refusal)).toMatch(/TRYAGAIN/);
  const [cursor] = await test.redis.scan('0', 'MATCH', `${test.keys.prefix}*`, 'COUNT', 10);
  expect(cursor).not.toBe('0');
  await cluster.moveSlot(slot, cluster.primaries[0], { batch: 500 });
  await test.redis.get(test.keys.erasures);
  await expect(test.redis.scan(cursor, 'MATCH', `${test.keys.prefix}*`, 'COUNT', 10)).rejects.toThrow(/no longer goes on/);
});

it('goes on after its primary was killed and started again, and its neighbour never noticed', async () => {
  const home = await cluster.ownerOf(tenant);
  const writer = startWriter('Survivor', test);
  await writer.writes(20);
  await home.server.kill();
  expect(
    await neighbour.app.commands.remember({ content: `Written while the other node was down, ${ulid()}.` }, neighbour.call),
  ).toMatchObject({
    status: 'stored',
  });
  await home.server.restart();
  await writer.writes(20);
  await expectWell(await writer.stop());
});

it('follows a fail-over to a replica', async () => {
  const home = await cluster.ownerOf(tenant);
  const replica = await cluster.addReplica(home);
  const writer = startWriter('Follower', test);
  await writer.writes(20);
  await replica.redis.call('CLUSTER', 'FAILOVER');
  while ((await cluster.ownerOf(tenant)) !== replica) await delay(20);
  await writer.writes(20);
  await expectWell(await writer.stop());
});
