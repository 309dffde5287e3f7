import type { Random } from '../eventlog/random.js';
import { isPermanent, ModelError } from '../llm/port.js';
import type { EnricherBoard, Trouble } from './enricher-board.js';

/** Milliseconds of the first pause after a failure, which doubles up to the longest. */
export type Backoff = { readonly first: number; readonly longest: number };
export const DEFAULT_BACKOFF: Backoff = { first: 2_000, longest: 600_000 };

/** Faults of the service as a whole, whatever it was sent. */
const OUTAGES: ReadonlySet<string> = new Set(['OVERLOADED', 'RATE_LIMITED', 'TIMEOUT', 'UNAVAILABLE']);

export type Failure = {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  readonly permanent: boolean;
};

/** What went wrong, fit to be shown. */
export const failureOf = (error: unknown): Failure =>
  error instanceof ModelError
    ? { code: error.code, message: error.message, retryAfterMs: error.retryAfterMs, permanent: isPermanent(error) }
    : { code: 'INTERNAL', message: 'An enrichment failed for a reason of its own; see the log', retryAfterMs: undefined, permanent: false };

/** What the worker knows of its failures: whether it stands still, and how long it waits before it goes on. */
export class Troubles {
  #board: EnricherBoard;
  #random: Random;
  #backoff: Backoff;
  #trouble: Trouble | undefined;
  /** Times in a row that the model failed, and that the store took nothing. */
  #failures = 0;
  #refusals = 0;
  /** Epoch milliseconds until which nothing is begun. */
  pausedUntil = 0;

  constructor(board: EnricherBoard, random: Random, backoff: Backoff) {
    this.#board = board;
    this.#random = random;
    this.#backoff = backoff;
  }

  /** Nothing is tried until somebody asks. */
  get stopped(): boolean {
    return this.#trouble?.stopped === true;
  }

  get isPaused(): boolean {
    return this.stopped || Date.now() < this.pausedUntil;
  }

  /** Exponential, up to the longest, and anywhere in the upper half of that, so that processes do not fall into step. Milliseconds. */
  pause(attempts: number, asked = 0): number {
    const { first, longest } = this.#backoff;
    const chance = this.#random.bytes(2).readUInt16BE() / 65_536;
    return Math.max(asked, Math.min(longest, first * 2 ** (attempts - 1)) * (0.5 + chance / 2));
  }

  async noteFailure({ code, message, retryAfterMs, permanent }: Failure, at: string): Promise<void> {
    this.#failures += 1;
    this.#trouble = { code, message, since: this.#trouble?.since ?? at, count: this.#failures, stopped: permanent };
    if (OUTAGES.has(code)) this.pausedUntil = Date.now() + this.pause(this.#failures, retryAfterMs);
    await this.#board.trouble(this.#trouble);
  }

  /** The store may be away, or its disk full: the model is not paid again and again for that. */
  noteRefusal(): void {
    this.#refusals += 1;
    this.pausedUntil = Date.now() + this.pause(this.#refusals);
  }

  /** The store took what was written. */
  noteStored(): void {
    this.#refusals = 0;
  }

  /** The model answered, or somebody wants it asked whatever happened. */
  async clear(): Promise<void> {
    this.#failures = 0;
    if (!this.#trouble) return;
    this.#trouble = undefined;
    await this.#board.trouble(undefined);
  }
}
