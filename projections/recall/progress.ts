import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';

/** How far an in-process view has come, and who waits for it. */
export class Progress {
  #position: Position = ORIGIN;
  #caughtUp = false;
  #closed = false;
  #waiters = new Set<{ readonly position: Position | 'end'; readonly wake: () => void }>();

  get position(): Position {
    return this.#position;
  }

  /** Whether the end of the log was met at least once. */
  get everCaughtUp(): boolean {
    return this.#caughtUp;
  }

  reached(position: Position): void {
    this.#position = position;
    this.#wake();
  }

  caughtUp(): void {
    if (this.#caughtUp) return;
    this.#caughtUp = true;
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** `reached` once the view has passed the position (`end`: the log's end, once), `late` when the time is up first or the signal ends. */
  waitFor(position: Position | 'end', timeoutMs: number, signal?: AbortSignal): Promise<'reached' | 'late'> {
    return new Promise((resolve) => {
      if (this.#passed(position)) return resolve('reached');
      if (this.#closed || signal?.aborted) return resolve('late');
      const timer = setTimeout(() => done('late'), timeoutMs);
      const done = (outcome: 'reached' | 'late'): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.#waiters.delete(waiter);
        resolve(outcome);
      };
      const waiter = { position, wake: () => done(this.#passed(position) ? 'reached' : 'late') };
      const stop = (): void => done('late');
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #passed(position: Position | 'end'): boolean {
    return position === 'end' ? this.#caughtUp : comparePositions(this.#position, position) >= 0;
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (this.#closed || this.#passed(waiter.position)) waiter.wake();
  }
}
