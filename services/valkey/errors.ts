import { DomainError, isDomainError } from '../../domain/errors.js';

type Trouble = {
  readonly when: RegExp;
  readonly says: string;
  readonly hint: string;
  /** A write that failed this way may have happened all the same. */
  readonly outcomeUnknown: boolean;
};

const RETRY = 'Try again in a few seconds; nothing that was acknowledged is lost.';

/** Server and connection faults that say nothing about the call itself. First match wins. */
const TROUBLES: readonly Trouble[] = [
  {
    when: /^OOM |maxmemory/,
    says: 'Valkey is at its memory limit',
    hint: 'Reading and forgetting still work. Raise maxmemory, or forget what is not needed.',
    outcomeUnknown: false,
  },
  {
    when: /^MISCONF .*(AOF|disk|No space)/i,
    says: 'Valkey refuses writes because its disk is full',
    hint: 'Free some disk space; service resumes by itself. Reading still works.',
    outcomeUnknown: false,
  },
  {
    // A server of ours says so, too, while its disk is full: that is how all its writes are turned off.
    when: /^NOREPLICAS /,
    says: 'Valkey refuses writes: no replica that must have them is in touch, or its disk is full',
    hint: 'Look at its replicas and at min-replicas-to-write; free some disk space where OmniMem runs it. Service resumes by itself; reading still works.',
    outcomeUnknown: false,
  },
  {
    when: /^MISCONF /,
    says: 'Valkey cannot persist and refuses writes',
    hint: 'Look at the log of the Valkey server.',
    outcomeUnknown: false,
  },
  {
    when: /^RESTORING /,
    says: 'A backup is being restored into this store',
    hint: 'Writing goes on when it is done. If that restore was ended, run omnimem restore again, or omnimem restore --give-up.',
    outcomeUnknown: false,
  },
  { when: /^LOADING /, says: 'Valkey is still loading its data', hint: RETRY, outcomeUnknown: false },
  { when: /^BUSY /, says: 'Valkey is busy with a script', hint: RETRY, outcomeUnknown: false },
  {
    when: /^TRYAGAIN |^MOVED |^ASK /,
    says: 'This memory is being moved to another server of the cluster',
    hint: RETRY,
    outcomeUnknown: false,
  },
  {
    when: /^CLUSTERDOWN /,
    says: 'A part of the Valkey cluster is down',
    hint: 'Service resumes by itself when its nodes are back; nothing that was acknowledged is lost.',
    outcomeUnknown: false,
  },
  {
    when: /^READONLY |^MASTERDOWN /,
    says: 'This Valkey server takes no writes now',
    hint: 'Point VALKEY_URL at the primary, or wait for the fail-over.',
    outcomeUnknown: false,
  },
  {
    when: /^NOAUTH |^WRONGPASS |^NOPERM /,
    says: 'Valkey refused the credentials',
    hint: 'Check VALKEY_URL or VALKEY_PASSWORD and the rights of that user.',
    outcomeUnknown: false,
  },
  { when: /^Command timed out/, says: 'Valkey did not answer in time', hint: RETRY, outcomeUnknown: true },
  {
    when: /Reached the max retries per request|Connection is closed|Connection closed|Stream isn't writeable|Socket timeout|Command aborted/i,
    says: 'The connection to Valkey broke',
    hint: RETRY,
    outcomeUnknown: true,
  },
];

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const troubleOf = (error: unknown): Trouble | undefined => {
  if (!(error instanceof Error)) return undefined;
  const known = TROUBLES.find(({ when }) => when.test(scriptless(error.message)));
  if (known) return known;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const connection =
    code !== undefined && SOCKET_CODES.has(code) && (syscall === undefined || /connect|read|write|getaddrinfo/.test(syscall));
  return connection ? { when: /./, says: 'Valkey cannot be reached', hint: RETRY, outcomeUnknown: true } : undefined;
};

/** The reply that a call inside a script got stands behind `ERR `, or before ` script: <sha>`. */
const scriptless = (message: string): string => message.replace(/^ERR (?=[A-Z]{4,} )/, '');

/** UNAVAILABLE for a connection, loading, memory or disk fault; every other error comes back as it is. */
export const fromValkey = (error: unknown): unknown => {
  const trouble = isDomainError(error) ? undefined : troubleOf(error);
  return trouble ? new DomainError('UNAVAILABLE', trouble.says, trouble.hint, { cause: error }) : error;
};

/** Runs a call and lets its Valkey faults out as UNAVAILABLE. */
export const unavailableWhenDown = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw fromValkey(error);
  }
};

/**
 * Whether a write that failed with this error may have been done: the connection broke or timed out after it was sent.
 * Takes the raw error as well as the UNAVAILABLE made from it. Ask again with the same command id.
 */
export const isOutcomeUnknown = (error: unknown): boolean => troubleOf(isDomainError(error) ? error.cause : error)?.outcomeUnknown ?? false;
