/** Counts what is under way, so that a stop can wait for it. */
export type Running = {
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly size: () => number;
  /** Resolves when nothing is under way. */
  readonly idle: () => Promise<void>;
};

export const createRunning = (): Running => {
  let size = 0;
  let waiting: (() => void)[] = [];
  return {
    track: async (work) => {
      size++;
      try {
        return await work;
      } finally {
        size--;
        if (size === 0) {
          for (const wake of waiting) wake();
          waiting = [];
        }
      }
    },
    size: () => size,
    idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  };
};
