import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { connect } from '../../../services/valkey/client.js';
import { fromValkey } from '../../../services/valkey/errors.js';
import { containerCommand } from '../../../services/valkey/install/install.js';
import { type Supervisor, type SupervisorOptions, startSupervisor } from '../../../services/valkey/supervisor.js';
import { capturingLog } from '../../support/log.js';
import { runTypeScript } from '../../support/run-ts.js';
import { isRunning, TIED_VALKEY } from '../../support/valkey.js';

let base: string;
let supervisors: Supervisor[] = [];
let clients: Redis[] = [];

const start = async (options: Partial<SupervisorOptions> = {}): Promise<Supervisor> => {
  const supervisor = await startSupervisor({
    dataDir: join(base, 'data'),
    log: capturingLog().log,
    minFreeBytes: 0,
    reserveBytes: 2 ** 16,
    watchMs: 50,
    command: TIED_VALKEY,
    ...options,
  });
  supervisors.push(supervisor);
  return supervisor;
};
const clientOf = (supervisor: Supervisor, timeoutMs = 5_000): Redis => {
  const client = connect(supervisor.target, 'general', { commandTimeoutMs: timeoutMs });
  clients.push(client);
  return client;
};

const PARENT = `import { connect } from './services/valkey/client.ts';
import { createLogger } from './services/log.ts';
import { startSupervisor } from './services/valkey/supervisor.ts';
const supervisor = await startSupervisor({ dataDir: process.argv[2], log: createLogger({ level: 'silent' }), minFreeBytes: 0, reserveBytes: 0 });
await connect(supervisor.target, 'general').set('kept', 'yes');
console.log(supervisor.status().pid);
setInterval(() => {}, 1e6);`;

beforeEach(() => {
  base = mkdtempSync('/tmp/oms-');
});
afterEach(async () => {
  for (const client of clients) client.disconnect();
  for (const supervisor of supervisors) await supervisor.stop();
  supervisors = [];
  clients = [];
  rmSync(base, { recursive: true, force: true });
});

describe('the managed Valkey', () => {
  it('is durable, private and without a port', async () => {
    const client = clientOf(await start());
    const setting = async (name: string): Promise<unknown> => ((await client.config('GET', name)) as string[])[1];
    expect(
      await Promise.all(
        ['port', 'appendonly', 'appendfsync', 'save', 'rdbcompression', 'slowlog-log-slower-than', 'maxmemory-policy'].map(setting),
      ),
    ).toEqual(['0', 'yes', 'always', '', 'no', '-1', 'noeviction']);
    await vi.waitFor(async () => expect(await setting('hide-user-data-from-log')).toBe('yes'), 20_000);
  });

  it('is started again after kill -9, with the data there and the failure visible', async () => {
    const supervisor = await start();
    const client = clientOf(supervisor);
    await client.set('kept', 'yes');
    const first = supervisor.status().pid ?? -1;
    process.kill(first, 'SIGKILL');
    await vi.waitFor(() => expect(supervisor.status()).toMatchObject({ state: 'running', restarts: 1 }), { timeout: 10_000 });
    expect(await client.get('kept')).toBe('yes');
    expect(supervisor.status().pid).not.toBe(first);
    expect(supervisor.status().lastExit?.reason).toContain('SIGKILL');
  });

  it('shows that a stopped server does not answer, calls fail with UNAVAILABLE, and it recovers', async () => {
    const supervisor = await start();
    const client = clientOf(supervisor, 200);
    await client.set('kept', 'yes');
    const pid = supervisor.status().pid ?? -1;
    process.kill(pid, 'SIGSTOP');
    const error = await client.get('kept').catch(fromValkey);
    await vi.waitFor(() => expect(supervisor.status().answering).toBe(false), { timeout: 10_000 });
    process.kill(pid, 'SIGCONT');
    await vi.waitFor(() => expect(supervisor.status().answering).toBe(true), { timeout: 10_000 });
    expect(isDomainError(error, 'UNAVAILABLE')).toBe(true);
    expect(await client.get('kept')).toBe('yes');
    expect(supervisor.status().restarts).toBe(0);
  });

  it('ends with its supervisor, also while it is stopped, and leaves no socket', async () => {
    const supervisor = await start();
    const pid = supervisor.status().pid ?? -1;
    process.kill(pid, 'SIGSTOP');
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(isRunning(pid)).toBe(false);
    expect(supervisor.status().state).toBe('stopped');
    expect(readdirSync(join(base, 'data/valkey')).filter((name) => name.includes('sock'))).toEqual([]);
  });

  it.each([
    ['blanks and umlauts', 'mein ordner/größe "x" 日本'],
    ['a name longer than a socket may have', `${'lang/'.repeat(30)}ende`],
  ])('works in a path with %s', async (_, path) => {
    const dataDir = join(base, path);
    const first = await start({ dataDir });
    await clientOf(first).set('kept', 'ja');
    await first.stop();
    expect(Buffer.byteLength(first.target.path)).toBeLessThan(104);
    expect(await clientOf(await start({ dataDir })).get('kept')).toBe('ja');
  });

  it.each(['SIGCONT', 'SIGSTOP'] as const)('ends the orphan of a killed parent before it starts (after %s to it)', async (signal) => {
    const parent = await runTypeScript(PARENT, [join(base, 'data')]);
    const orphan = Number(await parent.next());
    await parent.kill();
    expect(isRunning(orphan)).toBe(true);
    process.kill(orphan, signal);
    const next = await start();
    expect(isRunning(orphan)).toBe(false);
    expect(await clientOf(next).get('kept')).toBe('yes');
  });

  it('takes no other process for an orphan when the number was given again', async () => {
    mkdirSync(join(base, 'data/valkey'), { recursive: true });
    writeFileSync(
      join(base, 'data/valkey/child.json'),
      JSON.stringify({ pid: process.pid, identity: 'earlier', socket: join(base, 'none') }),
    );
    expect((await start()).status().state).toBe('running');
  });

  it('gives a start up that was called off, however long the server takes', async () => {
    const calledOff = new AbortController();
    const starting = start({ command: ['sh', '-c', 'exec sleep 600'], signal: calledOff.signal });
    setTimeout(() => calledOff.abort(), 100);
    await expect(starting).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('Stopped') });
    await expect(start({ signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('says that it is not installed', async () => {
    const error = await start({ command: ['valkey-server-that-is-not-there'] }).catch((failure: unknown) => failure);
    expect(isDomainError(error, 'UNAVAILABLE') && error.message).toContain('not found');
  });

  it('runs in a container the same way, and removes one that was left', async () => {
    // An engine that notes what it is asked and then does what a real one would: runs the command behind the image's name.
    const engine = join(base, 'engine');
    writeFileSync(
      engine,
      `#!/bin/sh\necho "$@" >>"${base}/asked"\nwhile [ "$1" != an-image ]; do [ $# -gt 0 ] || exit 0; shift; done; shift; exec "$@"\n`,
      { mode: 0o755 },
    );
    const dataDir = join(base, 'data');
    const supervisor = await start({ dataDir, command: containerCommand(engine, 'an-image', dataDir) });
    await clientOf(supervisor).set('kept', 'yes');
    await supervisor.stop();
    const [removed = '', started = ''] = readFileSync(join(base, 'asked'), 'utf8').split('\n');
    expect(removed).toMatch(/^rm -f omnimem-valkey-[0-9a-f]{12}$/);
    expect(started).toContain(
      `run --name ${removed.slice(6)} --rm --network none --user ${process.getuid?.()}:${process.getgid?.()} -v ${dataDir}:${dataDir} an-image valkey-server --port 0`,
    );
  });

  it.each([
    ['newer', 'VALKEY080'],
    ['newer', 'REDIS0099'],
    ['damaged', 'nonsense!'],
  ])('says that the data is %s when its file begins with %s, and leaves it alone', async (word, header) => {
    const dir = join(base, 'data/valkey/appendonlydir');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'appendonly.aof.manifest'), 'file appendonly.aof.1.base.rdb seq 1 type b\n');
    writeFileSync(join(dir, 'appendonly.aof.1.base.rdb'), `${header} and the rest of the file`);
    const error = await start().catch((failure: unknown) => failure);
    expect(isDomainError(error, 'UNAVAILABLE') && error.message).toContain(word);
    expect(readdirSync(dir)).toHaveLength(2);
  });
});
