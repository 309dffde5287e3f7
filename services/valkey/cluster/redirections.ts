/** Where one server is: host and port, or the path of a unix socket. */
export type NodeAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/**
 * Why a node of a cluster did not run a command. It ran nothing, so sending the command again is its first time.
 * - `moved`: another node serves the slot now; an empty host means the one that was asked.
 * - `ask`: the slot is being moved and this key is no longer here; the other node has it, or may make it.
 * - `wait`: the slot is between two nodes, or the cluster is not whole; it passes.
 */
export type Refusal =
  | { readonly kind: 'moved' | 'ask'; readonly host: string; readonly port: number }
  | { readonly kind: 'wait'; readonly because: 'TRYAGAIN' | 'CLUSTERDOWN' };

/** What an error reply means in a cluster; undefined when it is an error of the command itself. */
export const refusalOf = ({ message }: Error): Refusal | undefined => {
  const [, code, endpoint] = /^(MOVED|ASK) \d+ (\S+)$/.exec(message) ?? [];
  if (endpoint !== undefined) {
    const colon = endpoint.lastIndexOf(':');
    return { kind: code === 'MOVED' ? 'moved' : 'ask', host: endpoint.slice(0, colon), port: Number(endpoint.slice(colon + 1)) };
  }
  const [, because] = /^(TRYAGAIN|CLUSTERDOWN) /.exec(message) ?? [];
  return because === undefined ? undefined : { kind: 'wait', because: because as 'TRYAGAIN' | 'CLUSTERDOWN' };
};

/** Whether the node that answered `CLUSTER NODES` serves the slot and is neither giving it away nor taking it in. */
export const servesWhole = (nodes: string, slot: number): boolean => {
  const own = nodes.split('\n').find((line) => /^\S+ \S+ (\S+,)?myself[, ]/.test(line));
  const [, , , , , , , , ...ranges] = own?.trim().split(' ') ?? [];
  if (ranges.some((range) => range.startsWith(`[${slot}-`))) return false;
  return ranges.some((range) => {
    const [first = '', last = first] = range.split('-');
    return /^\d+$/.test(first) && Number(first) <= slot && slot <= Number(last);
  });
};

/** The primary of a slot in a `CLUSTER SLOTS` reply; undefined when nobody serves it. */
export const primaryOf = (
  slots: unknown,
  slot: number,
): { readonly id: string; readonly host: string; readonly port: number } | undefined => {
  for (const entry of Array.isArray(slots) ? slots : []) {
    const [first, last, primary] = entry as [number, number, [string | null, number, string] | undefined];
    if (primary && first <= slot && slot <= last) return { host: primary[0] ?? '', port: primary[1], id: primary[2] };
  }
  return undefined;
};

/** Every node that a `CLUSTER SLOTS` reply names, replicas too. */
export const nodesOf = (slots: unknown): readonly { readonly host: string; readonly port: number }[] =>
  (Array.isArray(slots) ? slots : []).flatMap((entry) =>
    (entry as unknown[]).slice(2).map((node) => {
      const [host, port] = node as [string | null, number];
      return { host: host ?? '', port };
    }),
  );
