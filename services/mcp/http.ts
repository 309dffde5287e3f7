import type { IncomingMessage } from 'node:http';
import { isDomainError } from '../../domain/errors.js';
import type { App } from '../api.js';
import type { Logger } from '../log.js';
import { createToolCaller } from './caller.js';
import { type AccessSettings, allowPage, createAccess, refuseOpenAddress } from './http/access.js';
import { problem, RPC, rpcError } from './http/answers.js';
import { readJson } from './http/body.js';
import { createEndpoint, type Endpoint } from './http/endpoint.js';
import { idOf, isJsonRpc, methodOf } from './http/eras.js';
import { exchangeOf } from './http/exchange.js';
import { createHttpServer, listen, reachableHost, type Serve } from './http/listen.js';
import { createRunning } from './http/running.js';
import { MESSAGES_PATH, SSE_PATH } from './http/sse-sessions.js';
import type { NewServer } from './http/streamable-sessions.js';
import { instructionsFor } from './instructions.js';
import { DEFAULT_LIMITS, type McpLimits } from './limits.js';
import { createMcpServer, type ServerParts } from './server.js';
import { listTools, type Toolset, toolsByName } from './toolset.js';

export type McpHttpConfig = AccessSettings & {
  /** 0 takes a free one. */
  readonly port: number;
  readonly maxResponseTokens: number;
  readonly toolset: Toolset;
  /** Default true. */
  readonly outputSchemas?: boolean;
};

export type McpHttpParts = {
  readonly app: App;
  /** The memory that the token of a tenant opens. Default: there is one memory only. */
  readonly appOf?: (tenant: string) => App;
  readonly config: McpHttpConfig;
  readonly log: Logger;
  readonly limits?: Partial<McpLimits>;
  /** Closes the server when aborted. */
  readonly signal?: AbortSignal;
};

export type McpHttp = {
  /** The address of the protocol, for clients on this machine. */
  readonly url: string;
  readonly port: number;
  /** What is open now: sessions, requests not yet answered, tool calls that still run. */
  readonly open: () => { readonly sessions: number; readonly sseSessions: number; readonly requests: number; readonly calls: number };
  /** Takes no new requests, lets running calls finish within the bound, ends streams and sessions. */
  readonly close: () => Promise<void>;
};

/** One memory and the sessions of its clients. */
type Door = { readonly app: App; readonly endpoint: Endpoint };

const MCP_PATH = '/mcp';
const METHODS: Readonly<Record<string, readonly string[]>> = {
  [MCP_PATH]: ['POST', 'GET', 'DELETE'],
  [SSE_PATH]: ['GET'],
  [MESSAGES_PATH]: ['POST'],
  '/readyz': ['GET', 'HEAD'],
  '/metrics': ['GET', 'HEAD'],
};
const READY_PROBE_MS = 100;
/** What the ends of streams may take to reach their clients. */
const LAST_WORDS_MS = 500;

/**
 * Serves the protocol on one port: `/mcp` for both eras, `/sse` with `/messages` for the transport of 2024, and `/healthz`,
 * `/readyz`, `/metrics`. Listens at once; tools wait for the app. Throws VALIDATION for an open address without a token,
 * UNAVAILABLE when the address cannot be had.
 */
export const startMcpHttp = async ({ app, appOf = () => app, config, log, limits: given, signal }: McpHttpParts): Promise<McpHttp> => {
  refuseOpenAddress(config);
  const limits = { ...DEFAULT_LIMITS, ...given };
  const access = createAccess(config);
  const calls = createRunning();
  const requests = createRunning();
  let closing: Promise<void> | undefined;

  const common = {
    version: app.queries.version().version,
    instructions: instructionsFor(config.toolset),
    listed: listTools(config.toolset, config.outputSchemas ?? true),
    tools: toolsByName,
  };
  const openDoor = (behind: App): Door => {
    const callTool = createToolCaller({ app: behind, maxTokens: config.maxResponseTokens, readyWaitMs: limits.readyWaitMs, log });
    const parts: ServerParts = { ...common, call: (request) => calls.track(callTool(request)) };
    const newServer: NewServer = (own, session) =>
      createMcpServer({ ...parts, session, call: (request) => own.track(parts.call(request)) });
    return { app: behind, endpoint: createEndpoint(newServer, limits, log) };
  };
  // A door for each memory: a session of one is unknown at every other.
  const doors = new Map<string | undefined, Door>([[undefined, openDoor(app)]]);
  const doorOf = (tenant: string | undefined): Door => {
    const door = doors.get(tenant) ?? openDoor(tenant === undefined ? app : appOf(tenant));
    doors.set(tenant, door);
    return door;
  };
  const closeDoors = async (): Promise<void> => {
    await Promise.all([...doors.values()].map(({ endpoint }) => endpoint.close()));
  };

  const admit = (incoming: IncomingMessage): Response | { readonly tenant: string | undefined } => {
    const { host, origin, authorization } = incoming.headers;
    const visitor = { host, origin, authorization };
    if (incoming.method === 'OPTIONS') return access.checkOrigin(visitor) ?? new Response(null, { status: 204 });
    return access.checkOrigin(visitor) ?? access.checkToken(visitor);
  };

  const serve: Serve = async (incoming, outgoing) => {
    const path = pathOf(incoming);
    const method = incoming.method ?? 'GET';
    if (path === '/healthz' && (method === 'GET' || method === 'HEAD')) return Response.json({ status: 'up' });
    const admitted = admit(incoming);
    const refusal = admitted instanceof Response ? admitted : undefined;
    if (incoming.headers.origin !== undefined && refusal?.status !== 403 && refusal?.status !== 421)
      allowPage(outgoing, incoming.headers.origin);
    if (admitted instanceof Response) return admitted;
    if (closing) return problem(503, 'Service Unavailable', 'The server is stopping.', { Connection: 'close', 'Retry-After': '5' });

    const methods = METHODS[path];
    if (!methods) return problem(404, 'Not Found', `Nothing is here. The protocol is at ${MCP_PATH}.`);
    if (!methods.includes(method))
      return rpcError(405, RPC.refused, `Allowed here: ${methods.join(', ')}`, null, { Allow: methods.join(', ') });
    const door = doorOf(admitted.tenant);
    if (path === '/readyz') return ready(door.app);
    if (path === '/metrics') return metrics(door.app);

    const body = method === 'POST' ? await readJson(incoming, limits.maxBodyBytes) : { value: undefined };
    if ('refusal' in body) return body.refusal;
    if (method === 'POST' && !isJsonRpc(body.value))
      return rpcError(400, RPC.invalidRequest, 'The body is not a JSON-RPC message', idOf(body.value));
    const exchange = exchangeOf(incoming, outgoing, body.value);
    if (method === 'POST' && methodOf(body.value) !== 'subscriptions/listen') void requests.track(exchange.done);
    return path === MCP_PATH ? door.endpoint.streamable(exchange) : door.endpoint.sse(exchange);
  };

  const server = createHttpServer(serve, limits.requestArrivalMs, (error) => log.error({ err: error }, 'a request failed'));
  const stop = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.race([Promise.all([calls.idle(), requests.idle()]), pause(limits.drainMs)]);
    await closeDoors();
    server.closeIdleConnections();
    await Promise.race([stopped, pause(LAST_WORDS_MS)]);
    server.closeAllConnections();
    await stopped;
  };
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };

  const port = await listen(server, config.host, config.port).catch(async (error: unknown) => {
    await closeDoors();
    throw error;
  });
  signal?.addEventListener('abort', () => void close(), { once: true });
  if (signal?.aborted) await close();
  return {
    url: `http://${reachableHost(config.host)}:${port}${MCP_PATH}`,
    port,
    open: () => ({ ...sizesOf([...doors.values()]), requests: requests.size(), calls: calls.size() }),
    close,
  };
};

const sizesOf = (doors: readonly Door[]): ReturnType<Endpoint['sizes']> => {
  const sizes = doors.map(({ endpoint }) => endpoint.sizes());
  const sum = (of: (size: ReturnType<Endpoint['sizes']>) => number): number => sizes.reduce((total, size) => total + of(size), 0);
  return { sessions: sum(({ sessions }) => sessions), sseSessions: sum(({ sseSessions }) => sseSessions) };
};

/** Without the query, and without a slash at the end, which some people write. */
const pathOf = ({ url = '/' }: IncomingMessage): string => (url.split('?', 1)[0] ?? '/').replace(/(.)\/+$/, '$1');

const ready = async (app: App): Promise<Response> => {
  try {
    await app.whenReady(READY_PROBE_MS);
    return Response.json({ status: 'ready' });
  } catch (error) {
    return problem(503, 'Not ready', isDomainError(error) ? error.message : 'The store is not ready.', { 'Retry-After': '2' });
  }
};

const metrics = async (app: App): Promise<Response> => {
  const { contentType, body } = await app.metrics();
  return new Response(body, { headers: { 'Content-Type': contentType } });
};

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
