import { comparePositions, ORIGIN } from '../../domain/envelope.js';
const BLOCK_MS = 2_000;
const BACKOFF_MS = 200;
/**
 * Watches the end of the log for everybody in this process: one blocking connection, however many wait. Appends of this
 * process are announced at once through `saw`.
 */
export const createTail = (blocking, keys) => {
    const waiters = new Set();
    let last = ORIGIN;
    let watching = false;
    let closed = false;
    const saw = (position) => {
        if (comparePositions(position, last) > 0)
            last = position;
        for (const waiter of waiters)
            if (comparePositions(last, waiter.after) > 0)
                waiter.wake();
    };
    const watch = async () => {
        while (!closed && waiters.size > 0) {
            try {
                const from = last;
                const found = await blocking.xread('COUNT', 1, 'BLOCK', BLOCK_MS, 'STREAMS', keys.log, from);
                if (!found)
                    continue;
                const [newest] = await blocking.xrevrange(keys.log, '+', '-', 'COUNT', 1);
                if (newest)
                    saw(newest[0]);
            }
            catch {
                // An outage is reported by the reads that fail; the watcher only waits it out.
                if (!closed)
                    await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS));
            }
        }
        watching = false;
    };
    /** Resolves when an entry after `after` may exist, when the time is up, or when aborted. Never rejects. */
    const waitForMore = (after, timeoutMs, signal) => new Promise((resolve) => {
        if (closed || signal.aborted || comparePositions(last, after) > 0)
            return resolve();
        const finish = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', finish);
            waiters.delete(waiter);
            resolve();
        };
        const timer = setTimeout(finish, timeoutMs);
        const waiter = { after, wake: finish };
        waiters.add(waiter);
        signal.addEventListener('abort', finish, { once: true });
        if (!watching) {
            watching = true;
            void watch();
        }
    });
    const close = () => {
        closed = true;
        for (const waiter of waiters)
            waiter.wake();
        blocking.disconnect();
    };
    return { saw, waitForMore, close };
};
//# sourceMappingURL=tail.js.map