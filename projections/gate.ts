/** Closed once, then open for good. */
export type Gate = {
  readonly open: () => void;
  /** Whether it opened within so many milliseconds. */
  readonly passed: (milliseconds: number) => Promise<boolean>;
};

export const createGate = (): Gate => {
  let isOpen = false;
  const waiting = new Set<() => void>();
  return {
    open: () => {
      isOpen = true;
      for (const pass of waiting) pass();
    },
    passed: (milliseconds) => {
      if (isOpen) return Promise.resolve(true);
      return new Promise((resolve) => {
        const pass = (): void => {
          clearTimeout(timer);
          waiting.delete(pass);
          resolve(isOpen);
        };
        const timer = setTimeout(pass, milliseconds);
        waiting.add(pass);
      });
    },
  };
};
