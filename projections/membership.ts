import type { DomainEvent } from '../domain/catalogue.js';
import { type Applied, add, del, type Projection, type Row, remove, set } from './projection.js';

/** A member of a set, by the set's name. */
export type Membership = { readonly set: string; readonly member: string };

/** What one subject's sets follow from, as text fields; undefined when it is in none. */
type Standing = Row | undefined;

export type MembershipRules = {
  readonly name: string;
  readonly version: number;
  readonly handles: readonly DomainEvent['type'][];
  /** The standing after one more event of the subject. */
  readonly evolve: (before: Standing, event: Applied) => Standing;
  /** Every set that a subject with this standing is in. */
  readonly members: (subject: string, standing: Row) => readonly Membership[];
};

const rowOf = (subject: string): string => `of:${subject}`;
const SEPARATOR = '\u0000';

/**
 * A read model of sets: each subject has a row of what its sets follow from, and is moved from where it was to where it
 * belongs after each event. Counts are the sizes of the sets. It holds no text but what `members` writes.
 */
export const membershipProjection = ({ name, version, handles, evolve, members }: MembershipRules): Projection => ({
  name,
  version,
  handles,
  reads: ({ envelope }) => [rowOf(envelope.subject)],
  apply: (event, rows) => {
    const { subject } = event.envelope;
    const row = rowOf(subject);
    const before = rows.get(row);
    const after = evolve(before, event);
    if (before === after) return [];
    const [left, joined] = [placesOf(subject, before, members), placesOf(subject, after, members)];
    return [
      ...[...left].filter(([place]) => !joined.has(place)).map(([, { set: from, member }]) => remove(from, member)),
      ...[...joined].filter(([place]) => !left.has(place)).map(([, { set: to, member }]) => add(to, member)),
      after === undefined ? del(row) : set(row, { ...cleared(before), ...after }),
    ];
  },
});

const placesOf = (subject: string, standing: Standing, members: MembershipRules['members']): ReadonlyMap<string, Membership> =>
  new Map(
    standing === undefined ? [] : members(subject, standing).map((place) => [`${place.set}${SEPARATOR}${place.member}`, place] as const),
  );

/** Fields that were there and may not be any more. */
const cleared = (before: Standing): Readonly<Record<string, undefined>> =>
  Object.fromEntries(Object.keys(before ?? {}).map((field) => [field, undefined]));
