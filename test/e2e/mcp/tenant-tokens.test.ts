import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listBackups } from '../../../services/backup/cli.js';
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

  it('keeps backups apart: nobody lists, overwrites or restores those of another, or sees where they lie', async () => {
    const refused = async (token: string, name: string, args: Record<string, unknown>): Promise<string> => {
      const { body } = await raw(instance.url, 'POST', bearer(token), stateless('tools/call', { name, arguments: args }));
      expect(body.result?.isError, JSON.stringify(body)).toBe(true);
      const { error } = (body.result?.structuredContent ?? {}) as { error?: { code: string } };
      return error?.code ?? 'no error';
    };
    const names = async (token: string): Promise<string[]> =>
      ((await call(token, 'list_backups')).backups as { filename: string }[]).map(({ filename }) => filename);
    const red = await call(RED, 'dump_to_file', { filename: 'same' });
    const own = await call(OWN, 'dump_to_file', { filename: 'same' });
    expect([red.path, (await call(RED, 'list_backups')).dir]).toEqual(['same', '.']);
    expect(own.path).toBe(join(dataDir, 'backups', 'same'));
    expect([await names(RED), await names(BLUE), await names(OWN)]).toEqual([['same'], [], ['same']]);

    // What somebody put into the wrong folder, or made a way to.
    const folder = join(dataDir, 'backups', '@blue');
    cpSync(join(dataDir, 'backups', '@red', 'same'), join(folder, 'copied'), { recursive: true });
    symlinkSync(join(dataDir, 'backups', '@red', 'same'), join(folder, 'linked'));
    cpSync(join(dataDir, 'backups', '@red', 'same'), join(dataDir, 'backups', 'copied'), { recursive: true });
    expect([await names(BLUE), await names(OWN)]).toEqual([[], ['same']]);
    for (const filename of ['same', 'copied', 'linked', '@red', '../@red/same', join(dataDir, 'backups', 'same')])
      for (const dry_run of [true, false])
        expect(await refused(BLUE, 'restore_from_file', { filename, dry_run }), filename).toMatch(/^(NOT_FOUND|VALIDATION)$/);
    for (const filename of ['copied', '@red', '@red/same'])
      expect(await refused(OWN, 'restore_from_file', { filename }), filename).toMatch(/^(NOT_FOUND|VALIDATION)$/);
    expect(await refused(OWN, 'dump_to_file', { filename: 'copied' })).toBe('CONFLICT');
    expect(await call(RED, 'restore_from_file', { filename: 'same' })).toMatchObject({ would: 'unchanged' });
    for (const token of [RED, BLUE])
      for (const tool of ['health', 'list_backups']) expect(JSON.stringify(await call(token, tool))).not.toContain(dataDir);
    expect((await call(OWN, 'health')).data_dir).toBe(dataDir);
  });

  it('may have a link of its own refused, and its sets found by the operator', async () => {
    const folder = join(dataDir, 'backups', '@red');
    symlinkSync(join(folder, 'same'), join(folder, 'alias'));
    expect(((await call(RED, 'list_backups')).backups as unknown[]).length).toBe(1);
    const listed = (await listBackups(join(dataDir, 'backups'))).backups.map(({ filename }) => filename);
    expect(listed).toEqual(expect.arrayContaining(['same', '@red/same']));
    rmSync(join(folder, 'alias'));
  });

  it('finds them again after a restart', async () => {
    await instance.close();
    instance = await start();
    expect(await found(BLUE)).toEqual(['A blue heron stands by the pond.']);
  });
});
