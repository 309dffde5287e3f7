import type { DomainEvent } from './catalogue.js';

/** An event of a subject with the version it made. */
export type PastEvent = DomainEvent & { readonly n: number; readonly at: string };

/**
 * What an upcaster cannot do, one subject at a time. `decide` is pure and must find nothing to do on what it has done: a
 * migration that was cut off looks at some subjects twice.
 */
export type Migration = {
  /** From 1, without a gap; it never changes once shipped, nor does what the migration does. */
  readonly number: number;
  /** What it does, in a few words with hyphens. */
  readonly name: string;
  /** Which subjects it looks at. */
  readonly concerns: (subject: string) => boolean;
  /** Compensating events for one subject, of which `history` is what is left after erasures; empty when it needs none. */
  readonly decide: (subject: string, history: readonly PastEvent[]) => readonly DomainEvent[];
};
