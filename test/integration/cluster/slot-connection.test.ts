import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionKind, connect } from '../../../services/valkey/client.js';
import { freePorts } from '../../support/cluster.js';
import { encode, type Reply, serveResp } from '../../support/resp.js';

/** Nodes that answer as a test says, to see what a connection makes of each refusal; what a real cluster does is tested beside this. */
type Node = { readonly port: number; readonly heard: string[]; answer: (command: string) => Reply };

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of stack.splice(0)) await one[Symbol.asyncDispose]();
});

const SLOT = 77;

/** Two nodes; the first serves the slot until `owner` is another. */
const startNodes = async () => {
  const state = { owner: 0 };
  const ports = await freePorts(2);
  const nodes = await Promise.all(
    ports.map(async (port, i): Promise<Node> => {
      const node: Node = { port, heard: [], answer: () => ({ simple: 'OK' }) };
      const reply = (args: readonly string[]): Reply => {
        const command = args.join(' ');
        if (command === 'CLUSTER MYID') return `node-${i}`;
        if (command.startsWith('CLUSTER KEYSLOT')) return SLOT;
        if (command === 'CLUSTER SLOTS') return [[0, 16_383, ['127.0.0.1', ports[state.owner] ?? 0, `node-${state.owner}`]]];
        if (/^info/i.test(command)) return 'loading:0';
        if (/^client/i.test(command)) return { simple: 'OK' };
        node.heard.push(command);
        return node.answer(command);
      };
      stack.push(await serveResp(port, () => ({ answer: (args) => encode(reply(args.map(String))), end: () => undefined })));
      return node;
    }),
  );
  const [one, two] = nodes as [Node, Node];
  const open = (kind: ConnectionKind = 'general') => {
    const client = connect(`redis://127.0.0.1:${two.port}`, kind, { slotOf: '{t}:log', commandTimeoutMs: 20_000 });
    stack.push({ [Symbol.asyncDispose]: async () => client.disconnect() });
    return client;
  };
  return { one, two, state, open };
};

/** The replies in order, the last one for ever. */
const inTurn = (...replies: readonly Reply[]) => {
  let at = 0;
  return (): Reply => replies[Math.min(at++, replies.length - 1)] ?? null;
};

describe('a connection to a slot', () => {
  it('leads to the node that serves it, whichever was named', async () => {
    const { one, two, open } = await startNodes();
    one.answer = () => 'value';
    expect(await open().get('{t}:a')).toBe('value');
    expect(two.heard).toEqual([]);
  });

  it.each<ConnectionKind>(['append', 'general', 'blocking'])('of kind %s sends what was MOVED to the new node, once', async (kind) => {
    const { one, two, state, open } = await startNodes();
    const client = open(kind);
    await client.get('{t}:a');
    state.owner = 1;
    one.answer = () => ({ error: `MOVED ${SLOT} 127.0.0.1:${two.port}` });
    expect(await Promise.all([client.set('{t}:a', '1'), client.set('{t}:b', '2')])).toEqual(['OK', 'OK']);
    expect(two.heard.sort()).toEqual(['set {t}:a 1', 'set {t}:b 2']);
    expect(await client.set('{t}:c', '3')).toBe('OK');
    expect(one.heard.filter((command) => command.includes(':c'))).toEqual([]);
  });

  it('asks the other node for the one key that has gone there, and stays', async () => {
    const { one, two, open } = await startNodes();
    one.answer = (command) => (command.endsWith(':gone') ? { error: `ASK ${SLOT} 127.0.0.1:${two.port}` } : 'here');
    two.answer = (command) => (command === 'asking' ? { simple: 'OK' } : 'there');
    const client = open();
    const replies = await client.pipeline().get('{t}:gone').get('{t}:kept').exec();
    expect(replies).toEqual([
      [null, 'there'],
      [null, 'here'],
    ]);
    expect(two.heard).toEqual(['asking', 'get {t}:gone']);
  });

  it.each(['TRYAGAIN Multiple keys request during rehashing of slot', 'CLUSTERDOWN The cluster is down'])('waits out %s', async (error) => {
    const { one, open } = await startNodes();
    one.answer = inTurn({ error }, { error }, 'value');
    expect(await open('append').get('{t}:a')).toBe('value');
    expect(one.heard).toHaveLength(3);
  });

  it('gives up on a slot that stays between two nodes', async () => {
    const { one, open } = await startNodes();
    one.answer = () => ({ error: 'TRYAGAIN Multiple keys request during rehashing of slot' });
    await expect(open('append').get('{t}:a')).rejects.toThrow(/^TRYAGAIN/);
    expect(one.heard.length).toBeGreaterThan(2);
  });

  it('does not load a script into a node that the slot has not reached', async () => {
    const { one, two, open } = await startNodes();
    one.answer = inTurn({ error: `ASK ${SLOT} 127.0.0.1:${two.port}` }, 'ran here');
    two.answer = (command) => (command === 'asking' ? { simple: 'OK' } : { error: 'NOSCRIPT No matching script.' });
    expect(await open('append').call('EVALSHA', 'a'.repeat(40), 1, '{t}:a')).toBe('ran here');
  });

  it('passes on an error that is the command’s own', async () => {
    const { one, open } = await startNodes();
    one.answer = () => ({ error: 'WRONGTYPE Operation against a key' });
    await expect(open().get('{t}:a')).rejects.toThrow(/^WRONGTYPE/);
    expect(one.heard).toHaveLength(1);
  });

  it('ends with what still waits for another node', async () => {
    const { one, open } = await startNodes();
    const [nowhere = 0] = await freePorts(1);
    one.answer = () => ({ error: `MOVED ${SLOT} 127.0.0.1:${nowhere}` });
    const client = open();
    const waiting = client.get('{t}:a');
    while (one.heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.disconnect();
    await expect(waiting).rejects.toThrow(/closed/);
  });
});
