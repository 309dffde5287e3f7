import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import { makeFolder } from '../make-folder.js';

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
    const silent = Math.floor((now - seen.at) / (holder?.leaseMs ?? leaseMs));
    if (silent > 0) {
      if (await takeOver(path, own, { id: holder?.id, sign, silent })) return;
    } else if (now - seen.since > leaseMs && seen.at > seen.since) throw running(holder);
    await sleep(LOOK_AGAIN_MS);
  }
};

/** Makes the lock file; false when there is one. It appears whole, so that no half of it is taken for that of a dead process. */
const tryTake = (path: string, own: Owner): Promise<boolean> =>
  withWhole(path, own, async (whole) => {
    try {
      await link(whole, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw error;
        // A file system without links: the content follows the name there.
        return copyFile(whole, path, constants.COPYFILE_EXCL);
      });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });

/** A holder without a sign for so many of its leases. `sign` tells one half written lock from the next. */
type Dead = { readonly id: string | undefined; readonly sign: number | undefined; readonly silent: number };

/**
 * Puts the own lock in the place of a dead holder's. Of many at once only who makes the marker of this death may: one that
 * dies before it is done leaves it behind, and the next lease has another marker.
 */
const takeOver = (path: string, own: Owner, { id, sign, silent }: Dead): Promise<boolean> =>
  withWhole(path, own, async (whole) => {
    const marker = `${path}.${id ?? sign}.${silent}`;
    try {
      await writeFile(marker, '', { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    try {
      const [now, { mtimeMs } = { mtimeMs: undefined }] = await Promise.all([readOwner(path), stat(path).catch(() => undefined)]);
      if (now?.id !== id || mtimeMs !== sign) return false;
      await rename(whole, path);
      return true;
    } finally {
      await rm(marker, { force: true });
    }
  });

/** The own lock as a whole file beside it. */
const withWhole = async (path: string, own: Owner, use: (whole: string) => Promise<boolean>): Promise<boolean> => {
  const whole = `${path}.${own.id}.new`;
  await writeFile(whole, JSON.stringify(own), { mode: 0o600 });
  try {
    return await use(whole);
  } finally {
    await rm(whole, { force: true });
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
