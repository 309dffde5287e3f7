import type { Config } from '../config.js';
import { type Reached, reachInstance } from './reach.js';

/** A client's hold on the instance, renewed when that one has gone. */
export type Session = {
  /** The instance, found or started at the first call. Throws as `reachInstance` does. */
  readonly connect: (onWait?: (what: string) => void) => Promise<Reached>;
  /** Gives up waiting for an instance that does not serve yet; one that was reached stays until `close`. */
  readonly stopWaiting: () => void;
  readonly close: () => Promise<void>;
};

export const createSession = (config: Config): Session => {
  const closing = new AbortController();
  let current: Promise<Reached> | undefined;

  const renewed = async (before: Promise<Reached> | undefined, onWait?: (what: string) => void): Promise<Reached> => {
    const known = await before?.catch(() => undefined);
    if (known && (await known.holds())) return known;
    await known?.leave();
    return reachInstance(config, { onWait, signal: closing.signal });
  };

  return {
    connect: (onWait) => {
      const connecting = renewed(current, onWait);
      current = connecting;
      return connecting;
    },
    stopWaiting: () => closing.abort(),
    close: async () => {
      closing.abort();
      const known = await current?.catch(() => undefined);
      await known?.leave();
    },
  };
};
