import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { problem, RPC, rpcError } from './answers.js';
import { idOf, methodOf } from './eras.js';
import type { Exchange } from './exchange.js';
import { createRunning, type Running } from './running.js';
import { type Closable, createSessionTable } from './session-table.js';

export type SessionHandler = {
  readonly handle: (exchange: Exchange) => Promise<Response>;
  readonly size: () => number;
  readonly closeAll: () => Promise<void>;
};

/** A protocol server of its own for each session; its calls are counted in `calls`. Without a session it serves one request. */
export type NewServer = (calls: Running, session?: string) => Server;

export type SessionParts = {
  readonly newServer: NewServer;
  readonly idleMs: number;
  readonly max: number;
  readonly keepAliveMs: number;
};

type Session = Closable & { readonly transport: WebStandardStreamableHTTPServerTransport };

const SESSION = 'mcp-session-id';

/**
 * Revisions with sessions (2025-11-25 and older). `initialize` opens one, whatever id came with it; every other request with
 * an id that is unknown gets 404, the only sign on which clients begin anew.
 */
export const createStreamableSessions = ({ newServer, idleMs, max, keepAliveMs }: SessionParts): SessionHandler => {
  const table = createSessionTable<Session>({ idleMs, max });

  const open = async ({ request, body, done }: Exchange): Promise<Response> => {
    const id = randomUUID();
    const calls = createRunning();
    const server = newServer(calls, id);
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id, keepAliveMs });
    transport.onclose = () => table.remove(id);
    await server.connect(transport);
    const close = (): Promise<void> => server.close();
    if (!table.add(id, { transport, close, busy: () => calls.size() > 0 })) {
      await close();
      return problem(503, 'Service Unavailable', 'Too many sessions are open and in use. Try again in a moment.', { 'Retry-After': '5' });
    }
    table.use(id, done);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await close(); // refused: nobody will ever know this id
    return response;
  };

  const within = async ({ transport }: Session, { request, body }: Exchange): Promise<Response> => {
    const response = await transport.handleRequest(request, { parsedBody: body });
    // A cancelled request gets no answer, so nothing else would ever end its stream.
    const cancelled = cancelledRequest(body);
    if (cancelled !== undefined) transport.closeSSEStream(cancelled);
    return response;
  };

  return {
    handle: async (exchange) => {
      const { request, body, done } = exchange;
      if (request.method === 'POST' && methodOf(body) === 'initialize') return open(exchange);
      const id = request.headers.get(SESSION);
      if (id === null && request.method === 'GET')
        return rpcError(405, RPC.refused, 'There is no stream without a session: POST initialize first', null, { Allow: 'POST' });
      if (id === null)
        return rpcError(
          400,
          RPC.refused,
          'The Mcp-Session-Id header is missing: POST initialize first, then send the id of its answer',
          idOf(body),
        );
      const session = table.use(id, done);
      if (!session)
        return rpcError(
          404,
          RPC.sessionNotFound,
          'Session not found: it has ended or the server was restarted. POST initialize to open a new one.',
          idOf(body),
        );
      return within(session, exchange);
    },
    size: table.size,
    closeAll: table.closeAll,
  };
};

const cancelledRequest = (body: unknown): string | number | undefined => {
  if (methodOf(body) !== 'notifications/cancelled') return undefined;
  const { requestId } = (body as { readonly params?: { readonly requestId?: unknown } }).params ?? {};
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
};
