import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Redis } from 'iovalkey';
import { type ConnectionKind, type ConnectionSettings, connect } from '../../services/valkey/client.js';

export type TestValkeyOptions = {
  /** Default `no` file at all; `always` and `everysec` turn the append-only file on. */
  readonly aof?: 'no' | 'everysec' | 'always';
  /** An existing directory for the data, kept afterwards. Default: a fresh one, removed at `stop()`. */
  readonly dir?: string;
  /** More configuration, such as `{ maxmemory: '20mb' }`. */
  readonly config?: Readonly<Record<string, string>>;
};

/** A real valkey-server on a unix socket. `await using server = await startValkey()` stops it by itself. */
export type TestValkey = AsyncDisposable & {
  /** `unix:///…`, fit for VALKEY_URL. */
  readonly url: string;
  readonly socket: string;
  readonly dir: string;
  readonly pid: () => number;
  /** A connection that `stop()` closes. */
  readonly client: (kind?: ConnectionKind, settings?: ConnectionSettings) => Redis;
  /** Sends the signal (default SIGKILL) and waits for the end of the process. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Stops the server if it runs (SIGTERM) and starts it again on the same data and socket. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** The base of the temporary directories: short, since a socket's path may have 107 bytes at most. */
const BASE = '/tmp';

export const startValkey = async ({ aof = 'no', dir, config = {} }: TestValkeyOptions = {}): Promise<TestValkey> => {
  const home = mkdtempSync(`${BASE}/omt-`);
  const data = dir ?? `${home}/data`;
  const socket = `${home}/s`;
  mkdirSync(data, { recursive: true });
  const flags = {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir: data,
    save: '',
    appendonly: aof === 'no' ? 'no' : 'yes',
    appendfsync: aof === 'no' ? 'no' : aof,
    'slowlog-log-slower-than': '-1',
    loglevel: 'warning',
    ...config,
  };
  const clients = new Set<Redis>();
  const release = watchdog(home);
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    child = spawn(
      'valkey-server',
      Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    child.unref();
    const server = child;
    let output = '';
    const hear = (chunk: Buffer): void => {
      output = (output + chunk).slice(-4_000);
    };
    server.stdout?.on('data', hear);
    server.stderr?.on('data', hear);
    writeFileSync(`${home}/pid`, String(server.pid));
    await answering(
      socket,
      () => server.exitCode !== null || server.signalCode !== null,
      () => output,
    );
  };

  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const server = child;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    if (signal !== 'SIGKILL') server.kill('SIGCONT');
    await gone;
  };

  const stop = async (): Promise<void> => {
    for (const client of clients) client.disconnect();
    await kill();
    await rm(home, { recursive: true, force: true });
    release();
  };

  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `unix://${socket}`,
    socket,
    dir: data,
    pid: () => child?.pid ?? -1,
    client: (kind = 'general', settings = {}) => {
      const client = connect({ path: socket }, kind, settings);
      clients.add(client);
      return client;
    },
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    restart: async () => {
      await kill('SIGTERM');
      await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const answering = async (socket: string, ended: () => boolean, output: () => string): Promise<void> => {
  const probe = connect({ path: socket }, 'general', { commandTimeoutMs: 20_000 });
  try {
    await Promise.race([
      probe.ping(),
      (async () => {
        while (!ended()) await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error(`valkey-server ended at once: ${output()}`);
      })(),
    ]);
  } finally {
    probe.disconnect();
  }
};

/**
 * A shell that waits for the end of its standard input. However this process ends (`kill -9` included) the pipe closes,
 * and the shell kills the server and removes the directory.
 */
export const WATCHDOG = 'cat >/dev/null; [ -f "$1/pid" ] && kill -9 "$(cat "$1/pid")" 2>/dev/null; rm -rf "$1"';

const watchdog = (home: string): (() => void) => {
  const guard = spawn('sh', ['-c', WATCHDOG, 'guard', home], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  return () => guard.stdin?.end();
};

const TIED = `parent=$1; shift
(while kill -0 "$parent" && kill -0 $$; do sleep 1; done; kill -0 "$parent" || kill -9 $$) </dev/null >/dev/null 2>&1 &
exec "$@"`;

/** For `startSupervisor`: a server that does not outlive this test process by more than a second, however that ends. */
export const TIED_VALKEY: readonly string[] = ['sh', '-c', TIED, 'tied', String(process.pid), 'valkey-server'];

/** Whether a process with this id runs. */
export const isRunning = (pid: number): boolean => {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .startsWith('Z');
  } catch {
    return false;
  }
};
