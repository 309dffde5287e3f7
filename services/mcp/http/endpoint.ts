import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from '../../log.js';
import type { McpLimits } from '../limits.js';
import { problem } from './answers.js';
import { methodOf, settle } from './eras.js';
import type { Exchange } from './exchange.js';
import { createRunning } from './running.js';
import { createSseSessions } from './sse-sessions.js';
import { createStreamableSessions, type NewServer } from './streamable-sessions.js';

export type Endpoint = {
  /** `/mcp`: with and without sessions. */
  readonly streamable: (exchange: Exchange) => Promise<Response>;
  /** `/sse` and `/messages`. */
  readonly sse: (exchange: Exchange) => Promise<Response>;
  readonly sizes: () => { readonly sessions: number; readonly sseSessions: number };
  /** Ends every stream with a proper last word, then the sessions. */
  readonly close: () => Promise<void>;
};

/** What the library answers, without a body, when it is closed under a running call. */
const CUT_OFF = 499;

/** Clients whose disagreement with themselves is logged, each once. */
const MAX_TOLD = 100;

/** Brings each exchange to the era and session that it belongs to. */
export const createEndpoint = (newServer: NewServer, limits: McpLimits, log: Logger): Endpoint => {
  const parts = { newServer, idleMs: limits.sessionIdleMs, max: limits.maxSessions, keepAliveMs: limits.keepAliveMs };
  const sessions = createStreamableSessions(parts);
  const sseSessions = createSseSessions(parts);
  const stateless = createMcpHandler(() => newServer(createRunning()), {
    legacy: 'reject',
    keepAliveMs: limits.keepAliveMs,
    onerror: (error) => log.debug({ reason: error.message }, 'a stateless request was refused'),
  });
  const told = new Set<string>();
  const tellOnce = (client: string, method: unknown): void => {
    if (told.has(client) || told.size >= MAX_TOLD) return;
    told.add(client);
    log.info({ client, method }, 'protocol versions in header and body differ; this client is served by the body');
  };
  return {
    streamable: async (exchange) => {
      const { era, headers, body, differs } = settle(exchange.request.headers, exchange.body);
      if (differs) tellOnce(headers.get('user-agent') ?? 'unknown', methodOf(body));
      const request = new Request(exchange.request, { headers: withAccept(headers) });
      if (era === 'session') return sessions.handle({ ...exchange, request, body });
      const response = await stateless.fetch(request, { parsedBody: body });
      return response.status === CUT_OFF ? problem(503, 'Service Unavailable', 'The server stopped before the call was done.') : response;
    },
    sse: sseSessions.handle,
    sizes: () => ({ sessions: sessions.size(), sseSessions: sseSessions.size() }),
    close: async () => {
      await stateless.close();
      await Promise.all([sessions.closeAll(), sseSessions.closeAll()]);
    },
  };
};

/** A client that does not say what it takes, such as curl, takes what we send. */
const withAccept = (headers: Headers): Headers => {
  if (headers.has('accept') && headers.get('accept') !== '*/*') return headers;
  const settled = new Headers(headers);
  settled.set('accept', 'application/json, text/event-stream');
  return settled;
};
