import { randomUUID } from 'node:crypto';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { eventStream, problem, RPC, rpcError } from './answers.js';
import { idOf, isJsonRpc } from './eras.js';
import type { Exchange } from './exchange.js';
import { createRunning } from './running.js';
import { type Closable, createSessionTable } from './session-table.js';
import type { SessionHandler, SessionParts } from './streamable-sessions.js';

type Session = Closable & { readonly receive: (body: unknown) => void };

export const SSE_PATH = '/sse';
export const MESSAGES_PATH = '/messages';

/**
 * The transport of 2024-11-05: one stream of events for everything the server says (GET /sse), whose first event names the
 * address for everything the client says (POST /messages?sessionId=…, answered 202). The session lives as long as the stream.
 */
export const createSseSessions = ({ newServer, idleMs, max, keepAliveMs }: SessionParts): SessionHandler => {
  const table = createSessionTable<Session>({ idleMs, max });

  const open = async ({ done }: Exchange): Promise<Response> => {
    const id = randomUUID();
    const { transport, stream, receive } = createSseTransport(`${MESSAGES_PATH}?sessionId=${id}`, keepAliveMs);
    const calls = createRunning();
    const server = newServer(calls, id);
    await server.connect(transport);
    const close = async (): Promise<void> => {
      table.remove(id);
      await server.close();
    };
    if (!table.add(id, { receive, close, busy: () => calls.size() > 0 })) {
      await close();
      return problem(503, 'Service Unavailable', 'Too many sessions are open and in use. Try again in a moment.', { 'Retry-After': '5' });
    }
    table.use(id, done);
    void done.then(close);
    return eventStream(stream);
  };

  return {
    handle: async (exchange) => {
      const { request, body, done } = exchange;
      if (request.method === 'GET') return open(exchange);
      const id = new URL(request.url).searchParams.get('sessionId');
      if (id === null)
        return rpcError(400, RPC.refused, `The sessionId is missing: GET ${SSE_PATH} first, it names the address to post to`, idOf(body));
      const session = table.use(id, done);
      if (!session) return rpcError(404, RPC.sessionNotFound, `Session not found: GET ${SSE_PATH} opens a new one`, idOf(body));
      if (!isJsonRpc(body) || Array.isArray(body))
        return rpcError(400, RPC.invalidRequest, 'The body is not a JSON-RPC message', idOf(body));
      session.receive(body);
      return new Response('Accepted', { status: 202 });
    },
    size: table.size,
    closeAll: table.closeAll,
  };
};

type SseTransport = {
  readonly transport: Transport;
  readonly stream: ReadableStream<Uint8Array>;
  readonly receive: (body: unknown) => void;
};

const createSseTransport = (address: string, keepAliveMs: number): SseTransport => {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (opened) => {
      controller = opened;
    },
    cancel: () => {
      controller = undefined;
    },
  });
  const write = (text: string): void => controller?.enqueue(encoder.encode(text));
  const event = (name: string, data: string): void => write(`event: ${name}\ndata: ${data}\n\n`);
  const keepAlive = setInterval(() => write(': keepalive\n\n'), keepAliveMs);

  const transport: Transport = {
    start: async () => event('endpoint', address),
    send: async (message: JSONRPCMessage) => event('message', JSON.stringify(message)),
    close: async () => {
      clearInterval(keepAlive);
      controller?.close();
      controller = undefined;
      transport.onclose?.();
    },
  };
  return { transport, stream, receive: (body) => transport.onmessage?.(parseJSONRPCMessage(body)) };
};
