/** Twelve hours: people leave an editor open over lunch and over night, and one known client does not open a new session by itself. */
const SESSION_IDLE_MS = 12 * 3_600_000;
export const DEFAULT_LIMITS = {
    readyWaitMs: 60_000,
    sessionIdleMs: SESSION_IDLE_MS,
    maxSessions: 512,
    drainMs: 8_000,
    maxBodyBytes: 4 * 1024 * 1024,
    keepAliveMs: 15_000,
    requestArrivalMs: 30_000,
};
//# sourceMappingURL=limits.js.map