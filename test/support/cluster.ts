import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { startValkey, type TestValkey, type TestValkeyOptions } from './valkey.js';

/** One node: a primary with a third of the slots, or a replica. */
export type ClusterNode = {
  readonly server: TestValkey;
  readonly id: string;
  readonly port: number;
  /** `redis://127.0.0.1:<port>`. */
  readonly url: string;
  /** A plain connection to this very node. */
  readonly redis: Redis;
};

export type TestCluster = AsyncDisposable & {
  readonly primaries: readonly [ClusterNode, ClusterNode, ClusterNode];
  readonly slotOf: (tenant: string) => Promise<number>;
  /** The primary that serves a tenant now. */
  readonly ownerOf: (tenant: string) => Promise<ClusterNode>;
  /** A name that no test used and whose slot this primary serves. */
  readonly tenantOn: (node: ClusterNode) => Promise<string>;
  /** Moves one slot as `valkey-cli --cluster reshard` does; `pauseMs` after each handful of keys. Answers how many keys went. */
  readonly moveSlot: (slot: number, to: ClusterNode, options?: MoveOptions) => Promise<number>;
  readonly addReplica: (of: ClusterNode) => Promise<ClusterNode>;
  readonly stop: () => Promise<void>;
};

export type MoveOptions = {
  /** Keys in one MIGRATE. Default 10. */
  readonly batch?: number;
  readonly pauseMs?: number;
  /** Called when the slot is in both nodes' hands, after each handful. */
  readonly between?: (moved: number) => Promise<void>;
};

const SLOTS = 16_384;

/** Three primaries on loopback, free ports, temporary folders. */
export const startCluster = async (options: TestValkeyOptions = {}): Promise<TestCluster> => {
  const nodes: ClusterNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(({ server }) => server.stop()));
  };
  const start = async (): Promise<ClusterNode> => {
    const node = await startNode(options);
    nodes.push(node);
    return node;
  };
  try {
    const primaries = [await start(), await start(), await start()] as const;
    await Promise.all(
      primaries.map(({ redis }, i) =>
        redis.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil((i * SLOTS) / 3), Math.ceil(((i + 1) * SLOTS) / 3) - 1),
      ),
    );
    await meet(nodes);
    const [first] = primaries;
    const slotOf = async (tenant: string): Promise<number> => Number(await first.redis.call('CLUSTER', 'KEYSLOT', `{${tenant}}`));
    const ownerOfSlot = async (slot: number): Promise<ClusterNode> => {
      const slots = (await first.redis.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
      const id = slots.find(([from, to]) => from <= slot && slot <= to)?.[2][2];
      const owner = nodes.find((node) => node.id === id);
      if (!owner) throw new Error(`nobody serves slot ${slot}`);
      return owner;
    };
    let names = 0;
    return {
      primaries: [...primaries],
      slotOf,
      ownerOf: async (tenant) => ownerOfSlot(await slotOf(tenant)),
      tenantOn: async (node) => {
        for (;;) {
          const tenant = `tenant-${names++}`;
          if ((await ownerOfSlot(await slotOf(tenant))) === node) return tenant;
        }
      },
      moveSlot: async (slot, to, move = {}) => moveSlot(slot, await ownerOfSlot(slot), to, primaries, move),
      addReplica: async (of) => {
        const replica = await start();
        await meet(nodes);
        await replica.redis.call('CLUSTER', 'REPLICATE', of.id);
        await until(async () => (await replica.redis.info('replication')).includes('master_link_status:up'));
        return replica;
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const startNode = async (options: TestValkeyOptions): Promise<ClusterNode> => {
  const [port = 0, bus = 0] = await freePorts(2);
  const server = await startValkey({
    ...options,
    config: {
      port: String(port),
      bind: '127.0.0.1',
      'cluster-enabled': 'yes',
      'cluster-port': String(bus),
      'cluster-node-timeout': '1000',
      // One tenant's primary that is down is no reason to refuse the others.
      'cluster-require-full-coverage': 'no',
      ...options.config,
    },
  });
  const redis = server.client();
  return { server, id: String(await redis.call('CLUSTER', 'MYID')), port, url: `redis://127.0.0.1:${port}`, redis };
};

/** Introduces all nodes to the first and waits until each knows all and serves. */
const meet = async (nodes: readonly ClusterNode[]): Promise<void> => {
  for (const { redis } of nodes) {
    for (const other of nodes) {
      const bus = Number(((await other.redis.call('CONFIG', 'GET', 'cluster-port')) as string[])[1]);
      await redis.call('CLUSTER', 'MEET', '127.0.0.1', other.port, bus);
    }
  }
  await until(async () => {
    const states = await Promise.all(nodes.map(({ redis }) => redis.call('CLUSTER', 'INFO').then(String)));
    return states.every((state) => state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${nodes.length}\r`));
  });
};

const moveSlot = async (
  slot: number,
  from: ClusterNode,
  to: ClusterNode,
  primaries: readonly ClusterNode[],
  { batch = 10, pauseMs = 0, between }: MoveOptions,
): Promise<number> => {
  await to.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  let moved = 0;
  for (;;) {
    const keys = (await from.redis.call('CLUSTER', 'GETKEYSINSLOT', slot, batch)) as string[];
    if (keys.length === 0) break;
    await from.redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 10_000, 'KEYS', ...keys);
    moved += keys.length;
    await between?.(moved);
    if (pauseMs > 0) await delay(pauseMs);
  }
  // The new owner first: were it the old one, nobody would serve the slot if this ended in between.
  for (const { redis } of [to, from, ...primaries.filter((node) => node !== to && node !== from)])
    await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  return moved;
};

/** Ports of loopback that nobody listens on just now. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error('the cluster did not come to what was waited for within 30 s');
};
