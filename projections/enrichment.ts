import { isEnrichable } from '../domain/enrichment/eligible.js';
import { type Applied, add, del, type Projection, type Row, remove, set, type Write } from './projection.js';
import type { View } from './view.js';

const PENDING = 'pending';
const PARKED = 'parked';

const rowOf = (key: string): string => `of:${key}`;

/** The set a memory belongs to: the queue while nobody has enriched its present text, or what was given up. */
const setOf = ({ state, content_version, finished_of, parked_of }: Row): string | undefined => {
  if (state !== 'active' || finished_of === content_version) return undefined;
  return parked_of === content_version ? PARKED : PENDING;
};

/** `<ISO time of the text> <key>`, so that a set is ordered by age. */
const memberOf = (key: string, { since }: Row): string => `${since} ${key}`;

const keyIn = (member: string): string => member.slice(member.indexOf(' ') + 1);

const apply = (event: Applied, rows: ReadonlyMap<string, Row>): readonly Write[] => {
  const { subject } = event.envelope;
  const before = rows.get(rowOf(subject)) ?? {};
  if (event.type === 'MemoryForgotten') return [del(rowOf(subject)), ...leave(subject, before)];
  const change = changeOf(event, before);
  if (!change) return [];
  const after = { ...before, ...change };
  const [from, to] = [setOf(before), setOf(after)];
  const stays = from === to && before.since === after.since;
  return [
    set(rowOf(subject), change),
    ...(stays ? [] : leave(subject, before)),
    ...(stays || to === undefined ? [] : [add(to, memberOf(subject, after))]),
  ];
};

const leave = (subject: string, row: Row): readonly Write[] => {
  const from = setOf(row);
  return from === undefined ? [] : [remove(from, memberOf(subject, row))];
};

/** What an event changes of a memory's row; undefined for a memory that is never enriched. */
const changeOf = (event: Applied, before: Row): Row | undefined => {
  const { n, at } = event.envelope;
  if (event.type === 'MemoryRemembered') {
    if (!isEnrichable(event.data)) return undefined;
    const { doc_id } = event.data;
    return { state: 'active', content_version: String(n), since: at, ...(doc_id !== undefined && { doc_id }) };
  }
  if (before.since === undefined) return undefined;
  switch (event.type) {
    case 'MemoryRevised':
      return { content_version: String(n), since: at };
    case 'MemoryDeprioritised':
      return { state: 'deprioritised' };
    case 'MemoryArchived':
      return { state: 'archived' };
    case 'MemoryReinstated':
      return { state: 'active' };
    case 'EnrichmentFinished':
      return { finished_of: String(event.data.of) };
    case 'EnrichmentParked': {
      const { of, code, attempts } = event.data;
      return { parked_of: String(of), parked_code: code, parked_attempts: String(attempts) };
    }
    default:
      return undefined;
  }
};

/**
 * The queue of enrichment: active memories of full mode whose present text has neither been enriched nor given up on. No
 * text in it.
 */
export const enrichment: Projection = {
  name: 'enrichment',
  version: 1,
  handles: [
    'MemoryRemembered',
    'MemoryRevised',
    'MemoryDeprioritised',
    'MemoryArchived',
    'MemoryReinstated',
    'MemoryForgotten',
    'EnrichmentFinished',
    'EnrichmentParked',
  ],
  reads: ({ type, envelope }) => (type === 'MemoryRemembered' ? [] : [rowOf(envelope.subject)]),
  apply,
};

/** One memory of the queue. */
export type EnrichmentJob = {
  readonly key: string;
  /** ISO time of the text that waits. */
  readonly since: string;
  readonly docId: string | undefined;
};

/** A page of the queue, oldest first. */
export const readPending = async (view: View, offset: number, limit: number): Promise<readonly EnrichmentJob[]> =>
  jobsOf(view, await view.members(PENDING, { offset, limit }));

/** Those that were given up, oldest first. */
export const readParked = async (
  view: View,
  offset: number,
  limit: number,
): Promise<readonly (EnrichmentJob & { readonly code: string; readonly attempts: number })[]> => {
  const members = await view.members(PARKED, { offset, limit });
  const rows = await view.rows(members.map((member) => rowOf(keyIn(member))));
  return members.map((member, i) => ({
    ...jobOf(member, rows[i] ?? {}),
    code: rows[i]?.parked_code ?? '',
    attempts: Number(rows[i]?.parked_attempts ?? 0),
  }));
};

/** How many wait, and how many were given up. */
export const countEnrichment = async (view: View): Promise<{ readonly pending: number; readonly parked: number }> => {
  const [pending = 0, parked = 0] = await view.counts([PENDING, PARKED]);
  return { pending, parked };
};

const jobsOf = async (view: View, members: readonly string[]): Promise<readonly EnrichmentJob[]> => {
  const rows = await view.rows(members.map((member) => rowOf(keyIn(member))));
  return members.map((member, i) => jobOf(member, rows[i] ?? {}));
};

const jobOf = (member: string, { doc_id }: Row): EnrichmentJob => ({
  key: keyIn(member),
  since: member.slice(0, member.indexOf(' ')),
  docId: doc_id,
});
