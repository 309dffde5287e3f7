import { DomainError } from '../domain/errors.js';

/** What a disk answers whatever place on it is named, in words. */
const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'a file would be larger than the disk takes',
  EROFS: 'the disk can only be read',
  EIO: 'the disk does not work',
  ESTALE: 'the network folder is gone',
  ENXIO: 'the disk is gone',
  ENODEV: 'the disk is gone',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Such an error as UNAVAILABLE: what was asked for was right, and can be had when the disk can. Undefined for any other. */
export const diskFault = (error: unknown, what?: string): DomainError | undefined => {
  const { code = '', path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const text = FAULTS[code];
  if (text === undefined) return undefined;
  const hint =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space there, or name another place.' : 'Mend that, or name another place.';
  return new DomainError('UNAVAILABLE', `${what ?? path ?? 'A file'} cannot be written: ${text} (${code})`, hint, { cause: error });
};
