import { isIP } from 'node:net';
import type { RedisOptions } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';

/** A URL (`redis://`, `rediss://`, `valkey://`, `valkeys://`, `unix:///path`) or the path of a unix socket. */
export type ValkeyTarget = string | { readonly path: string };

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
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port || 6379),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(db && { db: Number(db) }),
    // TLS knows no server by an address; its certificate is held against the host all the same.
    ...(tls && { tls: isIP(host) ? {} : { servername: host } }),
  };
};
