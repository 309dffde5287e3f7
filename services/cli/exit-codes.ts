import type { ErrorCode } from '../../domain/errors.js';

/** What the shell gets. docs/cli.md and `omnimem --help` say the same. */
export const EXIT = {
  ok: 0,
  /** Understood and not done, or done and found wanting. */
  failed: 1,
  /** Bad arguments or settings. */
  usage: 2,
  nothingFound: 3,
  /** The store, the instance or the model cannot be reached, or the disk takes no more. */
  unavailable: 4,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  VALIDATION: EXIT.usage,
  CONFIRMATION_REQUIRED: EXIT.usage,
  TOO_LARGE: EXIT.usage,
  NOT_FOUND: EXIT.nothingFound,
  UNAVAILABLE: EXIT.unavailable,
  UNAUTHORISED: EXIT.unavailable,
  CONFLICT: EXIT.failed,
  INTERNAL: EXIT.failed,
};

export const exitCodeOf = (code: ErrorCode): ExitCode => BY_ERROR[code];

export const EXIT_CODES_HELP = `Exit codes:
  0    done
  1    understood and not done, or found wanting (a duplicate, a view that differs, a failed check)
  2    wrong arguments or settings
  3    nothing found
  4    the store, the instance or the model cannot be reached, or a disk cannot be written
  130  interrupted with Ctrl-C`;
