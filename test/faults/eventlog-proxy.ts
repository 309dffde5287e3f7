import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';

/**
 * What happens to the next script call that passes: the connection is cut before the server has it, or after the server
 * has answered and before the client hears of it; or the client hears nothing any more on a connection that stays open.
 */
export type ConnectionFault = 'cut before' | 'cut after' | 'silence after' | 'silence before';
export const FAULTS: readonly ConnectionFault[] = ['cut before', 'cut after', 'silence after', 'silence before'];

export type FaultProxy = AsyncDisposable & {
  readonly path: string;
  /** Each script call takes the next of these; none left means that calls pass. */
  readonly plan: ConnectionFault[];
  /** How many faults were played. */
  readonly played: () => number;
};

/** A unix socket in front of a server's. */
export const startProxy = async (target: string): Promise<FaultProxy> => {
  const home = mkdtempSync('/tmp/omt-');
  const path = `${home}/p`;
  const plan: ConnectionFault[] = [];
  let played = 0;
  const open = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(target);
    let mode: ConnectionFault | 'pass' = 'pass';
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => {
      if (mode === 'pass' && chunk.includes('EVALSHA')) {
        mode = plan.shift() ?? 'pass';
        if (mode !== 'pass') played += 1;
      }
      if (mode === 'cut before') cut();
      else if (mode !== 'silence before') upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (mode === 'cut after') cut();
      else if (mode === 'pass') client.write(chunk);
    });
  });
  server.listen(path);
  await once(server, 'listening');

  return {
    path,
    plan,
    played: () => played,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
      await rm(home, { recursive: true, force: true });
    },
  };
};
