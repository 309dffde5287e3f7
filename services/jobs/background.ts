import { createWakeup, type Wakeup } from '../wakeup.js';

/** Work that goes on in the background until it is closed. */
export type Background = {
  /** Begins; does nothing when it has begun. */
  readonly start: () => void;
  /** There is something to do: look now. */
  readonly poke: () => void;
  /** Tells it to stop, and waits until it has. */
  readonly close: () => Promise<void>;
};

/** `run` works until the signal says stop, and sleeps by the wakeup in between. It must not throw. */
export const inBackground = (run: (signal: AbortSignal, sleep: Wakeup['sleep']) => Promise<void>): Background => {
  const { poke, sleep } = createWakeup();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    start: () => {
      running ??= run(stopping.signal, sleep);
    },
    poke,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};
