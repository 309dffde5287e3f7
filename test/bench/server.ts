import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../services/main.js', import.meta.url));
const STEP_MS = 5;
const PATIENCE_MS = 600_000;

/** The product as a process of its own, as `npm start` runs it once everything is installed and compiled. */
export type Server = AsyncDisposable & {
  readonly pid: number;
  /** `performance.now()` at which it was spawned. */
  readonly spawned: number;
  /** Resolves when /readyz says so. */
  readonly ready: () => Promise<void>;
  /** One recall over MCP; answers how it was searched. */
  readonly recall: (query: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

export const startServer = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Server> => {
  const port = await freePort();
  const spawned = performance.now();
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: {
      ...process.env,
      OMNIMEM_DATA_DIR: dataDir,
      MCP_PORT: String(port),
      OMNIMEM_MIN_FREE_MB: '0',
      LOG_LEVEL: 'warn',
      ANTHROPIC_API_KEY: '',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4_000);
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const base = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  return {
    pid: child.pid ?? -1,
    spawned,
    ready: () =>
      until(
        child,
        () => said,
        async () => {
          const answer = await fetch(`${base}/readyz`).catch(() => undefined);
          await answer?.arrayBuffer();
          return answer?.status === 200;
        },
      ),
    recall: (query) => recallOver(`${base}/mcp`, query),
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const until = async (child: ChildProcess, said: () => string, holds: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}: ${said()}`);
    if (performance.now() > end) throw new Error(`the server was not ready in time: ${said()}`);
    await sleep(STEP_MS);
  }
};

const recallOver = async (url: string, query: string): Promise<string> => {
  const version = '2026-07-28';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'recall',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'recall',
        arguments: { query },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const text = await response.text();
  const message = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text) as { result?: { structuredContent?: { search?: string } } };
  const search = message.result?.structuredContent?.search;
  if (search === undefined) throw new Error(`the recall was not answered: ${text.slice(0, 500)}`);
  return search;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number => {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
};

/** Processor time that a process has used, in milliseconds (ticks of 10 ms). */
export const processorMs = (pid: number): number => {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
