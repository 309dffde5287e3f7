/** Lets a loop sleep until somebody pokes it, the time is up, or it is told to stop. A poke while it works is not lost. */
export const createWakeup = () => {
    let poked = false;
    let wake;
    const poke = () => {
        poked = true;
        wake?.();
    };
    const sleep = (milliseconds, signal) => new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wake = undefined;
            poked = false;
            resolve();
        };
        const timer = setTimeout(done, milliseconds);
        if (poked || signal.aborted)
            return done();
        wake = done;
        signal.addEventListener('abort', done, { once: true });
    });
    return { poke, sleep };
};
//# sourceMappingURL=wakeup.js.map