import { Redis, type RedisOptions } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import { SlotConnection } from './cluster/slot-connection.js';

/**
 * What a connection is for decides how it fails.
 * - `append`: a write in flight when the connection breaks is rejected at once and never sent again (its outcome is unknown).
 * - `general`: reads and absolute writes; waits out a short outage, bounded by the command time-out; a server that stays silent
 *   for twice as long is taken to be dead at the other end, and the connection is left for a new one.
 * - `blocking`: `XREAD BLOCK` and the like, at most 10 s a call; no command time-out, a silent server is left after 30 s.
 * - `subscriber`: pub/sub; subscribes again by itself.
 */
export type ConnectionKind = 'append' | 'general' | 'blocking' | 'subscriber';

/** A URL (`redis://`, `rediss://`, `valkey://`, `valkeys://`, `unix:///path`) or the path of a unix socket. */
export type ValkeyTarget = string | { readonly path: string };

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

const SCHEMES = { 'redis:': false, 'valkey:': false, 'rediss:': true, 'valkeys:': true } as const;

/** The client's options for a target. Throws VALIDATION; the message never holds the password. */
export const addressOf = (target: ValkeyTarget): RedisOptions => {
  if (typeof target !== 'string') return { path: target.path };
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url?.protocol === 'unix:' && url.pathname.length > 1) return { path: decodeURIComponent(url.pathname) };
  const tls = url && Object.hasOwn(SCHEMES, url.protocol) ? SCHEMES[url.protocol as keyof typeof SCHEMES] : undefined;
  const db = url ? url.pathname.slice(1) : '';
  if (!url?.hostname || tls === undefined || !/^\d*$/.test(db)) {
    throw new DomainError(
      'VALIDATION',
      'VALKEY_URL is not the address of a Valkey server',
      'Use redis://host:6379, rediss://, valkey://, valkeys:// (both with TLS) or unix:///path/to/socket, with /<database number> at most.',
    );
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(db && { db: Number(db) }),
    ...(tls && { tls: { servername: url.hostname } }),
  };
};

/** A target as it may be shown: the password replaced. */
export const describeTarget = (target: ValkeyTarget): string =>
  typeof target === 'string' ? target.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1:***@') : `unix:${target.path}`;
