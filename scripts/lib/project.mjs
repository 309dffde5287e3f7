import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Plain JavaScript without dependencies: this runs before anything is installed.

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const inProject = (...parts) => join(root, ...parts);

/** Progress goes to standard error: standard output belongs to results, and to the protocol of the stdio server. */
export const say = (text) => process.stderr.write(`${text}\n`);

/** A failure that ends with one page for a person and no stack. */
export class Page extends Error {}

/** Runs an entry point; a `Page` is printed as it is. */
export const main = async (run) => {
  try {
    checkNode();
    await run();
  } catch (error) {
    say(error instanceof Page ? `\n${error.message}\n` : String(error?.stack ?? error));
    process.exitCode = 1;
  }
};

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 12)) return;
  throw new Page(`OmniMem needs Node.js 20.12 or later; this is ${process.versions.node}.\nInstall a current one and start again.`);
};

/**
 * Runs a command in the project's folder. Its standard output joins standard error unless `stdout` says otherwise.
 * Resolves with the exit code (127 when it cannot be started) and what was captured.
 */
export const run = async (command, args, { env = {}, stdout = 2, capture = false } = {}) => {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    // Never our standard input: what waits there may be for the program that runs afterwards.
    stdio: ['ignore', ...(capture ? ['pipe', 'pipe'] : [stdout, 2])],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const pass = (signal) => child.kill(signal);
  const ignore = () => undefined; // A terminal sends Ctrl-C to the child as well: wait for it to clean up.
  process.on('SIGTERM', pass).on('SIGINT', ignore);
  try {
    const [code, signal] = await once(child, 'close');
    return { code: code ?? 1, signal, output };
  } catch (error) {
    return { code: 127, signal: null, output: String(error.message) };
  } finally {
    process.off('SIGTERM', pass).off('SIGINT', ignore);
  }
};

/** Runs the program of an installed package with this Node. */
export const runPackage = (path, args, options) => run(process.execPath, [inProject('node_modules', path), ...args], options);
