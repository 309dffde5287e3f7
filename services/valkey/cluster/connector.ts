import { createConnection, isIP, Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'iovalkey';
import type { NodeAddress } from './redirections.js';
import type { SlotRoute } from './route.js';

/** What the client calls for each new stream: asks the route where to, so that it follows a slot that moved or failed over. */
export const connectorTo = (route: SlotRoute, { tls, disconnectTimeout = 2_000 }: RedisOptions): NonNullable<RedisOptions['Connector']> =>
  class extends AbstractConnector {
    constructor() {
      super(disconnectTimeout);
    }

    override async connect(): Promise<Socket> {
      this.connecting = true;
      delete this.firstError;
      const stream = await route.primary().then(
        (address) => (this.connecting ? open(address, tls) : undefined),
        (error: Error) => this.#failed(error),
      );
      if (!stream || !this.connecting) {
        stream?.destroy();
        throw new Error('Connection is closed.');
      }
      stream.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return stream;
    }

    /** The client gives up for good when there is no stream at all; one that has ended makes it try again. */
    #failed(error: Error): Socket {
      this.firstError = error;
      return new Socket().destroy();
    }
  };

const open = (address: NodeAddress, tls: RedisOptions['tls']): Socket | TLSSocket => {
  if (!tls) return createConnection(address);
  const named = 'host' in address && !isIP(address.host) ? { servername: address.host } : {};
  return connectTls({ ...tls, ...address, ...named });
};
