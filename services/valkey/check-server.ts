import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import { unavailableWhenDown } from './errors.js';
import { parseInfo } from './info.js';

export type ServerFacts = {
  readonly version: string;
  /** Lower-case names, such as `search`. */
  readonly modules: readonly string[];
  /** Keys must then carry the tenant as a hash tag. */
  readonly cluster: boolean;
  /** For people: what this server may lose. */
  readonly warnings: readonly string[];
};

/**
 * Looks at a server before anything is written to it. VALIDATION when it may evict keys, is a replica or is older than 7;
 * UNAVAILABLE when it does not answer.
 */
export const checkServer = async (client: Redis): Promise<ServerFacts> => {
  const info = parseInfo(await unavailableWhenDown(() => client.info()));
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? '0';
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    throw new DomainError(
      'VALIDATION',
      `This Valkey drops keys when memory is short (maxmemory-policy ${policy}); memories would vanish`,
      'Set maxmemory-policy noeviction on that server, in its configuration file too.',
    );
  }
  if (Number.parseInt(info.get('redis_version') ?? version, 10) < 7) {
    throw new DomainError(
      'VALIDATION',
      `This server is version ${version}; OmniMem needs Valkey 7.2 or later`,
      'Upgrade it, or unset VALKEY_URL.',
    );
  }
  if (info.get('role') === 'slave') {
    throw new DomainError('VALIDATION', 'This Valkey is a replica and takes no writes', 'Point VALKEY_URL at its primary.');
  }
  return {
    version,
    modules: await modulesOf(client),
    cluster: info.get('cluster_enabled') === '1',
    warnings:
      info.get('aof_enabled') === '0' ? ['This Valkey writes no append-only file: what it acknowledges may be lost when it ends.'] : [],
  };
};

/** A server may forbid MODULE LIST to this user; then no module is assumed. */
const modulesOf = async (client: Redis): Promise<string[]> => {
  const reply = await client.call('MODULE', 'LIST').catch(() => []);
  if (!Array.isArray(reply)) return [];
  return reply.flatMap((entry: unknown) => (Array.isArray(entry) ? String(entry[entry.indexOf('name') + 1]).toLowerCase() : []));
};
