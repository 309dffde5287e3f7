import type { Redis } from 'iovalkey';
import { namespaceOf } from '../domain/memory/key.js';
import type { State } from '../domain/vocabulary.js';
import type { Keys } from './keys.js';
import { type Applied, add, del, type Projection, type Row, remove, set, type Write } from './projection.js';

/** Names of the sets. Members are memory keys, so within a namespace they are ordered by age. */
export const sets = {
  state: (namespace: string, state: State | 'forgotten') => `state:${namespace}:${state}`,
  project: (project: string) => `project:${project}`,
  document: (docId: string) => `doc:${docId}`,
  facts: (source: string) => `facts:${source}`,
} as const;

/** What a memory's sets follow from; it outlives the payloads, so that a forgotten memory leaves every set. */
const placeRow = (key: string): string => `of:${key}`;

const setsOf = ({ namespace, state, project, doc_id, enriched_from }: Row): readonly string[] => [
  ...(namespace === undefined ? [] : [sets.state(namespace, state as State)]),
  ...(project === undefined ? [] : [sets.project(project)]),
  ...(doc_id === undefined ? [] : [sets.document(doc_id)]),
  ...(enriched_from === undefined ? [] : [sets.facts(enriched_from)]),
];

const move = (key: string, place: Row | undefined, state: State): readonly Write[] => {
  if (!place?.namespace || place.state === state) return [];
  const { namespace } = place;
  return [remove(sets.state(namespace, place.state as State), key), add(sets.state(namespace, state), key), set(placeRow(key), { state })];
};

const leave = (key: string, place: Row | undefined): readonly Write[] => {
  const namespace = namespaceOf(key);
  return [
    ...setsOf(place ?? {}).map((name) => remove(name, key)),
    del(placeRow(key)),
    ...(namespace === undefined ? [] : [add(sets.state(namespace, 'forgotten'), key)]),
  ];
};

const apply = (event: Applied, rows: ReadonlyMap<string, Row>): readonly Write[] => {
  const { subject } = event.envelope;
  const place = rows.get(placeRow(subject));
  switch (event.type) {
    case 'MemoryRemembered': {
      const { namespace, project, doc_id, enriched_from } = event.data;
      const born: Record<string, string> = {
        namespace,
        state: 'active',
        ...(project !== undefined && { project }),
        ...(doc_id !== undefined && { doc_id }),
        ...(enriched_from !== undefined && { enriched_from }),
      };
      return [set(placeRow(subject), born), ...setsOf(born).map((name) => add(name, subject))];
    }
    case 'MemoryDeprioritised':
      return move(subject, place, 'deprioritised');
    case 'MemoryArchived':
      return move(subject, place, 'archived');
    case 'MemoryReinstated':
      return move(subject, place, 'active');
    case 'MemoryForgotten':
      return leave(subject, place);
    default:
      return [];
  }
};

/** Sets of memory keys: counts are their sizes, so an event met twice counts once. */
export const counters: Projection = {
  name: 'counters',
  version: 1,
  handles: ['MemoryRemembered', 'MemoryDeprioritised', 'MemoryArchived', 'MemoryReinstated', 'MemoryForgotten'],
  reads: ({ type, envelope }) => (type === 'MemoryRemembered' ? [] : [placeRow(envelope.subject)]),
  apply,
};

/** Sizes of the named sets, in order. */
export const countSets = (redis: Redis, keys: Keys, generation: number, names: readonly string[]): Promise<readonly number[]> =>
  Promise.all(names.map((name) => redis.zcard(keys.row(counters.name, generation, name))));

/** How many keys are in both sets. */
export const countShared = async (redis: Redis, keys: Keys, generation: number, a: string, b: string): Promise<number> =>
  redis.zintercard(2, keys.row(counters.name, generation, a), keys.row(counters.name, generation, b));

/** Members of a set by name, from `offset`; all of them without a limit. */
export const membersOf = (
  redis: Redis,
  keys: Keys,
  generation: number,
  name: string,
  { offset = 0, limit }: { readonly offset?: number; readonly limit?: number } = {},
): Promise<readonly string[]> =>
  redis.zrange(keys.row(counters.name, generation, name), offset, limit === undefined ? -1 : offset + limit - 1);

/** Members that are in every one of the sets, by name. */
export const membersShared = (redis: Redis, keys: Keys, generation: number, names: readonly string[]): Promise<readonly string[]> =>
  redis.zinter(names.length, ...names.map((name) => keys.row(counters.name, generation, name)));
