import { once } from 'node:events';
import { createConnection } from 'node:net';
import { type McpHttp, type McpHttpConfig, startMcpHttp } from '../../services/mcp/http.js';
import type { McpLimits } from '../../services/mcp/limits.js';
import { createFakeApp, type FakeApp } from './fake-app.js';
import { capturingLog } from './log.js';

export type TestServer = AsyncDisposable & McpHttp & { readonly app: FakeApp; readonly logged: () => string };

export type TestServerOptions = { readonly config?: Partial<McpHttpConfig>; readonly limits?: Partial<McpLimits>; readonly app?: FakeApp };

/** The real HTTP server on a free port of loopback, over an app in memory. `await using server = await startTestServer()`. */
export const startTestServer = async ({ config = {}, limits = {}, app = createFakeApp() }: TestServerOptions = {}): Promise<TestServer> => {
  const { log, lines } = capturingLog();
  const http = await startMcpHttp({
    app,
    log,
    config: { host: '127.0.0.1', port: 0, allowedHosts: [], allowedOrigins: [], maxResponseTokens: 20_000, toolset: 'full', ...config },
    limits: { drainMs: 2_000, ...limits },
  });
  return { ...http, app, logged: () => JSON.stringify(lines), [Symbol.asyncDispose]: http.close };
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: Rpc };
export type Rpc = {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

const JSON_RPC = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** One request as a client would write it by hand. The JSON-RPC message is read from JSON or from the stream of events. */
export const raw = async (url: string, method: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: { ...(method === 'GET' ? { Accept: 'text/event-stream' } : JSON_RPC), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: messageIn(text) };
};

const messageIn = (text: string): Rpc => {
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(data) as Rpc;
  } catch {
    return {};
  }
};

let nextId = 0;
export const rpc = (method: string, params: Record<string, unknown> = {}): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id: ++nextId,
  method,
  params,
});

export const CLIENT = { name: 'probe', version: '1.0' };

export const initialize = (protocolVersion = '2025-11-25'): Record<string, unknown> =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: CLIENT });

/** Opens a session and answers its id. */
export const openSession = async (url: string): Promise<string> => {
  const opened = await raw(url, 'POST', {}, initialize());
  const id = opened.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${opened.status} ${opened.text}`);
  await raw(url, 'POST', { 'Mcp-Session-Id': id }, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return id;
};

/** A request of the revision without sessions. */
export const stateless = (method: string, params: Record<string, unknown> = {}, version = '2026-07-28'): Record<string, unknown> =>
  rpc(method, {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...(params._meta as object | undefined),
    },
  });

/** Sends bytes over a bare connection and reads until it closes or `until` is seen. */
export const bytes = async (port: number, text: string, until?: RegExp): Promise<string> => {
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'connect');
  let heard = '';
  socket.on('error', () => {}); // a reset is one of the ways in which it may end
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      heard += chunk.toString();
      if (until?.test(heard)) resolve();
    });
  });
  socket.write(text);
  await ended;
  socket.destroy();
  return heard;
};

/** Polls until the condition holds; fails with what was seen last. */
export const eventually = async (holds: () => boolean, what: () => unknown = () => 'condition', timeoutMs = 10_000): Promise<void> => {
  for (const end = Date.now() + timeoutMs; !holds(); ) {
    if (Date.now() > end) throw new Error(`did not happen: ${JSON.stringify(what())}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
