/** Bounds of the transports. Times in milliseconds, sizes in bytes. */
export type McpLimits = {
  /** How long a call waits for the store and its views before it answers UNAVAILABLE. */
  readonly readyWaitMs: number;
  /** A session nobody used for so long is closed; its client gets 404 and opens a new one. */
  readonly sessionIdleMs: number;
  /** Sessions of each kind. At the limit the one idle for longest is closed; when none is idle, a new one is refused. */
  readonly maxSessions: number;
  /** How long close() waits for running calls. */
  readonly drainMs: number;
  readonly maxBodyBytes: number;
  /** Silence after which a stream sends a comment, so that proxies keep it and vanished clients are noticed. */
  readonly keepAliveMs: number;
  /** How long a request may take to arrive, head and body. */
  readonly requestArrivalMs: number;
};

/** Twelve hours: people leave an editor open over lunch and over night, and one known client does not open a new session by itself. */
const SESSION_IDLE_MS = 12 * 3_600_000;

export const DEFAULT_LIMITS: McpLimits = {
  readyWaitMs: 60_000,
  sessionIdleMs: SESSION_IDLE_MS,
  maxSessions: 512,
  drainMs: 8_000,
  maxBodyBytes: 4 * 1024 * 1024,
  keepAliveMs: 15_000,
  requestArrivalMs: 30_000,
};
