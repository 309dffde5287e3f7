import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFakeApp } from '../../support/fake-app.js';
import { bytes, initialize, raw, rpc, startTestServer, type TestServer } from '../../support/mcp.js';

const TOKEN = 'a-long-and-random-token';

/** A POST of initialize with headers that fetch does not let one set, such as Host. */
const post = (
  { port }: TestServer,
  headers: Record<string, string>,
  path = '/mcp',
  method = 'POST',
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        let text = '';
        response
          .on('data', (chunk) => (text += chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on('error', reject).end(method === 'POST' ? JSON.stringify(initialize()) : undefined);
  });

describe('who may come in', () => {
  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:9', 200],
    ['localhost:1234', 200],
    ['LOCALHOST', 200],
    ['[::1]:80', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.', 421],
    ['localhost@evil.example', 421],
    ['memory.example.com', 200],
    ['memory.example.com:8443', 200],
    ['ported.example.com:8443', 200],
    ['ported.example.com', 421],
    ['public.example.com', 200],
  ])('Host %s gets %i', async (host, status) => {
    await using server = await startTestServer({
      config: { allowedHosts: ['memory.example.com', 'ported.example.com:8443'], publicUrl: 'https://public.example.com/mcp' },
    });
    const answer = await post(server, { Host: host });
    expect(answer.status).toBe(status);
    if (status === 421)
      expect(JSON.parse(answer.text)).toMatchObject({ status: 421, detail: expect.stringContaining('MCP_ALLOWED_HOSTS') });
  });

  it.each([
    ['http://localhost:6274', 200],
    ['http://127.0.0.1', 200],
    ['https://public.example.com', 200],
    ['https://pages.example.com', 200],
    ['http://pages.example.com', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['null', 403],
    ['file://', 403],
  ])('Origin %s gets %i', async (origin, status) => {
    await using server = await startTestServer({
      config: { allowedOrigins: ['https://pages.example.com/'], publicUrl: 'https://public.example.com/mcp' },
    });
    const answer = await post(server, { Origin: origin });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(status === 200 ? origin : undefined);
  });

  it('a page of an allowed origin may ask first, without the token', async () => {
    await using server = await startTestServer({ config: { authToken: TOKEN } });
    const answer = await post(server, { Origin: 'http://localhost:6274', 'Access-Control-Request-Method': 'POST' }, '/mcp', 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toContain('Mcp-Session-Id');
    expect((await post(server, { Origin: 'https://evil.example' }, '/mcp', 'OPTIONS')).status).toBe(403);
  });

  it.each([
    [undefined, 401],
    ['Bearer wrong', 401],
    [`Bearer ${TOKEN}x`, 401],
    [TOKEN, 401],
    [`Basic ${TOKEN}`, 401],
    [`Bearer ${TOKEN}`, 200],
    [`bearer ${TOKEN}`, 200],
  ])('Authorization %s gets %i', async (authorization, status) => {
    await using server = await startTestServer({ config: { authToken: TOKEN } });
    const answer = await post(server, authorization === undefined ? {} : { Authorization: authorization });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="omnimem"/);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.text).not.toContain(TOKEN);
    }
    expect(server.logged()).not.toContain(TOKEN);
  });

  it('the token guards everything but /healthz', async () => {
    await using server = await startTestServer({ config: { authToken: TOKEN } });
    const at = (path: string) => new URL(path, server.url).href;
    const statuses = await Promise.all(
      ['/readyz', '/metrics', '/sse', '/mcp', '/healthz'].map(async (path) => (await raw(at(path), 'GET')).status),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 200]);
    expect((await raw(at('/messages?sessionId=x'), 'POST', {}, rpc('ping'))).status).toBe(401);
    const metrics = await raw(at('/metrics'), 'GET', { Authorization: `Bearer ${TOKEN}` });
    expect(metrics.text).toContain('omnimem_tool_calls_total');
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'memory.internal'])('does not start open on %s without a token', async (host) => {
    await expect(startTestServer({ config: { host } })).rejects.toMatchObject({
      code: 'VALIDATION',
      hint: expect.stringContaining('MCP_AUTH_TOKEN'),
    });
  });

  it('starts on every interface with a token', async () => {
    await using server = await startTestServer({ config: { host: '0.0.0.0', authToken: TOKEN } });
    expect((await raw(server.url, 'POST', { Authorization: `Bearer ${TOKEN}` }, initialize())).status).toBe(200);
  });

  it('says which port is taken', async () => {
    await using first = await startTestServer();
    await expect(startTestServer({ config: { port: first.port } })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(String(first.port)),
      hint: expect.stringContaining('MCP_PORT'),
    });
  });
});

describe('states for machines', () => {
  it('/readyz says 503 with the reason until the app is ready', async () => {
    const app = createFakeApp();
    app.waitsFor = 'the log to be replayed';
    await using server = await startTestServer({ app });
    const url = new URL('/readyz', server.url).href;
    const waiting = await raw(url, 'GET');
    expect(waiting.status).toBe(503);
    expect(JSON.parse(waiting.text).detail).toContain('not ready');
    expect((await raw(new URL('/healthz', server.url).href, 'GET')).status).toBe(200);
    app.becomeReady();
    expect((await raw(url, 'GET')).status).toBe(200);
  });

  it('HEAD is enough for a health check', async () => {
    await using server = await startTestServer();
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await raw(new URL(path, server.url).href, 'HEAD')).status, path).toBe(200);
  });

  it('unknown paths are 404 and unknown methods 405 that name what is there', async () => {
    await using server = await startTestServer();
    const lost = await raw(new URL('/.well-known/oauth-protected-resource/mcp', server.url).href, 'GET');
    expect(lost.status).toBe(404);
    expect(lost.headers.get('content-type')).toBe('application/problem+json');
    const put = await raw(server.url, 'PUT', {}, '{}');
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
  });
});

describe('bodies', () => {
  it.each([
    ['not JSON', '{"jsonrpc": "2.0", ', 400, -32700],
    ['nothing', '', 400, -32700],
    ['JSON that is no JSON-RPC', '{"hello": 1}', 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['a number', '7', 400, -32600],
  ])('%s', async (_name, text, status, code) => {
    await using server = await startTestServer();
    const answer = await raw(server.url, 'POST', {}, text);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  it('bytes that are no UTF-8', async () => {
    await using server = await startTestServer();
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]);
    const response = await fetch(server.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([400, -32700]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('the wrong type %s', async (type) => {
    await using server = await startTestServer();
    expect((await raw(server.url, 'POST', { 'Content-Type': type }, initialize())).status).toBe(415);
  });

  it.each(['announced', 'chunked'])('10 MB, %s: a clear 413, and the connection can be used again', async (kind) => {
    await using server = await startTestServer();
    const big = JSON.stringify(rpc('tools/call', { name: 'remember', arguments: { content: 'x'.repeat(10 * 1024 * 1024) } }));
    const head =
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';
    const first =
      kind === 'announced'
        ? `${head}Content-Length: ${big.length}\r\n\r\n${big}`
        : `${head}Transfer-Encoding: chunked\r\n\r\n${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`;
    const second = JSON.stringify(initialize());
    const heard = await bytes(server.port, `${first}${head}Content-Length: ${second.length}\r\n\r\n${second}`, /protocolVersion/);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(heard).toContain('50,000 characters');
    expect(heard).toContain('HTTP/1.1 200 OK');
    expect(server.app.memories.size).toBe(0);
  });

  it.each([
    ['head', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    ['body', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"'],
  ])('a %s that never arrives in full ends the connection', async (_name, text) => {
    await using server = await startTestServer({ limits: { requestArrivalMs: 100 } });
    expect(await bytes(server.port, text)).toMatch(/^HTTP\/1\.1 408 /);
  });
});
