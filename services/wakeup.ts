/** Lets a loop sleep until somebody pokes it, the time is up, or it is told to stop. A poke while it works is not lost. */
export const createWakeup = () => {
  let poked = false;
  let wake: (() => void) | undefined;

  const poke = (): void => {
    poked = true;
    wake?.();
  };

  const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        wake = undefined;
        poked = false;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      if (poked || signal.aborted) return done();
      wake = done;
      signal.addEventListener('abort', done, { once: true });
    });

  return { poke, sleep };
};

export type Wakeup = ReturnType<typeof createWakeup>;
