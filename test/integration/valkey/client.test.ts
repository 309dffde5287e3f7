import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { addressOf } from '../../../services/valkey/address.js';
import { connect, describeTarget, reconnectDelay } from '../../../services/valkey/client.js';
import { fromValkey, isOutcomeUnknown, unavailableWhenDown } from '../../../services/valkey/errors.js';
import { isRunning, startValkey, type TestValkey, WATCHDOG } from '../../support/valkey.js';

const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an address', () => {
  it.each([
    ['redis://h', { host: 'h', port: 6379 }],
    ['valkey://u:p%40ss@h:7/3', { host: 'h', port: 7, username: 'u', password: 'p@ss', db: 3 }],
    ['rediss://h', { host: 'h', port: 6379, tls: { servername: 'h' } }],
    ['valkeys://[::1]:1', { host: '::1', port: 1, tls: {} }],
    ['rediss://10.0.0.7', { host: '10.0.0.7', port: 6379, tls: {} }],
    ['unix:///a%20b/s', { path: '/a b/s' }],
    ['unix:///ä b/s', { path: '/ä b/s' }],
  ])('%s is read', (url, options) => expect(addressOf(url)).toEqual(options));
  it.each(['', 'h:6379', 'http://h', 'redis://', 'unix://', 'redis://h/x'])('%j is refused', (url) =>
    expect(() => addressOf(url)).toThrowError(/VALKEY_URL/),
  );
  it('is shown without its password', () => expect(describeTarget('redis://u:secret@h')).toBe('redis://u:***@h'));
  it('is tried again ever later, up to a second', () => expect([1, 2, 5, 50].map(reconnectDelay)).toEqual([20, 40, 320, 1000]));
});

describe('a connection', () => {
  let server: TestValkey;
  beforeAll(async () => {
    server = await startValkey({ aof: 'always' });
  });
  afterAll(() => server.stop());

  it('never sends a write twice when it breaks with the write in flight', async () => {
    const append = server.client('append');
    await append.ping();
    server.pause();
    const sent = failure(append.xadd('once', '*', 'a', '1'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    append.stream.destroy();
    const error = await sent;
    server.resume();
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(isDomainError(fromValkey(error), 'UNAVAILABLE')).toBe(true);
    await append.ping();
    expect(await append.xlen('once')).toBeLessThanOrEqual(1);
  });

  it('fails with UNAVAILABLE in time when the server is paused, and recovers', async () => {
    const client = server.client('general', { commandTimeoutMs: 200 });
    await client.set('k', 'v');
    server.pause();
    const error = await failure(unavailableWhenDown(() => client.get('k')));
    server.resume();
    expect(isDomainError(error, 'UNAVAILABLE')).toBe(true);
    expect(await client.get('k')).toBe('v');
  });

  it('waits out a restart, and the data is there', async () => {
    const client = server.client();
    await client.set('kept', 'yes');
    await server.kill();
    const read = client.get('kept');
    await server.restart();
    expect(await read).toBe('yes');
  });

  it('reports a missing server as UNAVAILABLE and tells the listener', async () => {
    const heard: Error[] = [];
    const client = connect({ path: '/tmp/omt-nobody' }, 'append', { onError: (error) => heard.push(error) });
    const error = fromValkey(await failure(client.ping()));
    client.disconnect();
    expect(isDomainError(error, 'UNAVAILABLE')).toBe(true);
    expect(heard.length).toBeGreaterThan(0);
  });

  it('leaves an error of the call itself alone', async () => {
    const client = server.client();
    await client.set('text', 'x');
    const error = await failure(unavailableWhenDown(() => client.incr('text')));
    expect(isDomainError(error)).toBe(false);
    expect(String(error)).toContain('not an integer');
  });
});

describe('a server at maxmemory', () => {
  it('refuses writes with UNAVAILABLE, answers reads and forgets', async () => {
    await using server = await startValkey({ config: { maxmemory: '3mb', 'maxmemory-policy': 'noeviction' } });
    const client = server.client();
    await client.set('first', 'kept');
    const fill = async (): Promise<void> => {
      for (let n = 0; n < 200; n++) await client.set(`k${n}`, 'x'.repeat(100_000));
    };
    const error = await failure(unavailableWhenDown(fill));
    expect(isDomainError(error, 'UNAVAILABLE') && error.hint).toContain('forget');
    expect(isOutcomeUnknown(error)).toBe(false);
    const scripted = await failure(
      unavailableWhenDown(() => client.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, 'x', 'x'.repeat(100_000))),
    );
    expect(isDomainError(scripted, 'UNAVAILABLE')).toBe(true);
    expect(await client.get('first')).toBe('kept');
    expect(await client.del('first')).toBe(1);
  });
});

describe('a test server', () => {
  it('does not outlive a test process that is killed', async () => {
    const home = mkdtempSync('/tmp/omt-');
    const code = `const { spawn } = require('node:child_process');
      const server = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
      require('node:fs').writeFileSync(process.argv[1] + '/pid', String(server.pid));
      spawn('sh', ['-c', process.argv[2], 'guard', process.argv[1]], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
      console.log(server.pid); setInterval(() => {}, 1e6);`;
    const runner = spawn(process.execPath, ['-e', code, home, WATCHDOG], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(runner.stdout, 'data');
    const sleeper = Number(String(line));
    expect(isRunning(sleeper)).toBe(true);
    runner.kill('SIGKILL');
    await vi.waitFor(() => expect([isRunning(sleeper), existsSync(home)]).toEqual([false, false]), { timeout: 10_000, interval: 50 });
  });
});
