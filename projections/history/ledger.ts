import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry, Position } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { isRecallable } from '../../domain/project/key.js';

/** Where each memory's events are, up to a moment: enough to read its row of that moment from the log again, and no text. */
export class Ledger {
  #places = new Map<string, Position[]>();
  #erased = new Set<string>();
  /** Forgotten by then. */
  readonly forgotten = new Set<string>();
  /** Memories with an event that cannot be read; they stand as before it. */
  readonly degraded = new Set<string>();

  /**
   * Takes an entry down. False when it is not the next event of its memory (one before it is no part of the moment or
   * cannot be read): then it must not be applied. A forgetting always counts.
   */
  note(entry: LogEntry<DomainEvent>): boolean {
    if (entry.kind === 'fault') {
      if (entry.fault.subject !== undefined && isRecallable(entry.fault.subject)) this.degraded.add(entry.fault.subject);
      return true;
    }
    const { envelope, position } = entry.kind === 'event' ? entry.event : entry.husk;
    const { subject, n } = envelope;
    if (!isRecallable(subject)) return true;
    const forgets = erases(envelope.type);
    const places = this.#places.get(subject) ?? [];
    if (n !== places.length + 1 && !forgets) return false;
    places.push(position);
    this.#places.set(subject, places);
    if (forgets) this.forgotten.add(subject);
    // A project may have a new context.
    else if (entry.kind === 'event') this.forgotten.delete(subject);
    if (entry.kind === 'husk') this.#erased.add(subject);
    return true;
  }

  /** The places of a memory's events, oldest first: version n is at n - 1. */
  placesOf(key: string): readonly Position[] {
    return this.#places.get(key) ?? [];
  }

  /** How many memories were there at the moment, as far as envelopes tell, and have lost their text since. */
  get forgottenSince(): number {
    let count = 0;
    for (const key of this.#erased) if (!this.forgotten.has(key)) count += 1;
    return count;
  }
}
