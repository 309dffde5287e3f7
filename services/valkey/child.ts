import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, mkdtemp, open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { AS_MASKED, makeFolder } from '../make-folder.js';
import { type Diagnosis, diagnose } from './diagnosis.js';
import { identityOf, isAlive, type ProcessRecord } from './process-identity.js';

/**
 * How the child may write. `normal`: durable before it is acknowledged. `low`: the same, with no rewrite of the file by
 * itself, while the disk is full and only forgetting writes. `reads`: every write is refused by the server.
 */
export type WriteMode = 'normal' | 'low' | 'reads';

export type Child = {
  readonly pid: number;
  readonly socket: string;
  /** Settles when the data is loaded; rejects never: read `ended`. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Diagnosis>;
  /** Asks it to end, insists after `patienceMs`, and waits until it is gone. */
  readonly end: (patienceMs?: number) => Promise<void>;
};

export type ChildOptions = {
  /** Absolute; holds the files of the server and nothing else. */
  readonly dir: string;
  /** Absolute; see `socketPathFor`. */
  readonly socket: string;
  readonly mode: WriteMode;
  /** What the flags are added to, such as `["valkey-server"]`. */
  readonly command: readonly string[];
  /** Each line that the server logs. */
  readonly onLine: (line: string) => void;
};

const RECORD = 'child.json';
const RECORD_BYTES = 1_024;
/** A socket's path is limited to 107 bytes on Linux and 103 on macOS. */
const SOCKET_BYTES = 100;
const LAST_WORDS_MS = 500;
const TEMPORARY = 'omnimem-valkey-';

/**
 * Waits for a line on its input before it becomes the server: this process first writes down the child's id. When it dies
 * before that, the shell reads the end of the input and goes too, so that no server ever runs unrecorded.
 */
const GATE = 'read -r go && exec "$@" </dev/null';

export const startChild = async ({ dir, socket, mode, command, onLine }: ChildOptions): Promise<Child> => {
  await rm(socket, { force: true });
  const flags = Object.entries(flagsFor(dir, socket, mode)).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn('sh', ['-c', GATE, 'omnimem-valkey', ...command, ...flags], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const lines: string[] = [];
  let loaded = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  listen(server, (line) => {
    lines.push(line);
    if (lines.length > 40) lines.shift();
    if (line.includes('Ready to accept connections')) loaded();
    onLine(line);
  });
  const ended = new Promise<Diagnosis>((resolve) => {
    server.once('error', () => resolve(diagnose(lines, 127, null)));
    server.once('exit', async (code, signal) => {
      // A rewrite that the dead server had begun holds its output open: take what has come by then.
      await Promise.race([once(server, 'close'), sleep(LAST_WORDS_MS)]);
      resolve(diagnose(lines, code, signal, await headerOfBase(dir)));
    });
  });
  const pid = server.pid ?? -1;
  await record(dir, { pid, identity: (await identityOf(pid)) ?? '', socket });
  server.stdin?.on('error', () => undefined);
  server.stdin?.end('go\n');
  return {
    pid,
    socket,
    ready,
    ended,
    end: async (patienceMs = 10_000) => {
      server.kill('SIGTERM');
      server.kill('SIGCONT');
      const insist = setTimeout(() => server.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(insist);
      await record(dir, undefined).catch(() => undefined); // A stale record is recognised as such.
    },
  };
};

const flagsFor = (dir: string, socket: string, mode: WriteMode): Record<string, string> => ({
  port: '0',
  unixsocket: socket,
  unixsocketperm: '700',
  dir,
  daemonize: 'no',
  save: '',
  appendonly: 'yes',
  'aof-load-truncated': 'yes',
  'maxmemory-policy': 'noeviction',
  // Compressed files would hide a forgotten text from the scan that proves it gone.
  rdbcompression: 'no',
  'slowlog-log-slower-than': '-1',
  ...(mode === 'normal' ? {} : { 'auto-aof-rewrite-percentage': '0' }),
  // Under `always` the server ends at the first write that fails. For reads only it asks for a replica that does not exist,
  // and so refuses each write of a client; what expires meanwhile waits in memory for room.
  ...(mode === 'reads' ? { appendfsync: 'everysec', 'min-replicas-to-write': '1' } : { appendfsync: 'always' }),
});

/** Beside the data, or in a fresh temporary folder when that path is too long for a socket. */
export const socketPathFor = async (dir: string): Promise<string> => {
  const beside = join(dir, 'valkey.sock');
  return Buffer.byteLength(beside) <= SOCKET_BYTES ? beside : join(await mkdtemp(join(tmpdir(), TEMPORARY)), 'valkey.sock');
};

/** Removes the socket, and its folder when that is a temporary one. */
export const removeSocket = async (socket: string): Promise<void> => {
  await rm(socket, { force: true });
  if (basename(dirname(socket)).startsWith(TEMPORARY)) await rmdir(dirname(socket)).catch(() => undefined);
};

const listen = (child: ChildProcess, onLine: (line: string) => void): void => {
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine);
};

/** The first bytes of the base file that the append-only file starts from; empty when there is none. */
const headerOfBase = async (dir: string): Promise<string> => {
  const folder = join(dir, 'appendonlydir');
  const name = (await readdir(folder).catch(() => [])).find((entry) => entry.endsWith('.base.rdb'));
  const file = name === undefined ? undefined : await open(join(folder, name)).catch(() => undefined);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(9), 0, 9, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
};

type ChildRecord = ProcessRecord & { readonly socket: string };

/** Overwritten in place, at one length, so that it can be kept up to date on a full disk. `undefined`: no child. */
const record = async (dir: string, content: ChildRecord | undefined): Promise<void> => {
  const file = await open(join(dir, RECORD), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    await file.write(JSON.stringify(content ?? null).padEnd(RECORD_BYTES), 0);
  } finally {
    await file.close();
  }
};

/**
 * Ends the server that a killed parent left behind on this folder, if there is one, and removes what it left. Only the
 * holder of the data folder may call this. Returns the process id that was ended.
 */
export const endOrphan = async (dir: string, patienceMs = 15_000): Promise<number | undefined> => {
  await makeFolder(dir, AS_MASKED);
  const text = await readFile(join(dir, RECORD), 'utf8').catch(() => undefined);
  const left = text === undefined ? undefined : parseRecord(text);
  if (!left) return undefined;
  const wasAlive = await isAlive(left);
  if (wasAlive) {
    signal(left.pid, 'SIGTERM');
    signal(left.pid, 'SIGCONT');
    const deadline = performance.now() + patienceMs;
    while (await isAlive(left)) {
      if (performance.now() > deadline) signal(left.pid, 'SIGKILL');
      await sleep(10);
    }
  }
  await removeSocket(left.socket);
  await record(dir, undefined);
  return wasAlive ? left.pid : undefined;
};

const parseRecord = (text: string): ChildRecord | null | undefined => {
  try {
    return JSON.parse(text) as ChildRecord | null;
  } catch {
    return undefined;
  }
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between.
  }
};
