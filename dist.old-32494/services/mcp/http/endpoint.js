import { createMcpHandler } from '@modelcontextprotocol/server';
import { methodOf, settle } from './eras.js';
import { createSseSessions } from './sse-sessions.js';
import { createStreamableSessions } from './streamable-sessions.js';
/** Brings each exchange to the era and session that it belongs to. */
export const createEndpoint = (newServer, limits, log) => {
    const parts = { newServer, idleMs: limits.sessionIdleMs, max: limits.maxSessions, keepAliveMs: limits.keepAliveMs };
    const sessions = createStreamableSessions(parts);
    const sseSessions = createSseSessions(parts);
    const stateless = createMcpHandler(newServer, {
        legacy: 'reject',
        keepAliveMs: limits.keepAliveMs,
        onerror: (error) => log.debug({ reason: error.message }, 'a stateless request was refused'),
    });
    return {
        streamable: (exchange) => {
            const { era, headers, body, differs } = settle(exchange.request.headers, exchange.body);
            if (differs)
                log.info({ client: headers.get('user-agent'), method: methodOf(body) }, 'protocol versions in header and body differ; served by the body');
            const request = new Request(exchange.request, { headers: withAccept(headers) });
            return era === 'stateless' ? stateless.fetch(request, { parsedBody: body }) : sessions.handle({ ...exchange, request, body });
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
const withAccept = (headers) => {
    if (headers.has('accept') && headers.get('accept') !== '*/*')
        return headers;
    const settled = new Headers(headers);
    settled.set('accept', 'application/json, text/event-stream');
    return settled;
};
//# sourceMappingURL=endpoint.js.map