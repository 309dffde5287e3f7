import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DomainError } from '../../../domain/errors.js';
import { problem } from './answers.js';
import { send } from './exchange.js';

export type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<Response>;

const MAX_CONNECTIONS = 4_096;
const HEAD_ARRIVAL_MS = 10_000;
const CHECK_INTERVAL_MS = 5_000;
/** Longer than clients and proxies keep a connection, so that none of them sends into one that is being closed here. */
const IDLE_CONNECTION_MS = 75_000;

/**
 * A server that sends what `serve` answers. A request that does not arrive within `arrivalMs` is answered 408 and its
 * connection closed, so that slow senders hold nothing.
 */
export const createHttpServer = (serve: Serve, arrivalMs: number, onFault: (error: unknown) => void): Server => {
  const options = {
    requestTimeout: arrivalMs,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    headersTimeout: Math.min(HEAD_ARRIVAL_MS, arrivalMs),
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, arrivalMs),
  };
  const server = createServer(options, (incoming, outgoing) => {
    serve(incoming, outgoing)
      .catch((error: unknown) => {
        if (!incoming.destroyed) onFault(error);
        return problem(500, 'Internal Server Error', 'The server log has the details.');
      })
      .then((response) => send(outgoing, response))
      .catch((error: unknown) => {
        if (!outgoing.destroyed) onFault(error);
        outgoing.destroy();
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
};

/** The port that was taken. Throws UNAVAILABLE. */
export const listen = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'Stop what uses that port, or set MCP_PORT or MCP_HOST.';
      reject(new DomainError('UNAVAILABLE', `Cannot listen on ${host}:${port} (${error.code ?? error.message})`, hint, { cause: error }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/** The host part of an address at which this machine reaches a server bound to `host`. */
export const reachableHost = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
};
