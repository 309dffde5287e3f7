import { ProtocolError, ProtocolErrorCode, Server, } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { actorOf } from './actor.js';
/** The list changes with the version and the toolset only. */
const LIST_FRESH_MS = 300_000;
/** One for all servers: each would compile its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();
/** A protocol server for one session, or for one request without a session. It holds nothing but the handlers. */
export const createMcpServer = ({ version, instructions, listed, tools, call }) => {
    const server = new Server({ name: 'omnimem', title: 'OmniMem', version }, {
        capabilities: { tools: {} },
        instructions,
        jsonSchemaValidator,
        cacheHints: {
            'tools/list': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
            'server/discover': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        },
    });
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', ({ params }, context) => {
        const tool = tools.get(params.name);
        if (!tool)
            throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(params.name.slice(0, 128))}. Tools: ${[...tools.keys()].join(', ')}.`);
        const client = server.getClientVersion();
        return call({
            tool,
            arguments: params.arguments,
            client,
            actor: actorOf(client),
            signal: context.mcpReq.signal,
            progress: progressTo(context),
        });
    });
    return server;
};
/** Progress notices, when the client asked for them. The number must grow with each notice, so a plain count stands in for what is not measured. */
const progressTo = ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined)
        return () => { };
    let last = 0;
    return (message, done, total) => {
        last = done !== undefined && done > last ? done : last + 1;
        const params = { progressToken, progress: last, message, ...(total !== undefined && total >= last && { total }) };
        mcpReq.notify({ method: 'notifications/progress', params }).catch(() => { }); // the client is gone: its call is cancelled elsewhere
    };
};
//# sourceMappingURL=server.js.map