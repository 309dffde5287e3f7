import type { Redis } from 'iovalkey';
import { parseInfo } from '../valkey/info.js';

/** Figures of `INFO` that say how the server is, as numbers. */
const VITALS = [
  'used_memory',
  'maxmemory',
  'used_memory_rss',
  'connected_clients',
  'blocked_clients',
  'total_commands_processed',
  'instantaneous_ops_per_sec',
  'evicted_keys',
  'aof_enabled',
  'aof_current_size',
  'aof_rewrite_in_progress',
  'uptime_in_seconds',
] as const;

export type ValkeyVitals = {
  readonly version: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly aofLastWrite: string;
};

/** One `INFO`. Rejects with the raw Valkey error. */
export const readVitals = async (redis: Redis): Promise<ValkeyVitals> => {
  const fields = parseInfo(await redis.info());
  return {
    version: fields.get('valkey_version') ?? fields.get('redis_version') ?? 'unknown',
    numbers: Object.fromEntries(VITALS.flatMap((name) => (fields.has(name) ? [[name, Number(fields.get(name))]] : []))),
    aofLastWrite: fields.get('aof_last_write_status') ?? 'unknown',
  };
};
