import { setImmediate as turn } from 'node:timers/promises';

const AT_A_STRETCH_MS = 10;

/** For long work of the process's own: lets others have a turn when it took too long at a stretch, and stops when aborted. */
export const breather = (signal: AbortSignal | undefined): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_A_STRETCH_MS) return;
    signal?.throwIfAborted();
    await turn();
    since = performance.now();
  };
};
