import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningInstance } from '../../../services/instance.js';
import { startMcpHttp } from '../../../services/mcp/http.js';
import { createFakeApp, type FakeApp } from '../../support/fake-app.js';
import { capturingLog } from '../../support/log.js';
import { initialize, raw, rpc, stateless } from '../../support/mcp.js';
import { startWhole } from '../app/instance.js';

const RED = 'red-red-red';
const BLUE = 'blue-blue-blue';
const OWN = 'own-own-own';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const startServer = async (config: { authToken?: string; host?: string; tenantTokens?: { tenant: string; token: string }[] } = {}) => {
  const apps = new Map<string, FakeApp>();
  const own = createFakeApp();
  const server = await startMcpHttp({
    app: own,
    appOf: (tenant) => {
      const app = createFakeApp();
      apps.set(tenant, app);
      return app;
    },
    log: capturingLog().log,
    config: {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      maxResponseTokens: 20_000,
      toolset: 'full',
      tenantTokens: [
        { tenant: 'red', token: RED },
        { tenant: 'blue', token: BLUE },
      ],
      ...config,
    },
  });
  return { ...server, own, apps, [Symbol.asyncDispose]: server.close };
};

const open = async (url: string, token: string): Promise<string> => {
  const { headers } = await raw(url, 'POST', bearer(token), initialize());
  return headers.get('mcp-session-id') ?? '';
};

describe('a token of a tenant', () => {
  it('is needed as soon as there is one, and no other text opens anything', async () => {
    await using server = await startServer();
    for (const headers of [{}, bearer('wrong-wrong'), bearer(`${RED}x`), { Authorization: RED }])
      expect((await raw(server.url, 'POST', headers, initialize())).status).toBe(401);
    expect(server.apps.size).toBe(0);
    expect((await raw(server.url, 'POST', bearer(RED), initialize())).status).toBe(200);
    expect([...server.apps.keys()]).toEqual(['red']);
  });

  it('opens its own memory, beside the token of the process', async () => {
    await using server = await startServer({ authToken: OWN });
    const remember = (token: string) =>
      raw(server.url, 'POST', bearer(token), stateless('tools/call', { name: 'remember', arguments: { content: `says ${token}` } }));
    for (const token of [RED, BLUE, OWN]) expect((await remember(token)).body.result?.isError).toBeFalsy();
    const said = (app: FakeApp | undefined) => [...(app?.memories.values() ?? [])].map(({ content }) => content);
    expect([said(server.apps.get('red')), said(server.apps.get('blue')), said(server.own)]).toEqual([
      [`says ${RED}`],
      [`says ${BLUE}`],
      [`says ${OWN}`],
    ]);
  });

  it('is no way into a session of another', async () => {
    await using server = await startServer();
    const session = await open(server.url, RED);
    const list = (token: string) => raw(server.url, 'POST', { ...bearer(token), 'Mcp-Session-Id': session }, rpc('tools/list'));
    expect((await list(RED)).status).toBe(200);
    expect((await list(BLUE)).status).toBe(404);
    expect(server.open().sessions).toBe(1);
  });

  it('is asked about its own state', async () => {
    await using server = await startServer();
    await open(server.url, RED);
    await open(server.url, BLUE);
    const blue = server.apps.get('blue');
    if (blue) blue.waitsFor = 'its log';
    const ready = async (token: string) => (await raw(new URL('/readyz', server.url).href, 'GET', bearer(token))).status;
    expect([await ready(RED), await ready(BLUE)]).toEqual([200, 503]);
  });

  it('protects an address that others can reach', async () => {
    await using server = await startServer({ host: '0.0.0.0' });
    expect((await raw(server.url, 'POST', {}, initialize())).status).toBe(401);
  });

  it('stands for one memory only', async () => {
    await expect(startServer({ authToken: RED })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(startServer({ authToken: RED })).rejects.not.toThrow(new RegExp(RED));
  });
});

describe('the whole product with tokens of tenants', () => {
  let instance: RunningInstance & { readonly url: string };
  let dataDir: string;
  const start = async () => startWhole(dataDir, { MCP_AUTH_TOKEN: OWN, MCP_TENANT_TOKENS: `red:${RED},blue:${BLUE}` });
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'omt-tenants-'));
    instance = await start();
  });
  afterAll(async () => {
    await instance?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const call = async (token: string, name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const { body } = await raw(instance.url, 'POST', bearer(token), stateless('tools/call', { name, arguments: args }));
    expect(body.result?.isError, JSON.stringify(body)).toBeFalsy();
    return body.result?.structuredContent as Record<string, unknown>;
  };
  const found = async (token: string): Promise<string[]> =>
    ((await call(token, 'recall', { query: 'heron pond' })).results as { content: string }[]).map(({ content }) => content);

  it('keeps memories, health and figures apart', async () => {
    await call(RED, 'remember', { content: 'A red heron stands by the pond.' });
    await call(RED, 'remember', { content: 'A second heron came to the pond at dusk.' });
    await call(BLUE, 'remember', { content: 'A blue heron stands by the pond.' });
    expect((await found(RED)).sort()).toEqual(['A red heron stands by the pond.', 'A second heron came to the pond at dusk.']);
    expect(await found(BLUE)).toEqual(['A blue heron stands by the pond.']);
    expect(await found(OWN)).toEqual([]);
    const [red, blue] = [await call(RED, 'health'), await call(BLUE, 'health')] as { log: { log_id: string; events: number } }[];
    expect(red?.log.log_id).not.toBe(blue?.log.log_id);
    expect((red?.log.events ?? 0) - (blue?.log.events ?? 0)).toBe(1);
  });

  it('finds them again after a restart', async () => {
    await instance.close();
    instance = await start();
    expect(await found(BLUE)).toEqual(['A blue heron stands by the pond.']);
  });
});
