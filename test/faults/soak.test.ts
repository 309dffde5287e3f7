import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { expect, it } from 'vitest';
import { endOrphan } from '../../services/valkey/child.js';
import { connectTools } from '../e2e/app/client.js';
import { initialize, openSession, raw, rpc } from '../support/mcp.js';
import { startServerProcess, stopServerProcess } from './server.js';
import { lookAt, verifyStore } from './store.js';

const ROUNDS = process.env.SOAK ? 40 : 6;
const LINUX = process.platform === 'linux';

/** Sends a whole request and goes away before the answer. */
const vanish = (url: string, session: string, body: unknown): Promise<void> =>
  new Promise((resolve) => {
    const { port, hostname } = new URL(url);
    const text = JSON.stringify(body);
    const socket = createConnection(Number(port), hostname, () => {
      const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: ${session}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
      socket.write(head + text, () => {
        socket.destroy();
        resolve();
      });
    });
    socket.on('error', () => resolve());
  });

it.skipIf(!LINUX)(
  `sessions that are opened and dropped and clients that vanish leave nothing behind (${ROUNDS} rounds)`,
  { timeout: 400_000 },
  async () => {
    const dataDir = mkdtempSync('/tmp/omt-');
    const server = await startServerProcess(dataDir);
    try {
      const pid = server.process.pid ?? 0;
      const store = await lookAt(dataDir);
      await store.redis.config('SET', 'slowlog-log-slower-than', '-1');
      const footprint = async () => {
        server.process.kill('SIGUSR2');
        const { rss } = (await server.next()) as { rss: number };
        const clients = String(await store.redis.client('LIST'))
          .trim()
          .split('\n').length;
        return {
          rss,
          handles: readdirSync(`/proc/${pid}/fd`).length,
          children: execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
            .trim()
            .split('\n').length,
          clients,
        };
      };
      const round = async (n: number): Promise<void> => {
        await Promise.all(
          Array.from({ length: 20 }, async (_, c) => {
            const session = await openSession(server.url);
            const call = rpc('tools/call', {
              name: 'remember',
              arguments: { content: `Soak ${n} by ${c}: the net was mended.`, force: true },
            });
            if (c % 4 === 0) return vanish(server.url, session, call);
            if (c % 4 === 1)
              return vanish(server.url, session, rpc('tools/call', { name: 'recall', arguments: { query: 'who mended the net' } }));
            await raw(server.url, 'POST', { 'Mcp-Session-Id': session }, call);
            if (c % 4 === 2) await raw(server.url, 'DELETE', { 'Mcp-Session-Id': session });
            // The rest just goes.
            await raw(server.url, 'POST', {}, initialize());
          }),
        );
      };
      await round(-1);
      await using tools = await connectTools(server.url);
      await tools.call('memory_audit');
      const before = await footprint();
      for (let n = 0; n < ROUNDS; n++) await round(n);
      await expect
        .poll(async () => (await footprint()).handles, { timeout: 60_000, interval: 500 })
        .toBeLessThanOrEqual(before.handles + 10);
      const after = await footprint();
      expect(after.children).toBe(before.children);
      expect(after.clients).toBeLessThanOrEqual(before.clients + 1);
      expect(after.rss - before.rss).toBeLessThan(120 * 2 ** 20);
      // Who vanished had written all the same: a session lets its calls finish.
      const expected = (ROUNDS + 1) * 15;
      await expect.poll(async () => (await tools.call('memory_audit')).total, { timeout: 30_000 }).toBe(expected);
      const { issues } = (await tools.call('health')) as { issues: { severity: string }[] };
      expect(issues.filter(({ severity }) => severity === 'red')).toEqual([]);
      await verifyStore(store);
      store.close();
      await tools.close();
      await stopServerProcess(server);
      expect(readdirSync(dataDir)).not.toContain('instance.json');
    } finally {
      await server.kill();
      await endOrphan(`${dataDir}/valkey`);
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
