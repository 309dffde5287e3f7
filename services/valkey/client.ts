import { Redis, type RedisOptions } from 'iovalkey';
import { addressOf, type ValkeyTarget } from './address.js';
import { SlotConnection } from './cluster/slot-connection.js';

export type { ValkeyTarget } from './address.js';

/**
 * What a connection is for decides how it fails.
 * - `append`: a write in flight when the connection breaks is rejected at once and never sent again (its outcome is unknown).
 * - `general`: reads and absolute writes; waits out a short outage, bounded by the command time-out; a server that stays silent
 *   for twice as long is taken to be dead at the other end, and the connection is left for a new one.
 * - `blocking`: `XREAD BLOCK` and the like, at most 10 s a call; no command time-out, a silent server is left after 30 s.
 * - `subscriber`: pub/sub; subscribes again by itself.
 */
export type ConnectionKind = 'append' | 'general' | 'blocking' | 'subscriber';

export type ConnectionSettings = {
  /** Shown by `CLIENT LIST`. */
  readonly name?: string;
  /** Milliseconds after which a call of kind `append` or `general` fails with UNAVAILABLE. Default 10,000. */
  readonly commandTimeoutMs?: number;
  /** Told of each connection error; the connection goes on trying whether or not anybody listens. */
  readonly onError?: (error: Error) => void;
  /** On a cluster: a key of the slot whose primary this connection leads to. The target then names any node. */
  readonly slotOf?: string;
};

const KINDS: Record<ConnectionKind, (timeoutMs: number) => RedisOptions> = {
  append: (commandTimeout) => ({ commandTimeout, maxRetriesPerRequest: 0 }),
  general: (commandTimeout) => ({ commandTimeout, maxRetriesPerRequest: null, socketTimeout: 2 * commandTimeout }),
  blocking: () => ({ maxRetriesPerRequest: null, socketTimeout: 30_000 }),
  subscriber: () => ({ maxRetriesPerRequest: null, autoResubscribe: true }),
};

/** Milliseconds before the n-th attempt to connect again (n from 1): 20, 40, 80 … 1,000. */
export const reconnectDelay = (attempt: number): number => Math.min(1_000, 10 * 2 ** Math.min(attempt, 10));

/**
 * Opens a connection, which connects and reconnects by itself; calls made meanwhile wait within their time-out.
 * Throws VALIDATION for a URL that it cannot read. Close it with `disconnect()` or `quit()`.
 */
export const connect = (target: ValkeyTarget, kind: ConnectionKind, settings: ConnectionSettings = {}): Redis => {
  const options: RedisOptions = {
    ...addressOf(target),
    ...KINDS[kind](settings.commandTimeoutMs ?? 10_000),
    connectionName: settings.name ?? `omnimem-${kind}`,
    connectTimeout: 5_000,
    keepAlive: 30_000,
    // The ready check would otherwise wait a whole second for a server that loads in a tenth of one.
    maxLoadingRetryTime: 20,
    retryStrategy: reconnectDelay,
  };
  const client = settings.slotOf === undefined ? new Redis(options) : new SlotConnection(options, settings.slotOf);
  client.on('error', (error: Error) => settings.onError?.(error));
  return client;
};

/** A target as it may be shown: the password replaced. */
export const describeTarget = (target: ValkeyTarget): string =>
  typeof target === 'string' ? target.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1:***@') : `unix:${target.path}`;
