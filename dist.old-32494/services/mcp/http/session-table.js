const SWEEPS_PER_IDLE_TIME = 10;
/**
 * Sessions by id. One that nobody used for `idleMs` is closed; when a new one finds the table full, the one idle for longest
 * gives way. A session with an open request or stream is never idle.
 */
export const createSessionTable = ({ idleMs, max, now = Date.now }) => {
    // Kept in order of last use: the first idle entry is the one idle for longest.
    const entries = new Map();
    const end = (id) => {
        const entry = entries.get(id);
        entries.delete(id);
        return entry ? entry.session.close() : Promise.resolve();
    };
    const idle = () => [...entries].filter(([, { uses }]) => uses === 0).map(([id]) => id);
    const touch = (id, entry) => {
        entry.lastUsed = now();
        entries.delete(id);
        entries.set(id, entry);
    };
    const sweep = setInterval(() => {
        for (const id of idle())
            if (now() - (entries.get(id)?.lastUsed ?? 0) >= idleMs)
                void end(id);
    }, Math.max(10, Math.min(60_000, idleMs / SWEEPS_PER_IDLE_TIME)));
    sweep.unref();
    return {
        add: (id, session) => {
            if (entries.size >= max) {
                const oldest = idle()[0];
                if (oldest === undefined)
                    return false;
                void end(oldest);
            }
            entries.set(id, { session, uses: 0, lastUsed: now() });
            return true;
        },
        use: (id, done) => {
            const entry = entries.get(id);
            if (!entry)
                return undefined;
            entry.uses++;
            touch(id, entry);
            void done.then(() => {
                entry.uses--;
                if (entries.get(id) === entry)
                    touch(id, entry);
            });
            return entry.session;
        },
        remove: (id) => void entries.delete(id),
        size: () => entries.size,
        closeAll: async () => {
            clearInterval(sweep);
            await Promise.all([...entries.keys()].map(end));
        },
    };
};
//# sourceMappingURL=session-table.js.map