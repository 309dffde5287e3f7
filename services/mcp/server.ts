import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { actorOf } from './actor.js';
import type { ToolRequest } from './caller.js';
import { offerGuide } from './guidance.js';
import type { Tool } from './tool.js';
import { SESSION_META_KEY } from './wire.js';

const SESSION_LENGTH = 64;

export type Client = { readonly name: string; readonly version: string };

export type ServerToolRequest = ToolRequest & { readonly client: Client | undefined };

export type ServerParts = {
  readonly version: string;
  readonly instructions: string;
  /** What `tools/list` answers: made once, so that two lists have the same bytes. */
  readonly listed: ListToolsResult['tools'];
  /** Every tool that can be called, listed or not. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly call: (request: ServerToolRequest) => Promise<CallToolResult>;
  /** The session that the server is for; absent for one that serves requests without a session. */
  readonly session?: string | undefined;
};

/** The list changes with the version and the toolset only. */
const LIST_FRESH_MS = 300_000;

/** One for all servers: each would compile its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** A protocol server for one session, or for one request without a session. It holds nothing but the handlers. */
export const createMcpServer = ({ version, instructions, listed, tools, call, session }: ServerParts): Server => {
  const server = new Server(
    { name: 'omnimem', title: 'OmniMem', version },
    {
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions,
      jsonSchemaValidator,
      cacheHints: {
        'tools/list': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        'prompts/list': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        'resources/list': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        'resources/templates/list': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        'resources/read': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
        'server/discover': { ttlMs: LIST_FRESH_MS, cacheScope: 'public' },
      },
    },
  );
  offerGuide(server);
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = tools.get(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name.slice(0, 128))}. Tools: ${[...tools.keys()].join(', ')}.`,
      );
    const client = server.getClientVersion();
    return call({
      tool,
      arguments: params.arguments,
      client,
      actor: actorOf(client),
      session: session ?? sessionIn(context),
      signal: context.mcpReq.signal,
      progress: progressTo(context),
    });
  });
  return server;
};

/** A stdio process names itself with each request that it passes on, since those have no session of their own. */
const sessionIn = ({ mcpReq }: ServerContext): string | undefined => {
  const named = mcpReq._meta?.[SESSION_META_KEY];
  return typeof named === 'string' && named.length <= SESSION_LENGTH ? named : undefined;
};

/** Progress notices, when the client asked for them. The number must grow with each notice, so a plain count stands in for what is not measured. */
const progressTo = ({ mcpReq }: ServerContext): ToolRequest['progress'] => {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let last = 0;
  return (message, done, total) => {
    last = done !== undefined && done > last ? done : last + 1;
    const params = { progressToken, progress: last, message, ...(total !== undefined && total >= last && { total }) };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client is gone: its call is cancelled elsewhere
  };
};
