import type { DomainEvent } from '../domain/catalogue.js';
import { comparePositions, type FaultCode, type LogEntry, ORIGIN, type Position, positionOf } from '../domain/envelope.js';
import { erases } from '../domain/erasure.js';
import type { DeadLetter, Degraded } from './dead-letter.js';
import type { Applied, Projection, Row, Write } from './projection.js';

type Entry = LogEntry<DomainEvent>;

/** A run of log entries turned into what one projection writes for them. */
export type Batch = {
  /** How many of the entries it covers, and the last of them. */
  readonly entries: number;
  readonly to: Position;
  readonly eventId: string | undefined;
  readonly writes: readonly Write[];
  /** The entry that made each write, by the write's place. */
  readonly origins: readonly Position[];
  /** Subjects whose entry in the degraded list is new or changed. */
  readonly degraded: ReadonlyMap<string, Degraded>;
  readonly letters: readonly DeadLetter[];
};

export type BatchContext = {
  readonly projection: Projection;
  /** The name that owns the rows, which differs from the projection's own for a shadow. */
  readonly name: string;
  readonly generation: number;
  readonly degraded: ReadonlyMap<string, Degraded>;
  /** Events already known to be poison here: their writes were refused, or what they read is no row. */
  readonly condemned: ReadonlySet<Position>;
  readonly rows: ReadonlyMap<string, Row>;
  /** A batch ends once its writes hold this many UTF-16 units; it covers one entry at least. */
  readonly size: number;
};

/** Whether the projection wants this entry, faults aside. */
export const concerns = (projection: Projection, entry: Entry): boolean => {
  if (entry.kind === 'husk') return projection.applyHusk !== undefined;
  return entry.kind === 'event' && (projection.handles === 'all' || projection.handles.includes(entry.event.type));
};

/** Names of the rows that these entries read, without repeats. */
export const rowsRead = (projection: Projection, entries: readonly Entry[]): readonly string[] => {
  const { reads } = projection;
  if (!reads) return [];
  return [...new Set(entries.flatMap((entry) => (entry.kind === 'event' && concerns(projection, entry) ? reads(entry.event) : [])))];
};

/**
 * Plans as many entries as fit. Never throws for an event: what cannot be applied degrades its subject, and later events
 * of that subject wait. A forgetting is applied all the same, since its text must leave the view.
 */
export const planBatch = (context: BatchContext, entries: readonly Entry[]): Batch => {
  const { projection, condemned } = context;
  const writes: Write[] = [];
  const origins: Position[] = [];
  const degraded = new Map<string, Degraded>();
  const letters: DeadLetter[] = [];
  const rows = new Map(context.rows);
  const read = new Set(rowsRead(projection, entries));
  let size = 0;
  let taken = 0;

  const standing = (subject: string): Degraded | undefined => degraded.get(subject) ?? context.degraded.get(subject);

  const bury = (position: Position, eventId: string | undefined, subject: string | undefined, code: FaultCode): void => {
    letters.push({ projection: context.name, generation: context.generation, position, event_id: eventId, subject, code });
    if (subject !== undefined) degraded.set(subject, { position, event_id: eventId, code, waiting: 0 });
  };

  const attempt = (entry: Exclude<Entry, { kind: 'fault' }>): readonly Write[] | undefined => {
    if (condemned.has(positionOf(entry))) return undefined;
    try {
      return entry.kind === 'event' ? projection.apply(entry.event, rows) : (projection.applyHusk?.(entry.husk) ?? []);
    } catch {
      return undefined;
    }
  };

  for (const entry of entries) {
    if (taken > 0 && size >= context.size) break;
    taken += 1;
    const { eventId, subject, position } = identify(entry);
    const stopped = subject === undefined ? undefined : standing(subject);

    if (entry.kind === 'fault') {
      if (subject !== undefined && stopped) degraded.set(subject, { ...stopped, waiting: stopped.waiting + 1 });
      else bury(position, eventId, subject, entry.fault.code);
      continue;
    }
    if (!concerns(projection, entry)) continue;
    if (subject !== undefined && stopped && comparePositions(position, stopped.position) >= 0 && !forgets(entry)) {
      degraded.set(subject, { ...stopped, waiting: stopped.waiting + 1 });
      continue;
    }
    const made = attempt(entry);
    if (!made) {
      bury(position, eventId, subject, 'APPLY_FAILED');
      continue;
    }
    for (const write of made) {
      writes.push(write);
      origins.push(position);
      if (read.has(write.row)) overlay(rows, write);
      size += sizeOf(write);
    }
  }

  const last = entries[taken - 1];
  const { position: to, eventId } = last ? identify(last) : { position: ORIGIN, eventId: undefined };
  return { entries: taken, to, eventId, writes, origins, degraded, letters };
};

const forgets = (entry: Entry): boolean => entry.kind === 'event' && erases(entry.event.type);

/** Position, event id and subject of an entry, as far as they are known. */
export const identify = (
  entry: Entry,
): { readonly position: Position; readonly eventId: string | undefined; readonly subject: string | undefined } => {
  if (entry.kind === 'fault') return { position: entry.fault.position, eventId: entry.fault.eventId, subject: entry.fault.subject };
  const { envelope, position }: Pick<Applied, 'envelope' | 'position'> = entry.kind === 'event' ? entry.event : entry.husk;
  return { position, eventId: envelope.id, subject: envelope.subject };
};

/** Keeps the rows that were read true for the entries that follow in the same batch. */
const overlay = (rows: Map<string, Row>, write: Write): void => {
  if (write.op === 'del') rows.delete(write.row);
  if (write.op !== 'set') return;
  const fields = { ...rows.get(write.row), ...write.fields };
  rows.set(write.row, Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)));
};

const sizeOf = (write: Write): number => {
  const head = write.row.length + 16;
  if (write.op === 'del') return head;
  if (write.op !== 'set') return head + write.member.length;
  let size = head;
  for (const [name, value] of Object.entries(write.fields)) size += name.length + (value?.length ?? 0);
  return size;
};
