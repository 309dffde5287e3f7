import type { Decider } from '../decider.js';
import { DomainError } from '../errors.js';
import type { EventOf } from '../event.js';
import type { MemoryDeprioritised, MemoryReinstated } from '../memory/events.js';
import { clip } from '../passage.js';
import type { Provenance, State } from '../vocabulary.js';
import type { ProjectEvent } from './events.js';

/** Which event made something so: the version it made of the subject, and its ISO time. */
export type Moment = { readonly version: number; readonly at: string };

type WholeContext = Extract<ProjectEvent, { type: 'ProjectContextSet' }>['data'];

/** Memories whose texts make up a part, by the part. */
export type Drawn = NonNullable<WholeContext['drawn']>;

/** A context as it stands; a part named in `drawn` is empty here and is written out from those memories when it is read. */
export type ProjectContext = Omit<WholeContext, 'drawn' | 'created_at'> & {
  readonly drawn: Drawn;
  /** Set by deprioritise_project and reinstate_project. */
  readonly status: State;
  readonly reason: string | undefined;
  /** What last set the current state or the notes. */
  readonly stated: Moment;
};

/** What was filed under `from` counts as `into`. */
export type Merge = { readonly from: string; readonly into: string };

/** One project, under the name it was written with. Nothing at all is known of one without history. */
export type Project = {
  /** Absent: never set, withdrawn, or deleted. */
  readonly context: ProjectContext | undefined;
  /** Texts of a context that was withdrawn are still in the log. */
  readonly withdrawn?: true;
  /** Absent: never considered. Empty: considered, and none derivable. */
  readonly domains: readonly string[] | undefined;
  /** Merges in force that have this name on either side, in the order they were made. */
  readonly merges: readonly Merge[];
};

/** What the history of a project's subject holds; a stored event comes with the version it made and its time. */
export type ProjectHistoryEvent = (ProjectEvent | EventOf<typeof MemoryDeprioritised> | EventOf<typeof MemoryReinstated>) & {
  readonly n?: number;
  readonly at?: string;
};

/** What whoever writes over a state had read of it. */
type Reading = {
  /** The version that the caller had read; absent when it had read none. */
  readonly seen?: number | undefined;
  /** Who made which version, as far as it is known; for the refusal. */
  readonly writers?: ReadonlyMap<number, string> | undefined;
};

export type ProjectCommand =
  | {
      readonly type: 'SetProjectContext';
      readonly data: Reading & {
        readonly description: string;
        readonly stack: string;
        readonly goals: string;
        readonly current_state: string;
        /** Absent: as they were. */
        readonly notes?: string | undefined;
        readonly drawn?: Drawn | undefined;
        readonly provenance: Provenance;
      };
    }
  | {
      readonly type: 'UpdateProjectState';
      readonly data: Reading & {
        readonly current_state: string;
        /** Absent: as they were. */
        readonly notes?: string | undefined;
      };
    }
  | { readonly type: 'DeprioritiseProjectContext'; readonly data: { readonly reason: string } }
  | { readonly type: 'ReinstateProjectContext'; readonly data: Record<string, never> }
  | { readonly type: 'DeleteProject'; readonly data: Record<string, never> };

/** UTF-16 units of a state that a refusal tells. */
const SHOWN = 4_000;

const initialState = (): Project => ({ context: undefined, domains: undefined, merges: [] });

/** The context of a project. Throws NOT_FOUND where there is none. */
export const contextOf = ({ context }: Project): ProjectContext => {
  if (context) return context;
  throw new DomainError('NOT_FOUND', 'This project has no context', 'Call set_project_context first; list_projects shows the names');
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The parts in one order and without those that are not there, so that equal contexts have equal texts. */
const contentOf = ({ description, stack, goals, current_state, notes, licence, provenance, drawn = {} }: WholeContext): WholeContext => {
  const parts = {
    ...(drawn.stack && { stack: drawn.stack }),
    ...(drawn.current_state && { current_state: drawn.current_state }),
    ...(drawn.notes && { notes: drawn.notes }),
  };
  return {
    description,
    stack,
    goals,
    current_state,
    ...(notes !== undefined && { notes }),
    licence,
    provenance,
    ...(Object.keys(parts).length > 0 && { drawn: parts }),
  };
};

const setContext = (
  { notes, drawn = {}, seen: _seen, writers: _writers, ...given }: Extract<ProjectCommand, { type: 'SetProjectContext' }>['data'],
  before?: ProjectContext,
) => {
  const keepsNotes = notes === undefined && drawn.notes === undefined;
  const after = contentOf({
    ...given,
    notes: keepsNotes ? before?.notes : notes,
    licence: before?.licence ?? 'own',
    drawn: { ...drawn, notes: keepsNotes ? before?.drawn.notes : drawn.notes },
  });
  return before && same(contentOf(before), after) ? undefined : after;
};

/** Refuses to write over a state that is newer than the one read. */
const refuseStale = (context: ProjectContext, { seen, writers }: Reading): void => {
  const { version, at } = context.stated;
  if (seen === undefined || seen >= version) return;
  const by = writers?.get(version);
  const text = context.drawn.current_state
    ? 'drawn from memories; get_project_context shows it'
    : JSON.stringify(clip(context.current_state, SHOWN));
  throw new DomainError(
    'CONFLICT',
    `The state of this project is newer than what you read (version ${seen}): version ${version}, ${at}${by ? `, by ${by}` : ''}. Its current state: ${text}`,
    `Nothing was written. Put your news and this text together and call again with version: ${version}`,
  );
};

const decide = (command: ProjectCommand, project: Project): ProjectHistoryEvent[] => {
  switch (command.type) {
    case 'SetProjectContext': {
      const data = setContext(command.data, project.context);
      if (data && project.context) refuseStale(project.context, command.data);
      return data ? [{ type: 'ProjectContextSet', data }] : [];
    }

    case 'UpdateProjectState': {
      const { current_state, notes } = command.data;
      const before = contextOf(project);
      const asIs = before.current_state === current_state && !before.drawn.current_state;
      if (asIs && (notes === undefined || (notes === before.notes && !before.drawn.notes))) return [];
      refuseStale(before, command.data);
      return [{ type: 'ProjectStateUpdated', data: { current_state, ...(notes !== undefined && { notes }) } }];
    }

    case 'DeprioritiseProjectContext':
      return contextOf(project).status === 'active'
        ? [{ type: 'MemoryDeprioritised', data: { reason: command.data.reason, reinstate_hints: [] } }]
        : [];

    case 'ReinstateProjectContext':
      return contextOf(project).status === 'active' ? [] : [{ type: 'MemoryReinstated', data: {} }];

    case 'DeleteProject':
      return project.context || project.withdrawn || project.domains ? [{ type: 'ProjectDeleted', data: {} }] : [];
  }
};

/** What is still drawn from memories once somebody wrote the state, and the notes unless they keep them. */
export const drawnBesideState = ({ stack, notes }: Drawn, keepsNotes: boolean): Drawn => ({
  ...(stack && { stack }),
  ...(keepsNotes && notes && { notes }),
});

const restated = (
  context: ProjectContext,
  data: { readonly current_state: string; readonly notes?: string | undefined },
  stated: Moment,
) => {
  const { current_state, notes } = data;
  const drawn = drawnBesideState(context.drawn, notes === undefined);
  return { ...context, current_state, ...(notes !== undefined && { notes }), drawn, stated };
};

const afterMerge = (merges: readonly Merge[], { from, into, undone }: Merge & { readonly undone?: true | undefined }): readonly Merge[] => {
  const others = merges.filter((one) => one.from !== from || one.into !== into);
  return undone ? others : [...others, { from, into }];
};

const evolve = (project: Project, event: ProjectHistoryEvent): Project => {
  const { context } = project;
  const moment: Moment = { version: event.n ?? 0, at: event.at ?? '' };
  switch (event.type) {
    case 'ProjectContextSet': {
      const { drawn = {}, created_at: _first, ...texts } = event.data;
      return { ...project, context: { ...texts, drawn, status: context?.status ?? 'active', reason: context?.reason, stated: moment } };
    }
    case 'ProjectStateUpdated':
      return context ? { ...project, context: restated(context, event.data, moment) } : project;
    case 'ProjectDomainsDeclared':
      return { ...project, domains: event.data.domains };
    case 'ProjectContextWithdrawn':
      return { ...project, context: undefined, withdrawn: true };
    case 'ProjectDeleted':
      // All before it is erased, merges included: a replay begins here.
      return initialState();
    case 'ProjectsMerged':
      return { ...project, merges: afterMerge(project.merges, event.data) };
    case 'MemoryDeprioritised':
      return context ? { ...project, context: { ...context, status: 'deprioritised', reason: event.data.reason } } : project;
    case 'MemoryReinstated':
      return context ? { ...project, context: { ...context, status: 'active', reason: undefined } } : project;
  }
};

export const projectDecider: Decider<Project, ProjectCommand, ProjectHistoryEvent> = { initialState, decide, evolve };
