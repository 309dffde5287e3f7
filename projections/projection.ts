import type { DomainEvent } from '../domain/catalogue.js';
import type { Husk, Recorded } from '../domain/envelope.js';

/** The fields of a row, as text. */
export type Row = Readonly<Record<string, string>>;

/** What a `set` makes of a row: the fields named replaced, those that are `undefined` gone. */
export const withFields = (row: Row, changes: Readonly<Record<string, string | undefined>>): Row => {
  const fields: Record<string, string> = { ...row };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete fields[name];
    else fields[name] = value;
  }
  return fields;
};

/**
 * What applying an event writes. All writes are absolute, so that a batch met twice leaves the same view: no increments,
 * no appends, no expiry. `row` is a logical name inside the generation.
 */
export type Write =
  /** Replaces the fields named; `undefined` removes a field. */
  | { readonly op: 'set'; readonly row: string; readonly fields: Readonly<Record<string, string | undefined>> }
  | { readonly op: 'del'; readonly row: string }
  /** Members of a sorted set whose scores are all 0: ordered by name, counted by size. */
  | { readonly op: 'add'; readonly row: string; readonly member: string }
  | { readonly op: 'remove'; readonly row: string; readonly member: string };

export const set = (row: string, fields: Readonly<Record<string, string | undefined>>): Write => ({ op: 'set', row, fields });
export const del = (row: string): Write => ({ op: 'del', row });
export const add = (row: string, member: string): Write => ({ op: 'add', row, member });
export const remove = (row: string, member: string): Write => ({ op: 'remove', row, member });

/** What a projection sees of one entry: an event with its data, or a husk whose payload was erased. */
export type Applied = Recorded<DomainEvent>;

/**
 * One read model. `apply` is pure: no clock, no randomness, no ids, nothing but the event and the rows it asked for. It
 * depends only on the order of events within a subject.
 */
export type Projection = {
  readonly name: string;
  /** Raised when `apply` changes meaning. The catalogue's fingerprint is added to it by the runner. */
  readonly version: number;
  readonly handles: readonly DomainEvent['type'][] | 'all';
  /** Rows of this projection, by logical name, whose present fields `apply` needs; absent for most events. */
  readonly reads?: (event: Applied) => readonly string[];
  readonly apply: (event: Applied, rows: ReadonlyMap<string, Row>) => readonly Write[];
  /** For views that keep a line for an erased event, from its envelope alone. Others never see husks. */
  readonly applyHusk?: (husk: Husk) => readonly Write[];
};
