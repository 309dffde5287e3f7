import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const BINARY = resolve('bin/omnimem.mjs');

export type Ran = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly out: string; readonly err: string };

/** A data folder whose name needs care, and an environment of its own around it. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'omnimem cli ä '));

export const environment = (dataDir: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const { VALKEY_URL: _url, MCP_AUTH_TOKEN: _token, NODE_OPTIONS: _options, ANTHROPIC_API_KEY: _key, ...rest } = process.env;
  return { ...rest, OMNIMEM_DATA_DIR: dataDir, EMBEDDING: 'none', MCP_PORT: '0', OMNIMEM_MIN_FREE_MB: '0', ...more };
};

export const launch = (args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(process.execPath, [BINARY, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });

/** Resolves when the instance says that it runs. It must have been started with --json. */
export const running = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('close', () => reject(new Error('the server ended')));
    if (server.stdout)
      createInterface({ input: server.stdout }).on('line', (line) => {
        if ((JSON.parse(line) as { readonly running?: boolean }).running === true) resolve();
      });
  });

export const endOf = (child: ChildProcess): Promise<Pick<Ran, 'code' | 'signal'>> =>
  new Promise((resolve) => {
    const { exitCode: code, signalCode: signal } = child;
    if (code !== null || signal !== null) resolve({ code, signal });
    else child.once('close', (code, signal) => resolve({ code, signal }));
  });

/** Runs the real command line to its end. */
export const omnimem = async (args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ran> => {
  const child = launch(args, env);
  child.stdin?.end(input);
  const [end, out, err] = await Promise.all([endOf(child), read(child.stdout), read(child.stderr)]);
  return { ...end, out, err };
};

const read = (stream: ChildProcess['stdout']): Promise<string> => (stream ? text(stream) : Promise.resolve(''));

/** Compiles what has changed, once, so that no test waits for it. */
export const built = async (): Promise<void> => {
  const { code, err } = await omnimem(['--help'], environment(tmpdir()));
  if (code !== 0) throw new Error(err);
};

/** Processes that work on this folder: it stands in their command line, or, where that can be read, in their environment. */
export const processesOn = (folder: string): string[] =>
  execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => {
      const [, pid = '', state = ''] = /^\s*(\d+)\s+(\S+)/.exec(line) ?? [];
      if (pid === String(process.pid) || state.startsWith('Z')) return false;
      return line.includes(folder) || environmentOf(pid).includes(folder);
    });

const environmentOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
};

/** What a stopped instance must not leave: its children, its socket, its claim. */
export const leftOver = (folder: string): readonly string[] => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const locks = files.filter((name) => /^lock\.\d+$/.test(name) && !readFileSync(join(folder, name), 'utf8').includes('"released":true'));
  return [...processesOn(folder), ...locks, ...files.filter((name) => /\.sock$|^instance\.json$|\.new$/.test(name))];
};

export const until = async (holds: () => boolean, what: string, timeoutMs = 20_000): Promise<void> => {
  for (const end = Date.now() + timeoutMs; !holds(); await new Promise((resolve) => setTimeout(resolve, 30))) {
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
  }
};

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export type Message = {
  readonly id?: number | null;
  readonly result?: { readonly structuredContent?: Record<string, unknown>; readonly [name: string]: unknown };
  readonly error?: { readonly code: number };
};

/** A host at the other end of `omnimem mcp --stdio`, by hand, so that every byte is seen. */
export const stdioHost = (env: NodeJS.ProcessEnv) => {
  const child = launch(['mcp', '--stdio'], env);
  const lines: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  const ended = endOf(child);
  let stderr = '';
  let next = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const message = JSON.parse(line) as Message;
      if (typeof message.id === 'number') waiting.get(message.id)?.(message);
    });
  const raw = (line: string): void => void child.stdin?.write(`${line}\n`);
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++next;
    raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  return {
    child,
    lines,
    stderr: () => stderr,
    raw,
    ask,
    initialize: async (): Promise<Message> => {
      const answer = await ask('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'host', version: '1' },
      });
      raw(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      return answer;
    },
    tool: async (name: string, args: object): Promise<Record<string, unknown>> => {
      const { result } = await ask('tools/call', { name, arguments: args });
      return result?.structuredContent ?? {};
    },
    close: async (): Promise<number | null> => {
      child.stdin?.end();
      return (await ended).code;
    },
    kill: async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      await ended;
    },
  };
};
