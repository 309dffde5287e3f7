/** Wakes one sleeper early. A ring while nobody sleeps is heard by the next sleep at once. */
export type Bell = {
  readonly ring: () => void;
  /** Resolves at a ring, after `milliseconds`, at an abort or with `other`; rejects when `other` does. */
  readonly heard: (milliseconds: number, signal: AbortSignal, other: Promise<void> | undefined) => Promise<void>;
};

export const createBell = (): Bell => {
  let rang = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rang = true;
      wake?.();
    },
    heard: async (milliseconds, signal, other) => {
      if (!rang && !signal.aborted) {
        await new Promise<void>((resolve, reject) => {
          const finish = (settle: () => void) => (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wake = undefined;
            settle();
          };
          const done = finish(resolve);
          const timer = setTimeout(done, milliseconds);
          signal.addEventListener('abort', done);
          wake = done;
          other?.then(done, (error: unknown) => finish(() => reject(error))());
        });
      }
      rang = false;
    },
  };
};
