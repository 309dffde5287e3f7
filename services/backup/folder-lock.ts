import { randomUUID } from 'node:crypto';
import { constants, copyFile, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import { makeFolder } from './files.js';

/** In the folder of the backups; no set can have this name. */
export const LOCK = '.lock';
const LOOK_AGAIN_MS = 100;

type Owner = { readonly id: string; readonly pid: number; readonly host: string; readonly leaseMs: number };

export type FolderLockOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a sign after which this holder counts as dead, and for which a living one is waited for. */
  readonly leaseMs: number;
};

/**
 * Runs work on a folder of backups while no other process works on it, of whichever store. The holder touches its lock file
 * again and again; one that was killed is told by its silence, measured by the waiter's own clock, so that neither the clocks
 * of two machines nor their process ids matter. The signal ends when another took the folder over. Throws CONFLICT while
 * another goes on.
 */
export const withFolderLock = async <T>(
  root: string,
  work: (signal: AbortSignal) => Promise<T>,
  { signal, leaseMs }: FolderLockOptions,
): Promise<T> => {
  await makeFolder(root);
  const path = join(root, LOCK);
  const own: Owner = { id: randomUUID(), pid: process.pid, host: hostname(), leaseMs };
  await take(path, own, leaseMs, signal);
  const lost = new AbortController();
  const sign = async (): Promise<void> => {
    if ((await readOwner(path))?.id !== own.id) {
      lost.abort(new DomainError('CONFLICT', 'Another process took over the folder of the backups', 'Run it again.'));
      return;
    }
    const now = new Date();
    await utimes(path, now, now);
  };
  const signing = setInterval(() => void sign().catch(() => undefined), leaseMs / 3);
  try {
    return await work(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal);
  } finally {
    clearInterval(signing);
    if ((await readOwner(path).catch(() => undefined))?.id === own.id) await rm(path, { force: true });
  }
};

const take = async (path: string, own: Owner, leaseMs: number, signal: AbortSignal | undefined): Promise<void> => {
  let seen: { readonly id: string | undefined; readonly since: number; readonly sign: number | undefined; readonly at: number } | undefined;
  while (!(await tryTake(path, own))) {
    signal?.throwIfAborted();
    const holder = await readOwner(path);
    const sign = (await stat(path).catch(() => undefined))?.mtimeMs;
    const now = performance.now();
    if (!seen || seen.id !== holder?.id) seen = { id: holder?.id, since: now, sign, at: now };
    else if (seen.sign !== sign) seen = { ...seen, sign, at: now };
    if (now - seen.at > (holder?.leaseMs ?? leaseMs)) await remove(path, own, holder);
    else if (now - seen.since > leaseMs && seen.at > seen.since) throw running(holder);
    await sleep(LOOK_AGAIN_MS);
  }
};

/** Makes the lock file; false when there is one. */
const tryTake = async (path: string, own: Owner): Promise<boolean> => {
  try {
    await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Takes the lock of a dead holder away. Of two that do so at once the slower may lift a new lock: it puts that one back. */
const remove = async (path: string, own: Owner, dead: Owner | undefined): Promise<void> => {
  const lifted = `${path}.${own.id}.dead`;
  try {
    await rename(path, lifted);
    if ((await readOwner(lifted))?.id !== dead?.id) await copyFile(lifted, path, constants.COPYFILE_EXCL).catch(() => undefined);
    await rm(lifted, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

const readOwner = async (path: string): Promise<Owner | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return undefined;
  }
};

const running = (holder: Owner | undefined): DomainError =>
  new DomainError(
    'CONFLICT',
    `A backup is running in this folder${holder ? ` (process ${holder.pid} on ${holder.host})` : ''}`,
    'Wait for it to end. One whose process died is over some seconds later.',
  );
