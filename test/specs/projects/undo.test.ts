import { describe, expect, it } from 'vitest';
import type { ProjectHistoryEvent } from '../../../domain/project/project.js';
import { undoProject } from '../../../domain/project/undo.js';

const context = (current_state: string, more: object = {}): ProjectHistoryEvent => ({
  type: 'ProjectContextSet',
  data: { description: 'd', stack: 's', goals: 'g', current_state, licence: 'own', provenance: 'asserted', ...more },
});
const state = (current_state: string, notes?: string): ProjectHistoryEvent => ({
  type: 'ProjectStateUpdated',
  data: { current_state, ...(notes !== undefined && { notes }) },
});
const declared = (...domains: string[]): ProjectHistoryEvent => ({ type: 'ProjectDomainsDeclared', data: { domains } });
const merged = (from: string, into: string, undone?: true): ProjectHistoryEvent => ({
  type: 'ProjectsMerged',
  data: { from, into, ...(undone && { undone }) },
});
const shelved: ProjectHistoryEvent = { type: 'MemoryDeprioritised', data: { reason: 'parked', reinstate_hints: [] } };
const reinstated: ProjectHistoryEvent = { type: 'MemoryReinstated', data: {} };
const withdrawn: ProjectHistoryEvent = { type: 'ProjectContextWithdrawn', data: {} };
const deleted: ProjectHistoryEvent = { type: 'ProjectDeleted', data: {} };

/** `erased`: how many of the events before have lost their payload. */
const undo = (events: readonly ProjectHistoryEvent[], undone: readonly number[], { countsAs = false, erased = 0 } = {}) =>
  undoProject('shop', events.map((event, i) => ({ ...event, n: i + 1 })).slice(erased), { undone: new Set(undone) }, () => countsAs);

describe('undoing on one project', () => {
  it.each<[string, ProjectHistoryEvent[], number[], ProjectHistoryEvent[], string[]]>([
    ['a state', [context('one'), state('two')], [2], [context('one')], ['context']],
    ['a state with notes', [context('one', { notes: 'n' }), state('two', 'm')], [2], [context('one', { notes: 'n' })], ['context']],
    ['a context', [context('one'), context('two')], [2], [context('one')], ['context']],
    ['the first context', [context('one')], [1], [withdrawn], ['context']],
    ['the first context with its domains', [context('one'), declared('css')], [1, 2], [withdrawn, declared()], ['context', 'domains']],
    ['shelving', [context('one'), shelved], [2], [reinstated], ['state']],
    ['reinstating', [context('one'), shelved, reinstated], [3], [shelved], ['state']],
    ['domains', [declared('css'), declared('css', 'go')], [2], [declared('css')], ['domains']],
    ['the first declaration', [declared('css')], [1], [declared()], ['domains']],
    ['an empty first declaration', [declared()], [1], [], []],
    ['being merged away', [merged('shop', 'store')], [1], [merged('shop', 'store', true)], ['merge']],
    [
      'taking another in',
      [merged('old', 'shop'), declared('css')],
      [1, 2],
      [declared(), merged('old', 'shop', true)],
      ['domains', 'merge'],
    ],
    ['undoing a merge', [merged('shop', 'store'), merged('shop', 'store', true)], [2], [merged('shop', 'store')], ['merge']],
    ['one of two merges', [merged('a', 'shop'), merged('b', 'shop')], [1], [merged('a', 'shop', true)], ['merge']],
  ])('%s', (_, events, undone, made, restored) => {
    const answer = undo(events, undone);
    if (answer === 'forgotten') throw new Error('forgotten');
    expect([answer.events, [...answer.restored].sort(), answer.kept]).toEqual([made, restored, []]);
  });

  it('keeps what another action wrote since', () => {
    expect(undo([context('one'), state('two'), state('three')], [2])).toEqual({ events: [], restored: [], kept: ['context'] });
    expect(undo([declared('a'), declared('b')], [1])).toEqual({ events: [], restored: [], kept: ['domains'] });
    expect(undo([merged('shop', 'x'), merged('shop', 'x', true), merged('shop', 'y')], [1])).toMatchObject({ kept: ['merge'] });
  });

  it('keeps a first context when something else happened to the project', () =>
    expect(undo([context('one'), merged('old', 'shop')], [1])).toEqual({ events: [], restored: [], kept: ['context'] }));

  it('does not close a circle', () => {
    const events = [merged('shop', 'store'), merged('shop', 'store', true)];
    expect(undo(events, [2], { countsAs: true })).toEqual({ events: [], restored: [], kept: ['merge'] });
  });

  it('does again what was undone', () => {
    expect(undo([context('one'), withdrawn], [2])).toMatchObject({ events: [context('one')], restored: ['context'] });
    expect(undo([context('one'), shelved, withdrawn], [3])).toMatchObject({ events: [context('one'), shelved] });
  });

  it('cannot bring back what is erased', () => {
    expect(undo([context('one'), deleted], [2], { erased: 1 })).toBe('forgotten');
    expect(undo([context('one'), deleted], [1], { erased: 1 })).toBe('forgotten');
  });
});
