import type { Redis } from 'iovalkey';
import type { Keys } from './keys.js';
import type { LogReader } from './log-reader.js';

/** What the runner tells about itself; a pino logger fits. Fields hold ids and codes, never text of a memory. */
export type RunnerLog = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
};

/** What every part of the projector works with. */
export type ProjectorDeps = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly log: LogReader;
  /** The catalogue's fingerprint. */
  readonly fingerprint: string;
  readonly logger: RunnerLog;
  /** Epoch milliseconds. Default Date.now. */
  readonly now?: (() => number) | undefined;
  /** Entries read at once. Default 200. */
  readonly page?: number | undefined;
};
