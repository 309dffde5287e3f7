import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { newestFirst, oldestFirst, recent, recentRows } from '../../../projections/recent.js';
import { ViewInMemory } from '../../../projections/view.js';
import { eventAt } from './histories.js';

const remembered = (namespace: 'episodic' | 'knowledge', project?: string): DomainEvent => ({
  type: 'MemoryRemembered',
  data: { namespace, content: 'text', tags: [], mode: 'raw', licence: 'own', provenance: 'concluded', ...(project && { project }) },
});
const retagged: DomainEvent = { type: 'MemoryRetagged', data: { tags: ['x'], previous_tags: [] } };
const revised: DomainEvent = { type: 'MemoryRevised', data: { content: 'other' } };
const setAside = (...reinstate_hints: string[]): DomainEvent => ({
  type: 'MemoryDeprioritised',
  data: { reason: 'old', reinstate_hints },
});
const archived: DomainEvent = { type: 'MemoryArchived', data: {} };
const reinstated: DomainEvent = { type: 'MemoryReinstated', data: {} };
const forgotten: DomainEvent = { type: 'MemoryForgotten', data: {} };

const [A, B] = ['mem:episodic:A', 'mem:episodic:B'];
const K = 'mem:knowledge:K';

/** A view after these events, one a second; each with the memory it happened to. */
const after = (...events: readonly (readonly [string, DomainEvent])[]) => {
  const view = new ViewInMemory(recent);
  const versions = new Map<string, number>();
  events.forEach(([subject, event], i) => {
    const n = (versions.get(subject) ?? 0) + 1;
    versions.set(subject, n);
    view.apply(eventAt(i + 1, event, subject, n).event);
  });
  const at = (place: number): string => eventAt(place, reinstated, A, 1).event.envelope.at;
  const keys = async (row: string) => (await newestFirst(view, row, { limit: 100 })).map(({ key }) => key);
  return { view, at, keys };
};

describe('the view of what is recent', () => {
  it('orders episodic memories by their last change, of all projects and of each', async () => {
    const { keys } = after([A, remembered('episodic', 'blue')], [B, remembered('episodic')], [A, retagged]);
    expect(await keys(recentRows.episodic())).toEqual([A, B]);
    expect(await keys(recentRows.episodic('blue'))).toEqual([A]);
    expect(await keys(recentRows.episodic('green'))).toEqual([]);
  });

  it('calls stale what was not changed since a moment, the oldest first, that moment excluded', async () => {
    const { view, at } = after([A, remembered('episodic')], [B, remembered('episodic')], [A, retagged]);
    const keys = async (until: string) => (await oldestFirst(view, recentRows.episodic(), { until, limit: 9 })).map(({ key }) => key);
    expect(await keys(at(2))).toEqual([]);
    expect(await keys(at(3))).toEqual([B]);
    expect(await keys(at(4))).toEqual([B, A]);
    expect(await oldestFirst(view, recentRows.episodic(), { until: at(4), limit: 1 })).toEqual([{ key: B, at: at(2) }]);
  });

  it('takes knowledge for new when it was written or revised, not when it was given another tag', async () => {
    const other = 'mem:knowledge:L';
    const born = [[K, remembered('knowledge')] as const, [other, remembered('knowledge')] as const];
    expect(await after(...born, [K, retagged]).keys(recentRows.knowledge)).toEqual([other, K]);
    expect(await after(...born, [K, revised]).keys(recentRows.knowledge)).toEqual([K, other]);
    const { view, at } = after(...born);
    expect(await newestFirst(view, recentRows.knowledge, { since: at(2), limit: 9 })).toEqual([{ key: other, at: at(2) }]);
  });

  it('keeps only what is active, and what was set aside with hints among the candidates', async () => {
    const { keys } = after([A, remembered('episodic', 'blue')], [A, setAside('redis')], [B, remembered('episodic')], [B, setAside()]);
    expect(await keys(recentRows.episodic())).toEqual([]);
    expect(await keys(recentRows.reinstate())).toEqual([A]);
    expect(await keys(recentRows.reinstate('blue'))).toEqual([A]);
    expect(await after([A, remembered('episodic')], [A, setAside('redis')], [A, archived]).keys(recentRows.reinstate())).toEqual([]);
    const back = after([A, remembered('episodic')], [A, setAside('redis')], [A, reinstated]);
    expect(await back.keys(recentRows.reinstate())).toEqual([]);
    expect(await back.keys(recentRows.episodic())).toEqual([A]);
    expect(await after([K, remembered('knowledge')], [K, archived]).keys(recentRows.knowledge)).toEqual([]);
  });

  it('knows nothing of a forgotten memory', async () => {
    const { view } = after([A, remembered('episodic', 'blue')], [A, setAside('redis')], [A, forgotten]);
    expect(await view.rows([`of:${A}`])).toEqual([{}]);
    expect(await view.counts([recentRows.episodic(), recentRows.reinstate(), recentRows.reinstate('blue')])).toEqual([0, 0, 0]);
  });
});
