import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DomainError } from '../../domain/errors.js';
import type { Config } from '../config.js';
import { AS_MASKED, makeFolder } from '../make-folder.js';
import type { StartNews } from '../start-news.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const LOG_BYTES = 5 * 2 ** 20;

type Ended = { readonly taken: boolean; readonly error: DomainError };

export type Launch = {
  /** Undefined while it runs well; a start of which a step failed is over. `taken`: another instance was there first. */
  readonly ended: () => Ended | undefined;
  /** Whether its memory was opened, as far as it has said. */
  readonly opened: () => boolean;
  /** When it last said something, in the milliseconds of `performance.now()`. */
  readonly heardAt: () => number;
  readonly pid: number | undefined;
  /** Stops listening; the instance goes on. */
  readonly letGo: () => void;
  /** Ends it, for another one serves, and waits until it is gone. */
  readonly withdraw: () => Promise<void>;
};

/**
 * Starts an instance in the background, in a session of its own, so that neither Ctrl-C nor the end of this process reaches
 * it. What it prints goes to `omnimem.log` in the data folder. It stops by itself when nobody is attached to it.
 */
export const launchInstance = async (config: Config, onNews: (text: string) => void): Promise<Launch> => {
  await makeFolder(config.dataDir, AS_MASKED).catch((error: Error) => {
    const hint = 'Give this user the right to write there, or set OMNIMEM_DATA_DIR to another folder.';
    throw new DomainError('UNAVAILABLE', `The data folder ${config.dataDir} cannot be written: ${error.message}`, hint, { cause: error });
  });
  const path = join(config.dataDir, 'omnimem.log');
  const log = openLog(path);
  const child = spawn(process.execPath, [MAIN, 'start', '--json', '--while-attached'], {
    cwd: config.dataDir,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, ...absolutePaths(config) },
  });
  closeSync(log);
  const failures = new Map<string, string>();
  let heardAt = performance.now();
  let opened = false;
  let refused: Extract<StartNews, { refused: unknown }>['refused'] | undefined;
  let end: Ended | undefined;

  child.on('message', (news: StartNews) => {
    heardAt = performance.now();
    if ('refused' in news) {
      refused = news.refused;
      return;
    }
    const { name, state, detail } = news.step;
    if (state === 'failed') failures.set(name, detail);
    if (name === 'memory' && (state === 'ok' || (state === 'running' && detail !== ''))) opened = true;
    if (state === 'running' && detail !== '') onNews(`${name}: ${detail}`);
  });
  const endBecause = (why: string): Ended => {
    const hint = refused?.hint ?? `Run omnimem doctor, or read ${path}.`;
    const reasons = [...failures].map(([name, detail]) => `${name}: ${detail}`);
    const message = refused?.message ?? `OmniMem did not start. ${reasons.join('; ') || why}`;
    return { taken: refused?.taken ?? false, error: new DomainError(refused?.code ?? 'UNAVAILABLE', message, hint) };
  };
  const onEnd = (why: string): void => {
    end ??= endBecause(why);
  };
  child.once('error', (error) => onEnd(error.message));
  child.once('close', (code, signal) => onEnd(`it ended with ${signal ?? `code ${code}`}`));
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('exit', () => resolve());
  });
  child.unref();
  child.channel?.unref();

  const letGo = (): void => {
    child.removeAllListeners('message');
    if (child.connected) child.disconnect();
  };
  return {
    ended: () => end ?? (failures.size > 0 ? endBecause('') : undefined),
    opened: () => opened,
    heardAt: () => heardAt,
    pid: child.pid,
    letGo,
    withdraw: async () => {
      letGo();
      child.ref();
      child.kill('SIGTERM');
      await gone;
    },
  };
};

/** The folder that it runs in is another one. */
const absolutePaths = ({ dataDir, embedding: { modelDir } }: Config): NodeJS.ProcessEnv => ({
  OMNIMEM_DATA_DIR: dataDir,
  ...(modelDir !== undefined && { OMNIMEM_MODEL_DIR: modelDir }),
});

/** A log that has grown large makes room; the one before it is kept. */
const openLog = (path: string): number => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
};
