import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { bytes, eventually, initialize, openSession, raw, rpc, startTestServer, stateless, type TestServer } from '../../support/mcp.js';

/** Protocol servers alive in this process, after a garbage collection. */
const servers = (): number => queryObjects(Server, { format: 'count' });
const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => /TCPSocketWrap/.test(kind)).length;

const head = (length: number, more = ''): string =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${more}Content-Length: ${length}\r\n\r\n`;

/** Sends a call over a connection of its own and cuts it at the first sign that the call runs. */
const vanishDuring = async (server: TestServer, call: Record<string, unknown>, more = ''): Promise<void> => {
  const text = JSON.stringify(call);
  await bytes(server.port, `${head(Buffer.byteLength(text), more)}${text}`, /hello/);
};

describe('nothing is left of clients that are gone', () => {
  it('neither sessions nor protocol servers nor connections', async () => {
    await using server = await startTestServer({ limits: { sessionIdleMs: 2_000, keepAliveMs: 20 } });
    const before = { servers: servers(), sockets: sockets() };

    const ended: string[] = [];
    for (let n = 0; n < 60; n++) {
      ended.push(await openSession(server.url)); // half of them end it, the others just go
      if (n % 2 === 0) await raw(server.url, 'DELETE', { 'Mcp-Session-Id': ended[n] ?? '' });
      await raw(server.url, 'POST', {}, stateless('tools/list'));
      await raw(server.url, 'POST', {}, stateless('server/discover'));
      await raw(server.url, 'POST', {}, rpc('initialize', {})); // refused
    }
    await openSession(server.url);
    expect(servers()).toBeGreaterThan(before.servers); // so the count does count
    for (let n = 0; n < 20; n++)
      await bytes(server.port, 'GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n', /event: endpoint/);
    for (let n = 0; n < 20; n++) {
      const listen = JSON.stringify(stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }));
      await bytes(server.port, `${head(Buffer.byteLength(listen))}${listen}`, /acknowledged/);
    }

    await eventually(() => Object.values(server.open()).every((count) => count === 0), server.open);
    await eventually(() => sockets() <= before.sockets + 1, sockets);
    await eventually(() => servers() <= before.servers, servers);
  });

  it('when they vanish in the middle of a call: the newer revision cancels it, a session lets it finish', async () => {
    await using server = await startTestServer({ limits: { sessionIdleMs: 2_000, keepAliveMs: 20 } });
    const before = servers();
    const release: (() => void)[] = [];
    let cancelled = 0;
    server.app.during = (_name, call) =>
      new Promise((resolve, reject) => {
        call?.progress?.('hello');
        release.push(resolve);
        call?.signal?.addEventListener('abort', () => {
          cancelled++;
          reject(new Error('cancelled'));
        });
      });
    const remember = (n: number) => ({ name: 'remember', arguments: { content: `fact ${n}` }, _meta: { progressToken: n } });

    for (let n = 0; n < 10; n++) await vanishDuring(server, stateless('tools/call', remember(n)));
    await eventually(
      () => cancelled === 10,
      () => cancelled,
    );
    expect(server.app.memories.size).toBe(0);

    for (let n = 0; n < 10; n++) {
      const session = await openSession(server.url);
      await vanishDuring(server, rpc('tools/call', remember(n)), `Mcp-Session-Id: ${session}\r\n`);
    }
    // Their calls run on, and so do the sessions, however long it takes.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(server.open()).toMatchObject({ calls: 10, sessions: 10 });
    for (const go of release) go();
    await eventually(
      () => server.app.memories.size === 10,
      () => server.app.memories.size,
    );
    expect(cancelled).toBe(10);

    await eventually(() => Object.values(server.open()).every((count) => count === 0), server.open);
    server.app.seen.length = 0; // the test's own hold on what the calls were given
    release.length = 0;
    await eventually(
      () => servers() <= before,
      () => ({ before, now: servers() }),
      20_000,
    );
  });

  it('and a refused initialize opens nothing', async () => {
    await using server = await startTestServer({ limits: { maxSessions: 1 } });
    const session = await openSession(server.url);
    const stream = await fetch(server.url, { headers: { 'Mcp-Session-Id': session, Accept: 'text/event-stream' } });
    const before = servers();
    // Counting can take so long that connections lapse meanwhile: the client learns of it before it uses one.
    await sleep(50);
    for (let n = 0; n < 5; n++) expect((await raw(server.url, 'POST', {}, initialize())).status).toBe(503);
    expect(server.open().sessions).toBe(1);
    await eventually(
      () => servers() <= before,
      () => ({ before, now: servers() }),
    );
    await stream.body?.cancel();
  });
});
