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
];
/** One `INFO`. Rejects with the raw Valkey error. */
export const readVitals = async (redis) => {
    const fields = new Map((await redis.info()).split(/\r?\n/).flatMap((line) => {
        const colon = line.indexOf(':');
        return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }));
    return {
        version: fields.get('valkey_version') ?? fields.get('redis_version') ?? 'unknown',
        numbers: Object.fromEntries(VITALS.flatMap((name) => (fields.has(name) ? [[name, Number(fields.get(name))]] : []))),
        aofLastWrite: fields.get('aof_last_write_status') ?? 'unknown',
    };
};
//# sourceMappingURL=valkey-vitals.js.map