import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A reply as a RESP2 server spells it. */
export type Reply =
  | { readonly simple: string }
  | { readonly error: string }
  | { readonly raw: Buffer }
  | number
  | string
  | Buffer
  | null
  | { readonly array: null }
  | readonly Reply[];

export const encode = (reply: Reply): Buffer => {
  if (reply === null) return Buffer.from('$-1\r\n');
  if (typeof reply === 'number') return Buffer.from(`:${reply}\r\n`);
  if (typeof reply === 'string') return encode(Buffer.from(reply));
  if (Buffer.isBuffer(reply)) return Buffer.concat([Buffer.from(`$${reply.length}\r\n`), reply, Buffer.from('\r\n')]);
  if ('simple' in reply) return Buffer.from(`+${reply.simple}\r\n`);
  if ('error' in reply) return Buffer.from(`-${reply.error}\r\n`);
  if ('raw' in reply) return reply.raw;
  if ('array' in reply) return Buffer.from('*-1\r\n');
  return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(encode)]);
};

/** Where the value that begins at `from` ends; undefined while it is not whole. */
export const endOfValue = (bytes: Buffer, from: number): number | undefined => {
  const line = bytes.indexOf('\r\n', from);
  if (line < 0) return undefined;
  const kind = bytes[from];
  const size = Number(bytes.toString('latin1', from + 1, line));
  if (kind === 0x24) return size < 0 ? line + 2 : line + 4 + size <= bytes.length ? line + 4 + size : undefined;
  let end: number | undefined = line + 2;
  if (kind === 0x2a) for (let i = 0; i < size && end !== undefined; i++) end = endOfValue(bytes, end);
  return end;
};

/** The arguments of a whole request. */
export const argumentsOf = (request: Buffer): Buffer[] => {
  const args: Buffer[] = [];
  for (let at = request.indexOf('\r\n') + 2; at < request.length; ) {
    const line = request.indexOf('\r\n', at);
    const size = Number(request.toString('latin1', at + 1, line));
    args.push(request.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
  return args;
};

/** Answers one connection, one request after the other: the bytes of the reply. */
export type Session = { readonly answer: (args: Buffer[], request: Buffer) => Buffer | Promise<Buffer>; readonly end: () => void };

/** A server of the RESP protocol on a unix socket, or on a port of loopback. */
export const serveResp = async (place: string | number, open: () => Session): Promise<AsyncDisposable> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const session = open();
    let waiting = Buffer.alloc(0);
    let turn: Promise<void> = Promise.resolve();
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let end = endOfValue(waiting, 0); end !== undefined; end = waiting.length > 0 ? endOfValue(waiting, 0) : undefined) {
        const request = waiting.subarray(0, end);
        waiting = waiting.subarray(end);
        turn = turn
          .then(async () => {
            socket.write(await session.answer(argumentsOf(request), request));
          })
          .catch(() => {
            socket.destroy();
          });
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      session.end();
    });
  });
  if (typeof place === 'number') server.listen(place, '127.0.0.1');
  else server.listen(place);
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
