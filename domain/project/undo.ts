import { fold } from '../decider.js';
import { lastRun, type Numbered, nothingElse, type Undoing } from '../last-run.js';
import { type Reversal, UNDONE, type UndoField } from '../undo.js';
import { mergedInto } from './merging.js';
import { type Project, type ProjectContext, type ProjectHistoryEvent, projectDecider } from './project.js';

type HistoryEvent = Numbered<ProjectHistoryEvent>;
type Type = ProjectHistoryEvent['type'];

/** Whether a name counts as another now: putting a merge back must not close a circle. */
export type CountsAs = (name: string, other: string) => boolean;

/** Events that put something back, or why it stays as it is. */
type Back = readonly ProjectHistoryEvent[] | 'kept';

const stateOf = (events: readonly HistoryEvent[]): Project => fold<Project, ProjectHistoryEvent>(projectDecider, events);

/**
 * Takes back the events at the versions `undone` of the project `name`: context, its state, domains and merges go back to
 * what they were before, each only if those events were the last to write it. A context that was first set in the
 * action goes, unless something else happened to the project since; a first declaration of domains becomes an empty one.
 * `forgotten` where what was there before is erased.
 */
export const undoProject = (
  name: string,
  events: readonly HistoryEvent[],
  undoing: Undoing,
  countsAs: CountsAs,
): Reversal<ProjectHistoryEvent> | 'forgotten' => {
  const { undone } = undoing;
  const taken = events.filter(({ n }) => undone.has(n));
  const [first] = events;
  if (taken.length === 0 || (first?.type === 'ProjectDeleted' && undone.has(first.n))) return 'forgotten';
  const now = stateOf(events);
  const made: ProjectHistoryEvent[] = [];
  const restored = new Set<UndoField>();
  const kept = new Set<UndoField>();

  const field = (what: UndoField, writes: (event: HistoryEvent) => boolean, back: (before: Project) => Back): void => {
    const since = lastRun(
      events.filter((event) => event.type === 'ProjectDeleted' || writes(event)),
      undoing,
    );
    if (since === 'none') return;
    const answer = since === 'overwritten' ? 'kept' : back(stateOf(events.filter(({ n }) => n < since)));
    if (answer === 'kept') kept.add(what);
    else if (answer.length > 0) restored.add(what);
    if (answer !== 'kept') made.push(...answer);
  };
  const ofType =
    (...types: readonly Type[]) =>
    ({ type }: HistoryEvent): boolean =>
      types.includes(type);

  field('context', ofType('ProjectContextSet', 'ProjectStateUpdated', 'ProjectContextWithdrawn'), ({ context: before }) => {
    if (before) return contextBack(now.context, before);
    if (!now.context) return [];
    return nothingElse(events, undoing) ? [{ type: 'ProjectContextWithdrawn', data: {} }] : 'kept';
  });
  field('state', ofType('MemoryDeprioritised', 'MemoryReinstated', 'ProjectContextWithdrawn'), ({ context }) =>
    stateBack(now.context, context),
  );
  field('domains', ofType('ProjectDomainsDeclared'), ({ domains = [] }) =>
    same(domains, now.domains) || (domains.length === 0 && !now.domains)
      ? []
      : [{ type: 'ProjectDomainsDeclared', data: { domains: [...domains] } }],
  );
  for (const from of new Set(events.flatMap((event) => (event.type === 'ProjectsMerged' ? [event.data.from] : []))))
    field(
      'merge',
      (event) => event.type === 'ProjectsMerged' && event.data.from === from,
      (before) => mergeBack(from, targetOf(from, name, now), targetOf(from, name, before), countsAs),
    );
  return { events: made, restored: [...restored], kept: [...kept] };
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What ProjectContextSet says. */
const contentOf = ({ description, stack, goals, current_state, notes, licence, provenance, drawn }: ProjectContext) => ({
  description,
  stack,
  goals,
  current_state,
  ...(notes !== undefined && { notes }),
  licence,
  provenance,
  ...(Object.keys(drawn).length > 0 && { drawn }),
});

const contextBack = (now: ProjectContext | undefined, before: ProjectContext): Back => {
  const data = contentOf(before);
  return now && same(contentOf(now), data) ? [] : [{ type: 'ProjectContextSet', data }];
};

const stateBack = (now: ProjectContext | undefined, before: ProjectContext | undefined): Back => {
  if (!before || same([now?.status, now?.reason], [before.status, before.reason])) return [];
  if (before.status === 'active') return now ? [{ type: 'MemoryReinstated', data: {} }] : [];
  return [{ type: 'MemoryDeprioritised', data: { reason: before.reason ?? UNDONE, reinstate_hints: [] } }];
};

/** What `from` counts as, by the history of one of the two projects. */
const targetOf = (from: string, name: string, project: Project): string | undefined => {
  if (from === name) return mergedInto(name, project);
  return project.merges.some((merge) => merge.from === from && merge.into === name) ? name : undefined;
};

const mergeBack = (from: string, now: string | undefined, before: string | undefined, countsAs: CountsAs): Back => {
  if (now === before) return [];
  if (before !== undefined && countsAs(before, from)) return 'kept';
  return [
    ...(now === undefined ? [] : [{ type: 'ProjectsMerged' as const, data: { from, into: now, undone: true as const } }]),
    ...(before === undefined ? [] : [{ type: 'ProjectsMerged' as const, data: { from, into: before } }]),
  ];
};
