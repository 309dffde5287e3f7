import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';

/** Under node_modules, so that the packages are found; ignored by git and by the linter. */
const CACHE = resolve('node_modules/.omnimem-test');

export type Runner = {
  readonly process: ChildProcess;
  /** The next line of its standard output, parsed as JSON. */
  readonly next: () => Promise<unknown>;
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
};

/** The programs that this process has compiled already, by their code. */
const compiled = new Map<string, Promise<string>>();

/** Compiles a program into one file, once, and answers the path of that. */
const compile = (code: string): Promise<string> => {
  const known = compiled.get(code) ?? bundle(code);
  compiled.set(code, known);
  return known;
};

const bundle = async (code: string): Promise<string> => {
  const name = createHash('sha256').update(code).update(String(process.pid)).digest('hex').slice(0, 16);
  mkdirSync(CACHE, { recursive: true });
  const entry = resolve(CACHE, `${name}.ts`);
  writeFileSync(entry, code.replaceAll("from './", "from '../../"));
  await build({
    logLevel: 'error',
    configFile: false,
    build: {
      ssr: entry,
      outDir: CACHE,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  });
  return resolve(CACHE, `${name}.mjs`);
};

/**
 * Runs TypeScript in a process of its own, one that a test can kill, with `env` added to the environment. The code is a module
 * body whose imports are relative to the project's root; it talks by printing one JSON value a line.
 */
export const runTypeScript = async (code: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Runner> => {
  const child = spawn(process.execPath, [await compile(code), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    next: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process ended without another line');
      return JSON.parse(value);
    },
    kill: async (signal = 'SIGKILL') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
};
