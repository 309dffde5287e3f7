import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** How long a fresh instance waits for the process that wanted it. */
const FIRST_MS = 60_000;
const DIAL_MS = 2_000;
const GREETING = '\n';
/** Said to one who leaves while others are there. */
const STAYS = 's';

export type Attachments = {
  /** On loopback. */
  readonly port: number;
  /** Aborted when the last one that was attached has gone, or when nobody came. */
  readonly abandoned: AbortSignal;
  /** The process that wanted this one has let go of it; when nobody is attached by now, nobody will be. */
  readonly starterGone: () => void;
  readonly close: () => void;
};

/**
 * Counts who needs this process, by open connections: one that was killed is noticed as surely as one that says goodbye, since
 * the system closes its connection. Who leaves last has its connection left open, so that it ends when this process ends.
 */
export const openAttachments = async (firstMs = FIRST_MS): Promise<Attachments> => {
  const abandoned = new AbortController();
  const attached = new Set<Socket>();
  const abandon = (): void => {
    clearTimeout(nobodyCame);
    server.close();
    abandoned.abort();
  };
  const leave = (socket: Socket): void => {
    if (!attached.delete(socket)) return;
    if (attached.size === 0) abandon();
    else socket.end(STAYS);
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (abandoned.signal.aborted) return void socket.destroy();
    clearTimeout(nobodyCame);
    attached.add(socket);
    socket
      .on('end', () => leave(socket))
      .on('close', () => leave(socket))
      .on('error', () => undefined)
      .resume()
      .unref();
    socket.write(GREETING);
  });
  const nobodyCame = setTimeout(abandon, firstMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    abandoned: abandoned.signal,
    starterGone: () => {
      if (attached.size === 0) abandon();
    },
    close: () => {
      clearTimeout(nobodyCame);
      server.close();
    },
  };
};

export type Attachment = {
  /** False when the other process has gone, or is going. */
  readonly holds: () => boolean;
  /** Lets go. When nobody else is attached this waits until the process ends, at most `patienceMs`, and answers `ending`. */
  readonly leave: (patienceMs?: number) => Promise<'stays' | 'ending'>;
};

/** Undefined when that process is gone or about to stop. */
export const attach = async (port: number): Promise<Attachment | undefined> => {
  const socket = dial({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.on('error', () => undefined).on('end', () => socket.end());
  let stays = false;
  const greeted = new Promise<boolean>((resolve) => {
    socket.on('data', (heard) => {
      stays ||= heard.includes(STAYS);
      resolve(true);
    });
    closed.then(() => resolve(false));
  });
  const timer = setTimeout(() => socket.destroy(), DIAL_MS);
  const attached = await greeted;
  clearTimeout(timer);
  if (!attached) return undefined;
  return {
    holds: () => socket.writable && !socket.readableEnded,
    leave: async (patienceMs = 10_000) => {
      const impatient = setTimeout(() => socket.destroy(), patienceMs);
      socket.end();
      await closed;
      clearTimeout(impatient);
      return stays ? 'stays' : 'ending';
    },
  };
};
