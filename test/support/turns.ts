/**
 * Runs work beside a timer of 5 ms. Answers how long the work took and the longest time that the timer had to wait, in
 * milliseconds, to be held against each other.
 */
export const longestWait = async (work: () => Promise<unknown>): Promise<{ readonly took: number; readonly waited: number }> => {
  const began = performance.now();
  let last = began;
  let waited = 0;
  const turn = (): void => {
    const now = performance.now();
    waited = Math.max(waited, now - last);
    last = now;
  };
  const timer = setInterval(turn, 5);
  try {
    await work();
    turn();
    return { took: performance.now() - began, waited };
  } finally {
    clearInterval(timer);
  }
};
