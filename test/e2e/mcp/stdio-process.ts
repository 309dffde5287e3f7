import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'vite';

/**
 * What `omnimem mcp --stdio` does around `runStdio`, with an instance that a file names: argument 1, JSON {url, token?}.
 * Everything that may talk does so, to see that none of it reaches standard output.
 */
const SOURCE = `
import { readFile } from 'node:fs/promises';
import { guardStdout, runStdio } from '../../services/mcp/stdio.js';
import { createLogger } from '../../services/log.js';

const output = guardStdout();
console.log('a banner of a dependency');
process.stdout.write('a progress bar 10 %\\r');
process.emitWarning('a warning');
const log = createLogger({ level: 'trace' });
log.info('a log line');

const connectInstance = async (progress) => {
  for (;;) {
    try {
      const instance = JSON.parse(await readFile(process.argv[2], 'utf8'));
      await fetch(new URL('/healthz', instance.url));
      console.log('found the instance');
      return instance;
    } catch {
      progress('the instance to start');
      await new Promise((again) => setTimeout(again, 20));
    }
  }
};
await runStdio({ connectInstance, version: '0.0.0-test', toolset: 'full', log, input: process.stdin, output });
console.log('goodbye');
`;

const HOME = resolve('node_modules/.omnimem-test');
let built: Promise<string> | undefined;

const buildOnce = async (): Promise<string> => {
  mkdirSync(HOME, { recursive: true });
  const entry = `${HOME}/stdio-${process.pid}.ts`;
  writeFileSync(entry, SOURCE);
  const name = `stdio-${process.pid}.mjs`;
  await build({
    logLevel: 'error',
    configFile: false,
    build: {
      ssr: entry,
      outDir: HOME,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
  return `${HOME}/${name}`;
};

/** The arguments of node that run it. */
export const stdioArguments = async (instanceFile: string): Promise<string[]> => {
  built ??= buildOnce();
  return [await built, instanceFile];
};

export type StdioProcess = {
  readonly send: (line: object | string) => void;
  /** Ends the input and waits for the end: everything that came out, and the exit code. */
  readonly end: () => Promise<{ readonly lines: string[]; readonly stderr: string; readonly code: number | null }>;
  /** The first message that answers the id. */
  readonly answer: (id: unknown) => Promise<Record<string, unknown>>;
  /** The first message of the method. */
  readonly notice: (method: string) => Promise<Record<string, unknown>>;
};

export const startStdio = async (instanceFile: string): Promise<StdioProcess> => {
  const args = await stdioArguments(instanceFile);
  const { ANTHROPIC_API_KEY: _key, ...inherited } = process.env;
  const env = { ...inherited, DEBUG: '*', NODE_OPTIONS: '--trace-warnings', OMNIMEM_FOO: '1' };
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    for (const listener of listeners) listener();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const lines = (): string[] => stdout.split('\n').slice(0, -1);

  const first = (wanted: (message: Record<string, unknown>) => boolean, what: string): Promise<Record<string, unknown>> =>
    new Promise((found, failed) => {
      const look = (): void => {
        const hit = lines()
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find(wanted);
        if (hit === undefined) return;
        listeners.delete(look);
        found(hit);
      };
      listeners.add(look);
      child.on('close', () => failed(new Error(`ended without ${what}: ${stderr}`)));
      look();
    });

  return {
    send: (line) => void child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    end: async () => {
      child.stdin.end();
      const code = await ended;
      if (!stdout.endsWith('\n') && stdout !== '') throw new Error(`an unfinished line: ${stdout.slice(-200)}`);
      return { lines: lines(), stderr, code };
    },
    answer: (id) => first((message) => message.id === id, `an answer to ${id}`),
    notice: (method) => first((message) => message.method === method, method),
  };
};
