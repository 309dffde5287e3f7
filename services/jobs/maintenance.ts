import { isDomainError } from '../../domain/errors.js';
import { expireKnowledge } from '../commands/maintenance/maintain.js';
import type { CommandParts } from '../commands/parts.js';
import type { Wakeup } from '../wakeup.js';
import { inBackground } from './background.js';

const DAY_MS = 24 * 60 * 60_000;
/** A machine that slept looks again within the hour. */
const LOOK_MS = 60 * 60_000;
const AGAIN_MS = 60_000;

export type MaintenanceJobParts = CommandParts & { readonly onTrouble: (message: string, error?: unknown) => void };

/**
 * Archives expired knowledge once a day, and soon after the start, whether anybody asks for a briefing or not. Recall leaves
 * it out from the moment it expires.
 */
export class MaintenanceJob {
  #parts: MaintenanceJobParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  #ranAt: number | undefined;

  constructor(parts: MaintenanceJobParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#background.start();
  }

  /** Look at once, whenever it last ran. */
  poke(): void {
    this.#ranAt = undefined;
    this.#background.poke();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    while (!signal.aborted) {
      const done = await this.#runWhenDue(signal);
      await sleep(done ? LOOK_MS : AGAIN_MS, signal);
    }
  }

  /** False when it is to be tried again soon. */
  async #runWhenDue(signal: AbortSignal): Promise<boolean> {
    const { now, onTrouble } = this.#parts;
    if (this.#ranAt !== undefined && now() - this.#ranAt < DAY_MS) return true;
    const begun = now();
    try {
      if ((await this.#parts.index.progress.waitFor('end', LOOK_MS)) === 'late') return false;
      await expireKnowledge(this.#parts, signal);
      this.#ranAt = begun;
      return true;
    } catch (error) {
      // Another process is at it.
      if (!signal.aborted && !isDomainError(error, 'CONFLICT'))
        onTrouble('expired knowledge could not be archived; it is tried again', error);
      return false;
    }
  }
}
