import { DomainError } from '../../domain/errors.js';

const ELSEWHERE = 'Choose another folder, or mend this one.';

/** What a file system says, in words, and what to do about it. */
const MEANING: Readonly<Record<string, readonly [text: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space there, or choose a folder on another disk.'],
  EDQUOT: ['the quota of this user is used up', 'Free some space there, or choose a folder on another disk.'],
  EFBIG: ['a file would be larger than the disk takes', 'Choose a folder on another disk.'],
  EROFS: ['the disk can only be read', 'Mount it for writing, or choose another folder.'],
  EACCES: ['this user may not use it', 'Give this user the right to read and write there, or choose another folder.'],
  EPERM: ['this user may not use it', 'Give this user the right to read and write there, or choose another folder.'],
  EEXIST: ['a file that is no folder has this name', 'Move that file away, or choose another folder.'],
  ENOTDIR: ['a file stands where a folder should be', 'Move that file away, or choose another folder.'],
  EISDIR: ['a folder stands where a file should be', 'Move that folder away: the name is one that the backups use.'],
  ENAMETOOLONG: ['its name is too long', 'Choose a shorter one.'],
  ENOENT: ['it is not there, and cannot be made', 'Make it, or mount the disk it lies on, or choose another folder.'],
  ELOOP: ['its links lead round in a circle', ELSEWHERE],
  EINVAL: ['its name cannot be used there', ELSEWHERE],
  EIO: ['the disk does not work', 'Look after the disk; take another one meanwhile.'],
  ESTALE: ['the network folder is gone', 'Mount it again.'],
  EBUSY: ['something else has it in use', 'Try again when that has ended.'],
  ENOTSUP: ['this file system cannot do it', ELSEWHERE],
  ENXIO: ['the disk is gone', ELSEWHERE],
  ENODEV: ['the disk is gone', ELSEWHERE],
  EMFILE: ['too many files are open', 'Close some, or raise the limit (ulimit -n).'],
  ENFILE: ['too many files are open', 'Close some, or raise the limit (ulimit -n).'],
};

/** An error of the file system at a folder of backups as one that names the folder and what to do; any other as it is. */
export const folderFault = (folder: string, error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof DomainError) return error;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const [text, hint] = MEANING[code ?? ''] ?? [];
  if (text === undefined || syscall === 'connect') return error;
  const where = path === undefined || path === folder ? '' : `, at ${path}`;
  return new DomainError('UNAVAILABLE', `The folder of backups ${folder} cannot be used: ${text} (${code}${where})`, hint, {
    cause: error,
  });
};

/** Runs work in a folder of backups. Throws UNAVAILABLE for what the file system refuses. */
export const inFolder = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw folderFault(folder, error);
  }
};
