import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import { freeBytes, keepReserve, releaseReserve } from '../disk.js';
import type { Logger } from '../log.js';
import { makeFolder } from '../make-folder.js';
import { type Child, endOrphan, removeSocket, socketPathFor, startChild, type WriteMode } from './child.js';
import { connect } from './client.js';
import { type Diagnosis, diagnose } from './diagnosis.js';

export type ValkeyStatus = {
  readonly state: 'starting' | 'running' | 'restarting' | 'stopped';
  /** `low` and `reads` mean a full disk; see `WriteMode`. */
  readonly mode: WriteMode;
  /** Whether the last ping was answered; false for a server that is stopped (SIGSTOP) or overwhelmed. */
  readonly answering: boolean;
  readonly pid: number | undefined;
  /** How often the server ended without being asked, since this process started. */
  readonly restarts: number;
  readonly lastExit: { readonly at: number; readonly reason: string; readonly hint: string } | undefined;
};

export type Supervisor = {
  /** Where to connect; the same across restarts. */
  readonly target: { readonly path: string };
  readonly status: () => ValkeyStatus;
  /** Ends the server cleanly. May be called twice. */
  readonly stop: () => Promise<void>;
};

export type SupervisorOptions = {
  /** The claimed data folder; the server's files go to `valkey` in it. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Below this the writer refuses; above this and the reserve a server that only reads becomes normal again. Bytes. */
  readonly minFreeBytes: number;
  /** Disk space held back for forgetting on a full disk. Default 8 MiB. */
  readonly reserveBytes?: number;
  /** What the server's flags are added to, from `obtainValkey`. Default `valkey-server`, from PATH. */
  readonly command?: readonly string[];
  /** Default 1,000. */
  readonly watchMs?: number;
  readonly onChange?: (status: ValkeyStatus) => void;
  /** Gives the start up, however long the server takes to load; says nothing to a server that runs. */
  readonly signal?: AbortSignal;
};

/** Failed starts in a row before the first success, after which the first start gives up. */
const FIRST_TRIES = 3;

/** Milliseconds before the n-th restart in a row (n from 1): 50, 100 … 5,000. */
const restartDelay = (attempt: number): number => Math.min(5_000, 25 * 2 ** Math.min(attempt, 10));

/**
 * Runs a valkey-server on the folder, durable before it acknowledges, on a unix socket and no port, and starts it again
 * whenever it ends. Resolves when the data is loaded. Ends an orphan of a killed parent first. UNAVAILABLE, with a hint, when
 * it cannot be started: not installed, no right to write, data of a newer server or damaged data.
 */
export const startSupervisor = async (options: SupervisorOptions): Promise<Supervisor> => {
  const { log, minFreeBytes, reserveBytes = 8 * 2 ** 20, command = ['valkey-server'], watchMs = 1_000, onChange } = options;
  const dir = resolve(options.dataDir, 'valkey');
  const reserve = join(dir, 'reserve');
  await makeFolder(dir);
  const orphan = await endOrphan(dir);
  if (orphan !== undefined) log.warn({ orphan }, 'ended the Valkey that a killed process had left behind');
  await keepReserve(reserve, reserveBytes);

  const socket = await socketPathFor(dir);
  const stopping = new AbortController();
  let child: Child | undefined;
  let status: ValkeyStatus = { state: 'starting', mode: 'normal', answering: false, pid: undefined, restarts: 0, lastExit: undefined };
  let endedOnPurpose = false;

  const set = (changes: Partial<ValkeyStatus>): void => {
    status = { ...status, ...changes };
    onChange?.(status);
  };

  /** One life of the server. Returns why it ended and whether it had loaded. */
  const live = async (onReady: () => void): Promise<{ end: Diagnosis; loaded: boolean }> => {
    endedOnPurpose = false;
    const server = await startChild({ dir, socket, mode: status.mode, command, onLine: (line) => logLine(log, line) });
    child = server;
    if (stopping.signal.aborted) await server.end();
    set({ pid: server.pid });
    const loaded = await Promise.race([server.ready.then(() => true), server.ended.then(() => false)]);
    if (loaded) {
      log[status.mode === 'normal' ? 'info' : 'warn']({ server: server.pid, mode: status.mode }, 'Valkey is ready');
      set({ state: 'running', answering: true });
      void hideUserData(monitor);
      onReady();
    }
    return { end: await server.ended, loaded };
  };

  const run = async (onReady: () => void, onHopeless: (end: Diagnosis) => void): Promise<void> => {
    let failures = 0;
    let everLoaded = false;
    while (!stopping.signal.aborted) {
      const { end, loaded } = await live(onReady).catch((error: unknown) => ({ end: couldNotStart(error), loaded: false }));
      everLoaded ||= loaded;
      failures = loaded ? 0 : failures + 1;
      set({ answering: false, pid: undefined });
      if (stopping.signal.aborted) break;
      if (endedOnPurpose) continue;
      log.error({ reason: end.reason }, 'Valkey ended');
      set({ state: 'restarting', restarts: status.restarts + 1, lastExit: { at: Date.now(), reason: end.reason, hint: end.hint } });
      if (end.kind === 'disk') set({ mode: status.mode === 'normal' && (await releaseReserve(reserve)) ? 'low' : 'reads' });
      if (!everLoaded && (end.fatal || failures >= FIRST_TRIES)) return onHopeless(end);
      await sleep(restartDelay(failures + 1), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const watchRoom = async (): Promise<void> => {
    if (status.mode === 'normal' || status.state !== 'running') return;
    if ((await freeBytes(dir)) < minFreeBytes + reserveBytes || !(await keepReserve(reserve, reserveBytes))) return;
    log.info('there is room on the disk again: Valkey is started for writing');
    endedOnPurpose = true;
    set({ state: 'restarting', mode: 'normal' });
    await child?.end();
  };

  const monitor = connect({ path: socket }, 'general', { name: 'omnimem-monitor', commandTimeoutMs: 2_000 });
  const beat = async (): Promise<void> => {
    const answering = await monitor.ping().then(
      () => true,
      () => false,
    );
    if (status.state === 'running' && answering !== status.answering) {
      log.warn({ answering }, answering ? 'Valkey answers again' : 'Valkey does not answer');
      set({ answering });
    }
    await watchRoom();
  };
  const stopWatch = repeat(beat, watchMs, (error) => log.error({ err: error }, 'watching Valkey failed'));

  let finished: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      stopping.abort();
      await stopWatch();
      monitor.disconnect();
      await child?.end();
      await finished;
      await removeSocket(socket);
      set({ state: 'stopped', answering: false, pid: undefined });
    })();
    return stopped;
  };

  const giveUp = (): void => void stop();
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    options.signal?.throwIfAborted();
    await new Promise<void>((onReady, reject) => {
      finished = run(onReady, (end) => reject(new DomainError('UNAVAILABLE', `Valkey could not be started: ${end.reason}`, end.hint)));
      finished.then(() => reject(new DomainError('UNAVAILABLE', 'Stopped before Valkey was ready')), reject);
    });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
  return { target: { path: socket }, status: () => status, stop };
};

/** Before there was a server at all: a disk so full that its process id cannot be written down, no right to write. */
const couldNotStart = (error: unknown): Diagnosis => diagnose([error instanceof Error ? error.message : String(error)], null, null);

/** Known from Valkey 8 on; older servers do not log user data at this level. */
const hideUserData = async (client: Redis): Promise<void> => {
  await client.config('SET', 'hide-user-data-from-log', 'yes').catch(() => undefined);
};

/** Marked as warnings by the server at every start or end. */
const ROUTINE = /overcommit|ready to exit|User requested shutdown/;

/** The server's own log: its warnings at `warn`, the rest at `debug`. */
const logLine = (log: Logger, line: string): void => {
  const [, level = '', text = line] = /^\d+:\w .*? ([.\-*#]) (.*)$/.exec(line) ?? [];
  log[level === '#' && !ROUTINE.test(text) ? 'warn' : 'debug']({ from: 'valkey' }, text);
};

/** Calls `task` again and again, `everyMs` after its last end. The result stops it and waits for a call under way. */
const repeat = (task: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): (() => Promise<void>) => {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (!stopping.signal.aborted) await task().catch(onError);
    }
  })();
  return () => {
    stopping.abort();
    return loop;
  };
};
