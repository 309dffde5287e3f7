import type { DomainEvent } from '../domain/catalogue.js';
import type { LogEntry, Position } from '../domain/envelope.js';

/** A place in one particular log, worth nothing unless that log still holds that very event. */
export type Checkpoint = { readonly logId: string; readonly position: Position; readonly eventId: string | undefined };

/** What views need of the event log. Everything throws DomainError UNAVAILABLE when Valkey is away. */
export type LogReader = {
  readonly logId: string;
  /** Up to `count` entries after `after`, in order, decoded, upcast and validated; faults and husks are told apart, never thrown. */
  readonly read: (after: Position, count: number) => Promise<readonly LogEntry<DomainEvent>[]>;
  /** The last entry, or undefined while the log is empty. */
  readonly head: () => Promise<{ readonly position: Position; readonly eventId: string | undefined } | undefined>;
  /** How many erasures there were. What was read before this number moved must not be published. */
  readonly erasures: () => Promise<number>;
  /** Whether the log holds this very event at this very place. */
  readonly holds: (position: Position, eventId: string) => Promise<boolean>;
  /** Resolves when an entry after `after` may exist, when `timeoutMs` have passed, or when aborted. */
  readonly waitForMore: (after: Position, timeoutMs: number, signal: AbortSignal) => Promise<void>;
};
