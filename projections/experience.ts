import { OUTCOMES, type Outcome } from '../domain/vocabulary.js';
import { burialsOf, timesOf, withTimes } from './graveyard.js';
import { type Membership, membershipProjection } from './membership.js';
import type { Applied, Row } from './projection.js';
import { prefixOf, type Scope } from './scope.js';
import type { View } from './view.js';

const EFFORTS = ['1', '2', '3', '4', '5'] as const;

const sets = {
  with: (scope: Scope) => `${prefixOf(scope)}:with`,
  effort: (scope: Scope, effort: string) => `${prefixOf(scope)}:effort:${effort}`,
  outcome: (scope: Scope, outcome: string) => `${prefixOf(scope)}:outcome:${outcome}`,
  effortful: (scope: Scope) => `${prefixOf(scope)}:effortful`,
  breakthroughs: (scope: Scope) => `${prefixOf(scope)}:breakthroughs`,
} as const;

/** Fields: project, state, at (ISO, of the last experience), effort, outcome, breakthrough (`1`), known (`1` when there is any), times of dead ends. */
const evolve = (before: Row | undefined, event: Applied): Row | undefined => {
  if (event.type === 'MemoryForgotten') return undefined;
  if (event.type === 'MemoryRemembered') {
    const { project } = event.data;
    return { state: 'active', ...(project !== undefined && { project }) };
  }
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'MemoryDeprioritised':
      return { ...before, state: 'deprioritised' };
    case 'MemoryArchived':
      return { ...before, state: 'archived' };
    case 'MemoryReinstated':
      return { ...before, state: 'active' };
    case 'ExperienceRecorded': {
      const { effort_score, outcome, iterations, breakthrough, gotchas, abandoned_approaches } = event.data;
      const { state = 'active', project } = before;
      const times = abandoned_approaches.map(({ attempted_at }) => attempted_at);
      const known = [effort_score, outcome, iterations, breakthrough, gotchas].some((value) => value !== undefined);
      return {
        state,
        ...(project !== undefined && { project }),
        ...((known || times.length > 0) && { known: '1', at: event.envelope.at }),
        ...(effort_score !== undefined && { effort: String(effort_score) }),
        ...(outcome !== undefined && { outcome }),
        ...(breakthrough !== undefined && { breakthrough: '1' }),
        ...withTimes(times),
      };
    }
    case 'ApproachAbandoned':
      return { ...before, known: '1', at: event.envelope.at, ...withTimes([...timesOf(before), event.data.attempted_at]) };
    default:
      return before;
  }
};

const members = (key: string, row: Row): readonly Membership[] => {
  const { project } = row;
  const scopes: readonly Scope[] = project === undefined ? ['all'] : ['all', { project }];
  return scopes.flatMap((scope) => [...burialsOf(scope, key, row), ...(row.state === 'archived' ? [] : figuresOf(scope, key, row))]);
};

const figuresOf = (scope: Scope, key: string, { at = '', effort, outcome, breakthrough, known }: Row): readonly Membership[] => [
  ...(known === undefined ? [] : [{ set: sets.with(scope), member: key }]),
  ...(effort === undefined
    ? []
    : [
        { set: sets.effort(scope, effort), member: key },
        { set: sets.effortful(scope), member: `${effort} ${at} ${key}` },
      ]),
  ...(outcome === undefined ? [] : [{ set: sets.outcome(scope, outcome), member: key }]),
  ...(outcome === 'succeeded' && breakthrough !== undefined
    ? [{ set: sets.breakthroughs(scope), member: `${effort ?? '0'} ${at} ${key}` }]
    : []),
];

/**
 * What work was like and when it came to dead ends, in sets without text, overall and by project: the texts stand in the
 * memories' own rows and go with them. Archived memories count among the dead ends only.
 */
export const experience = membershipProjection({
  name: 'experience',
  version: 1,
  handles: [
    'MemoryRemembered',
    'MemoryDeprioritised',
    'MemoryArchived',
    'MemoryReinstated',
    'MemoryForgotten',
    'ExperienceRecorded',
    'ApproachAbandoned',
  ],
  evolve,
  members,
});

export type ExperienceFigures = {
  readonly memories: number;
  /** Memories by effort, from 1 to 5. */
  readonly efforts: readonly number[];
  readonly outcomes: Readonly<Record<Outcome, number>>;
};

/** Counts over scopes that have no memory in common. */
export const experienceFigures = async (view: View, scopes: readonly Scope[]): Promise<ExperienceFigures> => {
  const names = scopes.flatMap((scope) => [
    sets.with(scope),
    ...EFFORTS.map((effort) => sets.effort(scope, effort)),
    ...OUTCOMES.map((outcome) => sets.outcome(scope, outcome)),
  ]);
  const counts = await view.counts(names);
  const width = 1 + EFFORTS.length + OUTCOMES.length;
  const sum = (place: number): number => scopes.reduce((total, _, i) => total + (counts[i * width + place] ?? 0), 0);
  return {
    memories: sum(0),
    efforts: EFFORTS.map((_, i) => sum(1 + i)),
    outcomes: Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, sum(1 + EFFORTS.length + i)])) as Record<Outcome, number>,
  };
};

/** Keys of the memories that took most effort, the newer first among equals. */
export const mostEffortful = (view: View, scopes: readonly Scope[], limit: number): Promise<readonly string[]> =>
  lastKeys(view, scopes.map(sets.effortful), limit);

/** The same of those that succeeded and have a breakthrough. */
export const breakthroughs = (view: View, scopes: readonly Scope[], limit: number): Promise<readonly string[]> =>
  lastKeys(view, scopes.map(sets.breakthroughs), limit);

/** The keys at the end of members of several sets. */
const lastKeys = async (view: View, names: readonly string[], limit: number): Promise<readonly string[]> => {
  const found = (await Promise.all(names.map((name) => view.members(name, { reverse: true, limit })))).flat();
  return found
    .sort()
    .reverse()
    .slice(0, limit)
    .map((member) => member.slice(member.lastIndexOf(' ') + 1));
};
