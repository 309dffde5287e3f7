import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { createFakeApp } from '../../support/fake-app.js';
import { eventually, initialize, openSession, raw, rpc, startTestServer, stateless } from '../../support/mcp.js';

const notReady = () => {
  const app = createFakeApp();
  app.waitsFor = 'the index to be built';
  return app;
};

describe('before the app is ready', () => {
  it('initialize, tools/list, health and version answer at once', async () => {
    await using server = await startTestServer({ app: notReady() });
    expect((await raw(server.url, 'POST', {}, initialize())).status).toBe(200);
    const session = await openSession(server.url);
    const ask = async (body: unknown) => (await raw(server.url, 'POST', { 'Mcp-Session-Id': session }, body)).body.result;
    expect((await ask(rpc('tools/list')))?.tools).toHaveLength(TOOLS.length);
    expect((await ask(rpc('tools/call', { name: 'version' })))?.structuredContent).toEqual({ version: '0.0.0-test' });
    expect((await ask(rpc('tools/call', { name: 'health' })))?.structuredContent).toMatchObject({ status: 'green' });
  });

  it('a connection is kept open for longer than clients and proxies keep theirs', async () => {
    await using server = await startTestServer({});
    const answer = await fetch(new URL('/healthz', server.url));
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    await answer.text();
  });

  it('bad arguments are refused at once', async () => {
    await using server = await startTestServer({ app: notReady() });
    const { body } = await raw(server.url, 'POST', {}, stateless('tools/call', { name: 'recall', arguments: {} }));
    expect(body.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'VALIDATION' } } });
  });

  it('a call waits, says what for, and goes on when it is', async () => {
    const app = notReady();
    await using server = await startTestServer({ app });
    const waiting = raw(
      server.url,
      'POST',
      {},
      stateless('tools/call', { name: 'remember', arguments: { content: 'x' }, _meta: { progressToken: 'p' } }),
    );
    await eventually(() => server.open().calls === 1, server.open);
    expect(app.seen).toEqual([]);
    app.becomeReady();
    const { text } = await waiting;
    expect(text).toContain('"progressToken":"p"');
    expect(text).toContain('waiting for the index to be built');
    expect(text).toContain('stored');
    expect(app.memories.size).toBe(1);
  });

  it('a call that waited too long answers UNAVAILABLE with what it waited for', async () => {
    const app = notReady();
    await using server = await startTestServer({ app, limits: { readyWaitMs: 50 } });
    const session = await openSession(server.url);
    const { body } = await raw(
      server.url,
      'POST',
      { 'Mcp-Session-Id': session },
      rpc('tools/call', { name: 'recall', arguments: { query: 'x' } }),
    );
    expect(body.result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'UNAVAILABLE', message: expect.stringContaining('for the index to be built'), hint: expect.any(String) },
      },
    });
  });
});

describe('closing', () => {
  it('lets a running call finish, refuses new ones, and ends open streams', async () => {
    const server = await startTestServer();
    const session = await openSession(server.url);
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    server.app.during = () => held;
    const headers = { 'Mcp-Session-Id': session };
    const stream = raw(server.url, 'GET', headers);
    const listening = raw(server.url, 'POST', {}, stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    const running = raw(server.url, 'POST', headers, rpc('tools/call', { name: 'remember', arguments: { content: 'last words' } }));
    await eventually(() => server.open().calls === 1, server.open);
    const closed = server.close();
    await expect(
      raw(server.url, 'POST', headers, rpc('ping')).then(
        ({ status }) => status,
        () => 'refused',
      ),
    ).resolves.toSatisfy((seen) => seen === 503 || seen === 'refused');
    finish();
    expect((await running).body.result).toMatchObject({ structuredContent: { status: 'stored' } });
    await closed;
    expect((await stream).status).toBe(200);
    // The stream of the newer revision ends with a result, so that its client does not come back at once.
    expect((await listening).text).toContain('"result"');
    expect(server.open()).toEqual({ sessions: 0, sseSessions: 0, requests: 0, calls: 0 });
  });

  it('does not wait for ever for a call that hangs', async () => {
    const server = await startTestServer({ limits: { drainMs: 100 } });
    let aborted = false;
    server.app.during = (_name, call) =>
      new Promise((_resolve, reject) =>
        call?.signal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('stopped'));
        }),
      );
    const running = raw(server.url, 'POST', {}, stateless('tools/call', { name: 'recall', arguments: { query: 'x' } })).catch(
      () => undefined,
    );
    await eventually(() => server.open().calls === 1, server.open);
    await server.close();
    await running;
    expect(aborted).toBe(true);
  });

  it('follows the signal that it was given', async () => {
    const stopping = new AbortController();
    const { startMcpHttp } = await import('../../../services/mcp/http.js');
    const { capturingLog } = await import('../../support/log.js');
    const config = {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      maxResponseTokens: 20_000,
      toolset: 'full',
    } as const;
    const server = await startMcpHttp({ app: createFakeApp(), log: capturingLog().log, config, signal: stopping.signal });
    stopping.abort();
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
