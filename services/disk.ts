import { randomFillSync } from 'node:crypto';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DomainError } from '../domain/errors.js';
import { AS_MASKED, makeFolder } from './make-folder.js';

/** Bytes that this user may still write on the file system which holds `dir`. Throws what `statfs` throws when `dir` is missing. */
export const freeBytes = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};

/**
 * Refuses with UNAVAILABLE when fewer than `minFreeBytes` are free, or the folder is not there. Forgetting does not ask: it
 * must work on a full disk.
 */
export const assertRoom = async (dir: string, minFreeBytes: number, called = dir): Promise<void> => {
  const free = await freeBytes(dir).catch((cause: NodeJS.ErrnoException) => {
    const message = `The data folder cannot be read (${cause.code ?? 'unknown'}), so nothing new is stored`;
    throw new DomainError('UNAVAILABLE', message, `Bring ${called} back; service resumes by itself.`, { cause });
  });
  if (free >= minFreeBytes) return;
  throw new DomainError(
    'UNAVAILABLE',
    `The disk is nearly full: ${megabytes(free)} free where the data lives, ${megabytes(minFreeBytes)} wanted before anything is stored`,
    `Free some space under ${called}; service resumes by itself. Recalling and forgetting still work.`,
  );
};

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MB`;

/**
 * Keeps `bytes` of the disk occupied by a file, so that on a full disk there is something to let go and forgetting can be
 * made durable. Returns whether the file is there; a disk without room for it is no error.
 */
export const keepReserve = async (path: string, bytes: number): Promise<boolean> => {
  const size = await stat(path).then(
    (entry) => entry.size,
    () => -1,
  );
  if (size === bytes) return true;
  const temporary = `${path}.new`;
  try {
    await makeFolder(dirname(path), AS_MASKED);
    await writeDurably(temporary, bytes);
    await rename(temporary, path);
    return true;
  } catch (error) {
    await rm(temporary, { force: true });
    if (isOutOfSpace(error)) return false;
    throw error;
  }
};

/** Gives the reserved space back to the disk. Returns false when there was none left to give. */
export const releaseReserve = async (path: string): Promise<boolean> =>
  rm(path).then(
    () => true,
    () => false,
  );

const isOutOfSpace = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Random bytes: a file system that compresses would keep nothing of zeros. */
const writeDurably = async (path: string, bytes: number): Promise<void> => {
  const file = await open(path, 'w', 0o600);
  try {
    const block = Buffer.alloc(2 ** 18);
    for (let left = bytes; left > 0; left -= block.length) {
      await file.writeFile(randomFillSync(block).subarray(0, Math.min(left, block.length)));
    }
    await file.sync();
  } finally {
    await file.close();
  }
};
