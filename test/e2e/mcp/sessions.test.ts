import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createFakeApp } from '../../support/fake-app.js';
import { CLIENT, eventually, initialize, openSession, raw, rpc, startTestServer } from '../../support/mcp.js';

const ID = 'Mcp-Session-Id';

describe('a session id that the server does not know', () => {
  it('gets 404 on every method, with the id of its request', async () => {
    await using server = await startTestServer();
    const dead = { [ID]: '00000000-0000-4000-8000-000000000000' };
    const call = rpc('tools/list');
    const answers = await Promise.all([
      raw(server.url, 'POST', dead, call),
      raw(server.url, 'POST', dead, { jsonrpc: '2.0', method: 'notifications/initialized' }),
      raw(server.url, 'GET', dead),
      raw(server.url, 'DELETE', dead),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    for (const { body } of answers) expect(body.error).toMatchObject({ code: -32001, message: expect.stringContaining('initialize') });
    expect(answers[0]?.body.id).toBe(call.id);
  });

  it('does not keep initialize from opening a new session', async () => {
    await using server = await startTestServer();
    const { status, headers } = await raw(server.url, 'POST', { [ID]: 'long-gone' }, initialize());
    expect(status).toBe(200);
    expect(headers.get(ID)).not.toBe('long-gone');
  });

  it('missing is 400, and a GET for a stream without one is 405', async () => {
    await using server = await startTestServer();
    expect((await raw(server.url, 'POST', { 'MCP-Protocol-Version': '2025-11-25' }, rpc('tools/list'))).status).toBe(400);
    expect((await raw(server.url, 'DELETE')).status).toBe(400);
    expect((await raw(server.url, 'GET')).status).toBe(405);
  });

  it('lets a client that initialises again on 404 go on over a restart, without a lost write (S08)', async () => {
    const app = createFakeApp();
    const first = await startTestServer({ app });
    const client = await reconnecting(first.url);
    await client.remember('before the restart');
    const { port } = first;
    await first.close();
    await using second = await startTestServer({ app, config: { port } });
    await client.remember('after the restart');
    expect([...app.memories.values()].map(({ content }) => content)).toEqual(['before the restart', 'after the restart']);
    expect(second.open().sessions).toBe(1);
    await client.close();
  });
});

/** The library's client, wrapped in "on 404 initialise again". */
const reconnecting = async (url: string) => {
  const connect = async (): Promise<Client> => {
    const client = new Client(CLIENT);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  };
  let client = await connect();
  return {
    remember: async (content: string): Promise<void> => {
      const call = () => client.callTool({ name: 'remember', arguments: { content, command_id: commandId } });
      const commandId = ulid();
      for (let left = 3; ; left--) {
        try {
          return void (await call());
        } catch (error) {
          const gone = error instanceof StreamableHTTPError && error.code === 404;
          const broken = error instanceof TypeError; // a pooled connection of the old server
          if (left === 0 || !(gone || broken)) throw error;
          if (gone) client = await connect();
        }
      }
    },
    close: () => client.close(),
  };
};

describe('the life of a session', () => {
  it('ends with DELETE', async () => {
    await using server = await startTestServer();
    const session = await openSession(server.url);
    expect(server.open().sessions).toBe(1);
    expect((await raw(server.url, 'DELETE', { [ID]: session })).status).toBe(200);
    expect(server.open().sessions).toBe(0);
    expect((await raw(server.url, 'POST', { [ID]: session }, rpc('ping'))).status).toBe(404);
  });

  it('ends when nobody used it for long', async () => {
    await using server = await startTestServer({ limits: { sessionIdleMs: 100 } });
    const session = await openSession(server.url);
    await eventually(() => server.open().sessions === 0, server.open);
    expect((await raw(server.url, 'POST', { [ID]: session }, rpc('ping'))).status).toBe(404);
  });

  it('goes on while its stream is open, and gives way afterwards', async () => {
    await using server = await startTestServer({ limits: { sessionIdleMs: 1_500, keepAliveMs: 20 } });
    const session = await openSession(server.url);
    const leaving = new AbortController();
    const stream = await fetch(server.url, { headers: { [ID]: session, Accept: 'text/event-stream' }, signal: leaving.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const reader = stream.body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(server.open().sessions).toBe(1);
    leaving.abort();
    await eventually(() => server.open().sessions === 0, server.open);
  });

  it('can have its stream opened again as soon as the client has left it', async () => {
    await using server = await startTestServer();
    const headers = { [ID]: await openSession(server.url), Accept: 'text/event-stream' };
    const leaving = new AbortController();
    expect((await fetch(server.url, { headers, signal: leaving.signal })).status).toBe(200);
    expect((await fetch(server.url, { headers })).status).toBe(409);
    leaving.abort();
    const again = async (): Promise<number> => {
      const { status, body } = await fetch(server.url, { headers });
      await body?.cancel();
      return status;
    };
    let status = 409;
    for (let tries = 0; status === 409 && tries < 50; tries++) status = await again();
    expect(status).toBe(200);
  });

  it('gives way to a new one when the table is full: the one idle for longest goes', async () => {
    await using server = await startTestServer({ limits: { maxSessions: 2 } });
    const oldest = await openSession(server.url);
    const middle = await openSession(server.url);
    await raw(server.url, 'POST', { [ID]: oldest }, rpc('ping'));
    const newest = await openSession(server.url);
    const statuses = await Promise.all(
      [oldest, middle, newest].map(async (id) => (await raw(server.url, 'POST', { [ID]: id }, rpc('ping'))).status),
    );
    expect(statuses).toEqual([200, 404, 200]);
    expect(server.open().sessions).toBe(2);
  });

  it('is not opened by an initialize without a version', async () => {
    await using server = await startTestServer();
    const { status, body } = await raw(server.url, 'POST', {}, rpc('initialize', {}));
    expect(status).toBe(400);
    expect(body.error).toBeDefined();
    expect(server.open().sessions).toBe(0);
  });

  it('runs eight calls side by side', async () => {
    await using server = await startTestServer();
    const session = await openSession(server.url);
    let running = 0;
    let most = 0;
    server.app.during = async () => {
      most = Math.max(most, ++running);
      await eventually(
        () => most === 8,
        () => most,
      );
      running--;
    };
    const calls = Array.from({ length: 8 }, (_, n) => rpc('tools/call', { name: 'remember', arguments: { content: `fact ${n}` } }));
    const answers = await Promise.all(calls.map((call) => raw(server.url, 'POST', { [ID]: session }, call)));
    expect(answers.map(({ body }) => body.id)).toEqual(calls.map(({ id }) => id));
    expect(server.app.memories.size).toBe(8);
  });
});
