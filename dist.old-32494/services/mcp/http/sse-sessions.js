import { randomUUID } from 'node:crypto';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { eventStream, problem, RPC, rpcError } from './answers.js';
import { idOf, isJsonRpc } from './eras.js';
import { createSessionTable } from './session-table.js';
export const SSE_PATH = '/sse';
export const MESSAGES_PATH = '/messages';
/**
 * The transport of 2024-11-05: one stream of events for everything the server says (GET /sse), whose first event names the
 * address for everything the client says (POST /messages?sessionId=…, answered 202). The session lives as long as the stream.
 */
export const createSseSessions = ({ newServer, idleMs, max, keepAliveMs }) => {
    const table = createSessionTable({ idleMs, max });
    const open = async ({ done }) => {
        const id = randomUUID();
        const { transport, stream, receive } = createSseTransport(`${MESSAGES_PATH}?sessionId=${id}`, keepAliveMs);
        const server = newServer();
        await server.connect(transport);
        const close = async () => {
            table.remove(id);
            await server.close();
        };
        if (!table.add(id, { receive, close })) {
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
            if (request.method === 'GET')
                return open(exchange);
            const id = new URL(request.url).searchParams.get('sessionId');
            if (id === null)
                return rpcError(400, RPC.refused, `The sessionId is missing: GET ${SSE_PATH} first, it names the address to post to`, idOf(body));
            const session = table.use(id, done);
            if (!session)
                return rpcError(404, RPC.sessionNotFound, `Session not found: GET ${SSE_PATH} opens a new one`, idOf(body));
            if (!isJsonRpc(body) || Array.isArray(body))
                return rpcError(400, RPC.invalidRequest, 'The body is not a JSON-RPC message', idOf(body));
            session.receive(body);
            return new Response('Accepted', { status: 202 });
        },
        size: table.size,
        closeAll: table.closeAll,
    };
};
const createSseTransport = (address, keepAliveMs) => {
    const encoder = new TextEncoder();
    let controller;
    const stream = new ReadableStream({
        start: (opened) => {
            controller = opened;
        },
        cancel: () => {
            controller = undefined;
        },
    });
    const write = (text) => controller?.enqueue(encoder.encode(text));
    const event = (name, data) => write(`event: ${name}\ndata: ${data}\n\n`);
    const keepAlive = setInterval(() => write(': keepalive\n\n'), keepAliveMs);
    const transport = {
        start: async () => event('endpoint', address),
        send: async (message) => event('message', JSON.stringify(message)),
        close: async () => {
            clearInterval(keepAlive);
            controller?.close();
            controller = undefined;
            transport.onclose?.();
        },
    };
    return { transport, stream, receive: (body) => transport.onmessage?.(parseJSONRPCMessage(body)) };
};
//# sourceMappingURL=sse-sessions.js.map