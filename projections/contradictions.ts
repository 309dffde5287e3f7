import type { Flagged } from '../domain/memory/memory.js';
import { projectOf } from '../domain/project/key.js';
import type { State } from '../domain/vocabulary.js';
import { objectIn } from './damaged.js';
import { type Applied, add, del, type Projection, type Row, remove, set, type Write } from './projection.js';
import type { View } from './view.js';

/** One memory's half of a pair: since when, and how it was found. */
type Half = Pick<Flagged, 'method' | 'cue' | 'similarity' | 'confidence'> & { readonly since: string };

/** A contradiction that is not settled. */
export type OpenPair = Omit<Half, 'since'> & {
  readonly key_a: string;
  readonly key_b: string;
  /** ISO. */
  readonly since: string;
};

/** Where a memory is filed and in which state: it decides which lists name it. */
const placeRow = (key: string): string => `at:${key}`;
/** Hash: the other memory of each open pair, to the half of it as JSON. */
const halvesRow = (key: string): string => `of:${key}`;
/** Sets of halves, `<since> <key> <other>`: all of them, and those of one project. */
const ALL = 'open';
const projectSet = (project: string): string => `open:${project}`;

const memberOf = (since: string, key: string, other: string): string => `${since} ${key} ${other}`;

const listsOf = (place: Row | undefined): readonly string[] => [ALL, ...(place?.project === undefined ? [] : [projectSet(place.project)])];

const unlisted = (key: string, other: string, json: string | undefined, place: Row | undefined): readonly Write[] => {
  const half = objectIn<Half>(json);
  return half ? listsOf(place).map((list) => remove(list, memberOf(half.since, key, other))) : [];
};

const apply = (event: Applied, rows: ReadonlyMap<string, Row>): readonly Write[] => {
  const { subject, at } = event.envelope;
  // The context of a project is put aside and brought back by the same events, but contradicts nothing.
  if (projectOf(subject) !== undefined) return [];
  const place = rows.get(placeRow(subject));
  const halves = rows.get(halvesRow(subject));
  switch (event.type) {
    case 'MemoryRemembered': {
      const { project } = event.data;
      return [set(placeRow(subject), { state: 'active', ...(project !== undefined && { project }) })];
    }
    case 'MemoryDeprioritised':
      return [set(placeRow(subject), { state: 'deprioritised' })];
    case 'MemoryArchived':
      return [set(placeRow(subject), { state: 'archived' })];
    case 'MemoryReinstated':
      return [set(placeRow(subject), { state: 'active' })];
    case 'ContradictionFlagged': {
      const { with: other, method, cue, similarity, confidence } = event.data;
      return [
        ...unlisted(subject, other, halves?.[other], place),
        set(halvesRow(subject), { [other]: JSON.stringify({ since: at, method, cue, similarity, confidence }) }),
        ...listsOf(place).map((list) => add(list, memberOf(at, subject, other))),
      ];
    }
    case 'ContradictionResolved': {
      const { with: other } = event.data;
      return [...unlisted(subject, other, halves?.[other], place), set(halvesRow(subject), { [other]: undefined })];
    }
    case 'MemoryForgotten':
      return [
        ...Object.entries(halves ?? {}).flatMap(([other, json]) => unlisted(subject, other, json, place)),
        del(halvesRow(subject)),
        del(placeRow(subject)),
      ];
    default:
      return [];
  }
};

/**
 * Pairs of memories that contradict each other, until that is settled. Each memory keeps its own half of a pair, so that what
 * happens to the other changes nothing here; a reader shows a pair whose two halves are there and whose memories are active.
 */
export const contradictions: Projection = {
  name: 'contradictions',
  version: 2,
  handles: [
    'MemoryRemembered',
    'MemoryDeprioritised',
    'MemoryArchived',
    'MemoryReinstated',
    'MemoryForgotten',
    'ContradictionFlagged',
    'ContradictionResolved',
  ],
  reads: ({ type, envelope: { subject } }) =>
    type === 'ContradictionFlagged' || type === 'ContradictionResolved' || type === 'MemoryForgotten'
      ? [placeRow(subject), halvesRow(subject)]
      : [],
  apply,
};

const PAGE = 200;

/**
 * Open pairs whose two memories are active, newest first, each once: of one project under all its names (a pair is in it when
 * either memory is), or of the whole store when `projects` is absent.
 */
export const readOpenPairs = async (
  view: View,
  { projects, limit }: { readonly projects?: readonly string[] | undefined; readonly limit: number },
): Promise<readonly OpenPair[]> => {
  const lists = projects?.map(projectSet) ?? [ALL];
  const found = new Map<string, OpenPair>();
  for (let offset = 0; found.size < limit; offset += PAGE) {
    const pages = await Promise.all(lists.map((list) => view.members(list, { offset, limit: PAGE, reverse: true })));
    for (const [id, pair] of await standingPairs(view, pages.flat())) found.set(id, pair);
    if (pages.every((page) => page.length < PAGE)) break;
  }
  return [...found.values()].sort(newestFirst).slice(0, limit);
};

const standingPairs = async (view: View, members: readonly string[]): Promise<readonly (readonly [string, OpenPair])[]> => {
  const halves = members.flatMap((member) => {
    const [since, key, other] = member.split(' ');
    return since !== undefined && key !== undefined && other !== undefined ? [{ since, key, other }] : [];
  });
  const keys = [...new Set(halves.flatMap(({ key, other }) => [key, other]))];
  const rows = await view.rows(keys.flatMap((key) => [placeRow(key), halvesRow(key)]));
  const placed = new Map(keys.map((key, i) => [key, { place: rows[2 * i] ?? {}, halves: rows[2 * i + 1] ?? {} }]));
  return halves.flatMap(({ since, key, other }) => {
    const [one, two] = [placed.get(key), placed.get(other)];
    const half = objectIn<Half>(one?.halves[other]);
    if (!half || two?.halves[key] === undefined) return [];
    if (one?.place.state !== ACTIVE || two.place.state !== ACTIVE) return [];
    const [key_a = key, key_b = other] = [key, other].sort();
    return [[`${key_a} ${key_b}`, { ...half, key_a, key_b, since }] as const];
  });
};

const ACTIVE: State = 'active';

/** Ties go by both keys, so that a cut list is the same whenever it is asked for. */
const newestFirst = (a: OpenPair, b: OpenPair): number =>
  compare(b.since, a.since) || compare(a.key_a, b.key_a) || compare(a.key_b, b.key_b);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
