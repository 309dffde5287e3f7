import { describe, expect, it } from 'vitest';
import { fold } from '../../../domain/decider.js';
import { isDomainError } from '../../../domain/errors.js';
import { type Project, type ProjectCommand, type ProjectHistoryEvent, projectDecider } from '../../../domain/project/project.js';
import { specFor } from '../../support/spec.js';

const given = specFor(projectDecider);

const TEXTS = { description: 'Bills customers.', stack: 'TypeScript', goals: 'No lost invoice.', current_state: 'Webhooks work.' };
const KEPT = { ...TEXTS, licence: 'own', provenance: 'asserted' } as const;

const at = (n: number): { readonly n: number; readonly at: string } => ({ n, at: `2026-11-0${n}T10:00:00.000Z` });
const set = (n: number, more: object = {}): ProjectHistoryEvent => ({ type: 'ProjectContextSet', data: { ...KEPT, ...more }, ...at(n) });
const updated = (n: number, current_state: string, notes?: string): ProjectHistoryEvent => ({
  type: 'ProjectStateUpdated',
  data: { current_state, ...(notes !== undefined && { notes }) },
  ...at(n),
});
const declared = (n: number, ...domains: string[]): ProjectHistoryEvent => ({
  type: 'ProjectDomainsDeclared',
  data: { domains },
  ...at(n),
});
const setting = (data: Partial<Extract<ProjectCommand, { type: 'SetProjectContext' }>['data']> = {}): ProjectCommand => ({
  type: 'SetProjectContext',
  data: { ...TEXTS, provenance: 'asserted', ...data },
});
const updating = (current_state: string, more: object = {}): ProjectCommand => ({
  type: 'UpdateProjectState',
  data: { current_state, ...more },
});

const refusal = (command: ProjectCommand, ...past: readonly ProjectHistoryEvent[]): { readonly message: string; readonly hint: string } => {
  try {
    projectDecider.decide(command, fold<Project, ProjectHistoryEvent>(projectDecider, past));
  } catch (error) {
    if (isDomainError(error, 'CONFLICT')) return { message: error.message, hint: error.hint ?? '' };
  }
  throw new Error('it was not refused');
};

describe('setting the context of a project', () => {
  it('sets all of it, as our own work', () => given().when(setting()).then({ type: 'ProjectContextSet', data: KEPT }));
  it('the same again changes nothing', () => given(set(1)).when(setting()).then());
  it('notes that are left out stay', () =>
    given(set(1, { notes: 'Ask Ada.' }))
      .when(setting({ goals: 'Faster.' }))
      .then({ type: 'ProjectContextSet', data: { ...KEPT, goals: 'Faster.', notes: 'Ask Ada.' } }));
  it('notes that an update wrote stay, too', () =>
    given(set(1), updated(2, 'Refunds work.', 'Ask Bob.'))
      .when(setting({ current_state: 'Refunds work.', goals: 'Faster.' }))
      .then({ type: 'ProjectContextSet', data: { ...KEPT, current_state: 'Refunds work.', goals: 'Faster.', notes: 'Ask Bob.' } }));
  it('notes drawn from memories stay drawn', () =>
    given(set(1, { notes: '', drawn: { notes: ['mem:episodic:a'] } }))
      .when(setting({ goals: 'Faster.' }))
      .then({ type: 'ProjectContextSet', data: { ...KEPT, goals: 'Faster.', notes: '', drawn: { notes: ['mem:episodic:a'] } } }));
  it('empty notes clear them', () =>
    given(set(1, { notes: 'Ask Ada.' }))
      .when(setting({ notes: '' }))
      .then({ type: 'ProjectContextSet', data: { ...KEPT, notes: '' } }));
  it('is refused over a state that is newer than what was read', () =>
    given(set(1), updated(2, 'Refunds work.'))
      .when(setting({ goals: 'Faster.', seen: 1 }))
      .thenThrows('CONFLICT'));
  it('begins anew after a deletion', () =>
    given(set(1, { notes: 'Ask Ada.' }), { type: 'ProjectDeleted', data: {}, ...at(2) })
      .when(setting())
      .then({ type: 'ProjectContextSet', data: KEPT }));
});

describe('updating the state of a project', () => {
  it('needs a context', () => given().when(updating('Refunds work.')).thenThrows('NOT_FOUND'));
  it('needs one that was not deleted', () =>
    given(set(1), { type: 'ProjectDeleted', data: {} }).when(updating('Refunds work.')).thenThrows('NOT_FOUND'));
  it('is applied by whoever has read nothing', () =>
    given(set(1), updated(2, 'Refunds work.'))
      .when(updating('Taxes work.'))
      .then({ type: 'ProjectStateUpdated', data: { current_state: 'Taxes work.' } }));
  it('is applied by whoever has read the newest state', () =>
    given(set(1), updated(2, 'Refunds work.'))
      .when(updating('Taxes work.', { seen: 2, notes: 'Ask Bob.' }))
      .then({ type: 'ProjectStateUpdated', data: { current_state: 'Taxes work.', notes: 'Ask Bob.' } }));
  it('is refused to whoever has read an older one, and told what is there, since when and by whom', () => {
    const command = updating('Taxes work.', { seen: 1, writers: new Map([[2, 'mcp:other/1.0']]) });
    const { message, hint } = refusal(command, set(1), updated(2, 'Refunds work.'));
    for (const part of ['"Refunds work."', 'version 1', 'version 2', '2026-11-02T10:00:00.000Z', 'mcp:other/1.0']) {
      expect(message).toContain(part);
    }
    expect(hint).toContain('version: 2');
  });
  it('is not refused for what leaves the text alone', () =>
    given(set(1), declared(2, 'python'))
      .when(updating('Taxes work.', { seen: 1 }))
      .then({ type: 'ProjectStateUpdated', data: { current_state: 'Taxes work.' } }));
  it('the same again changes nothing, whatever was read', () =>
    given(set(1), updated(2, 'Refunds work.', 'Ask Bob.'))
      .when(updating('Refunds work.', { seen: 1, notes: 'Ask Bob.' }))
      .then());
  it('text of its own takes the place of a drawn state, and drawn notes stay', () =>
    given(set(1, { current_state: '', drawn: { current_state: ['mem:episodic:a'], notes: ['mem:episodic:b'] } }), updated(2, 'By hand.'))
      .when(setting({ current_state: 'By hand.' }))
      .then());
});

describe('setting a project aside, and deleting it', () => {
  const aside: ProjectHistoryEvent = { type: 'MemoryDeprioritised', data: { reason: 'over', reinstate_hints: [] } };
  it('a context is set aside once', () => {
    const command: ProjectCommand = { type: 'DeprioritiseProjectContext', data: { reason: 'over' } };
    given(set(1)).when(command).then(aside);
    given(set(1), aside).when(command).then();
    given().when(command).thenThrows('NOT_FOUND');
  });
  it('and stays aside when it is set anew, until it is brought back', () => {
    const back: ProjectCommand = { type: 'ReinstateProjectContext', data: {} };
    given(set(1), aside, set(2, { goals: 'Faster.' }))
      .when(back)
      .then({ type: 'MemoryReinstated', data: {} });
    given(set(1)).when(back).then();
  });
  it('there is something to delete while there is a context, domains, or the texts of a context that was withdrawn', () => {
    const command: ProjectCommand = { type: 'DeleteProject', data: {} };
    given(set(1)).when(command).then({ type: 'ProjectDeleted', data: {} });
    given(declared(1, 'python')).when(command).then({ type: 'ProjectDeleted', data: {} });
    given(set(1), { type: 'ProjectContextWithdrawn', data: {} }).when(command).then({ type: 'ProjectDeleted', data: {} });
    given(set(1), { type: 'ProjectDeleted', data: {} }).when(command).then();
    given().when(command).then();
  });
  it('nothing is left of what came before', () =>
    given(
      set(1),
      declared(2, 'python'),
      { type: 'ProjectsMerged', data: { from: 'a', into: 'b' } },
      { type: 'ProjectDeleted', data: {} },
    ).thenState(projectDecider.initialState()));
});
