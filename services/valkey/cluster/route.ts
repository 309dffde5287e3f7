import { Redis, type RedisOptions } from 'iovalkey';
import { type NodeAddress, nodesOf, primaryOf } from './redirections.js';

/** The way to the primary that serves one slot. */
export type SlotRoute = {
  /** Where to connect: where the last MOVED pointed, else what the nodes say. Rejects with the last node's error when none knows. */
  readonly primary: () => Promise<NodeAddress>;
  /** A node pointed elsewhere. False when that is where the connection already leads. */
  readonly movedTo: (host: string, port: number) => boolean;
  /** An address that a node gave, which may leave out the host that everybody knows. */
  readonly addressOf: (host: string, port: number) => NodeAddress;
  /** The slot's number, once a node was asked. */
  readonly slot: () => number | undefined;
};

/** Milliseconds for which one node is asked about the others. */
const NODE_MS = 2_000;

/** `options` lead to any node of the cluster; `key` is a key of the slot. */
export const createSlotRoute = (options: RedisOptions, key: string): SlotRoute => {
  const seed = endpointOf(options);
  let current: NodeAddress = seed;
  let pointed: NodeAddress | undefined;
  let known: readonly NodeAddress[] = [];
  let slot: number | undefined;

  const addressOf = (host: string, port: number): NodeAddress => ({ host: host || hostOf(current) || hostOf(seed) || '127.0.0.1', port });

  const askNode = async (node: NodeAddress): Promise<NodeAddress> => {
    const { id, slots, slot: number } = await lookAround(options, node, key);
    slot = number;
    known = nodesOf(slots).map(({ host, port }): NodeAddress => ({ host: host || hostOf(node) || '127.0.0.1', port }));
    const primary = primaryOf(slots, number);
    if (!primary) throw new Error('CLUSTERDOWN No node of the cluster serves the slot of this tenant');
    // The asked node may be reached by another name than the one it announces.
    return primary.id === id ? node : { host: primary.host || hostOf(node) || '127.0.0.1', port: primary.port };
  };

  const resolve = async (): Promise<NodeAddress> => {
    const candidates = new Map([current, seed, ...known].map((node) => [JSON.stringify(node), node]));
    let last: unknown;
    for (const node of candidates.values()) {
      try {
        return await askNode(node);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };

  return {
    primary: async () => {
      // The slot's number is asked for once, whichever way leads there.
      const next = slot === undefined ? undefined : pointed;
      pointed = undefined;
      current = next ?? (await resolve());
      return current;
    },
    movedTo: (host, port) => {
      const address = addressOf(host, port);
      if (JSON.stringify(address) === JSON.stringify(current)) return false;
      pointed = address;
      return true;
    },
    addressOf,
    slot: () => slot,
  };
};

const endpointOf = ({ path, host = '127.0.0.1', port = 6379 }: RedisOptions): NodeAddress =>
  path === undefined || path === null ? { host, port } : { path };

const hostOf = (node: NodeAddress): string | undefined => ('host' in node ? node.host : undefined);

/** The options of a connection, led to another node. */
export const optionsTo = ({ path: _path, host: _host, port: _port, ...options }: RedisOptions, node: NodeAddress): RedisOptions => ({
  ...options,
  ...node,
});

/** What one node knows of the cluster, over a connection that ends at once. */
const lookAround = async (
  options: RedisOptions,
  node: NodeAddress,
  key: string,
): Promise<{ readonly id: string; readonly slot: number; readonly slots: unknown }> => {
  const client = new Redis({
    ...optionsTo(options, node),
    connectionName: 'omnimem-cluster',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: NODE_MS,
    commandTimeout: NODE_MS,
  });
  let fault: Error | undefined;
  client.on('error', (error: Error) => {
    fault = error;
  });
  try {
    await client.connect();
    const [id, slot, slots] = await Promise.all([
      client.call('CLUSTER', 'MYID'),
      client.call('CLUSTER', 'KEYSLOT', key),
      client.call('CLUSTER', 'SLOTS'),
    ]);
    return { id: String(id), slot: Number(slot), slots };
  } catch (error) {
    throw fault ?? error;
  } finally {
    client.disconnect();
  }
};
