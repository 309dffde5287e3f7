import type { State } from '../domain/vocabulary.js';
import { type Applied, add, del, type Projection, type Row, remove, set, type Write, withFields } from './projection.js';
import type { View } from './view.js';

/** Sets ordered by time. Without a project: over all of them, memories of no project included. */
export const recentRows = {
  /** Active knowledge, by when its text was written or last revised: a new tag makes nothing news. */
  knowledge: 'knowledge',
  /** Active episodic memories, by their last change. */
  episodic: (project?: string): string => (project === undefined ? 'episodic' : `episodic:${project}`),
  /** Active preferences, by their last change. Without a project: those that hold everywhere. */
  preference: (project?: string): string => (project === undefined ? 'preference' : `preference:${project}`),
  /** Deprioritised memories that have hints, by when they were set aside or last changed. */
  reinstate: (project?: string): string => (project === undefined ? 'reinstate' : `reinstate:${project}`),
} as const;

/** What a memory's places follow from; it outlives the payloads, so that a forgotten memory leaves every set. */
const placeRow = (key: string): string => `of:${key}`;

const membersOf = (key: string, { namespace, project, state, updated_at, written_at, hinted }: Row): ReadonlyMap<string, string> => {
  const places = new Map<string, string>();
  const put = (row: (project?: string) => string): void => {
    places.set(row(), `${updated_at} ${key}`);
    if (project !== undefined) places.set(row(project), `${updated_at} ${key}`);
  };
  if (namespace === 'knowledge' && state === 'active') places.set(recentRows.knowledge, `${written_at} ${key}`);
  if (namespace === 'episodic' && state === 'active') put(recentRows.episodic);
  if (namespace === 'preference' && state === 'active') places.set(recentRows.preference(project), `${updated_at} ${key}`);
  if (state === 'deprioritised' && hinted !== undefined) put(recentRows.reinstate);
  return places;
};

type Changes = Readonly<Record<string, string | undefined>>;

const changesOf = (event: Applied): Changes | undefined => {
  const { at } = event.envelope;
  const moved = (state: State): Changes => ({ state, updated_at: at });
  switch (event.type) {
    case 'MemoryRemembered':
      return {
        namespace: event.data.namespace,
        project: event.data.project,
        written_at: at,
        hinted: undefined,
        state: 'active',
        updated_at: event.data.changed_at ?? at,
      };
    case 'MemoryRevised':
      return { updated_at: at, written_at: at };
    case 'MemoryRetagged':
    case 'ExperienceRecorded':
    case 'ApproachAbandoned':
      return { updated_at: at };
    case 'MemoryDeprioritised':
      return { ...moved('deprioritised'), hinted: event.data.reinstate_hints.length > 0 ? '1' : undefined };
    case 'MemoryArchived':
      return moved('archived');
    case 'MemoryReinstated':
      return moved('active');
    default:
      return undefined;
  }
};

const apply = (event: Applied, rows: ReadonlyMap<string, Row>): readonly Write[] => {
  const { subject } = event.envelope;
  const place = rows.get(placeRow(subject));
  const before = place ? membersOf(subject, place) : new Map<string, string>();
  const leave = (gone: (row: string, member: string) => boolean): readonly Write[] =>
    [...before].flatMap(([row, member]) => (gone(row, member) ? [remove(row, member)] : []));
  if (event.type === 'MemoryForgotten') return place ? [...leave(() => true), del(placeRow(subject))] : [];
  const changes = changesOf(event);
  if (!changes || (!place && event.type !== 'MemoryRemembered')) return [];
  const after = membersOf(subject, withFields(place ?? {}, changes));
  return [
    set(placeRow(subject), changes),
    ...leave((row, member) => after.get(row) !== member),
    ...[...after].flatMap(([row, member]) => (before.get(row) === member ? [] : [add(row, member)])),
  ];
};

/** Memories by time, so that what is new, what is stale and what may come back are each one read of a range. */
export const recent: Projection = {
  name: 'recent',
  version: 2,
  handles: [
    'MemoryRemembered',
    'MemoryRevised',
    'MemoryRetagged',
    'MemoryDeprioritised',
    'MemoryArchived',
    'MemoryReinstated',
    'ExperienceRecorded',
    'ApproachAbandoned',
    'MemoryForgotten',
  ],
  reads: ({ type, envelope }) => (type === 'MemoryRemembered' ? [] : [placeRow(envelope.subject)]),
  apply,
};

/** A memory's key with the time it is ordered by, ISO. */
export type Dated = { readonly at: string; readonly key: string };

/** Those of a set from `since` (ISO, inclusive; default all) on, newest first. */
export const newestFirst = async (
  view: View,
  row: string,
  { since, offset, limit }: { readonly since?: string | undefined; readonly offset?: number; readonly limit: number },
): Promise<readonly Dated[]> => (await view.members(row, { from: since, offset, limit, reverse: true })).map(dated);

/** Those of a set from before `until` (ISO, exclusive), oldest first. */
export const oldestFirst = async (
  view: View,
  row: string,
  { until, offset, limit }: { readonly until: string; readonly offset?: number; readonly limit: number },
): Promise<readonly Dated[]> => (await view.members(row, { to: until, offset, limit })).map(dated);

const dated = (member: string): Dated => {
  const end = member.indexOf(' ');
  return { at: member.slice(0, end), key: member.slice(end + 1) };
};
