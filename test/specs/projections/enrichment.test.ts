import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { countEnrichment, enrichment, readParked, readPending } from '../../../projections/enrichment.js';
import { ViewInMemory } from '../../../projections/view.js';
import { eventAt } from './histories.js';

const [A, B] = ['mem:episodic:A', 'mem:episodic:B'];
const remembered = (more: object = {}): DomainEvent => ({
  type: 'MemoryRemembered',
  data: { namespace: 'episodic', content: 'text', tags: [], mode: 'full', licence: 'own', provenance: 'concluded', ...more },
});
const revised: DomainEvent = { type: 'MemoryRevised', data: { content: 'other' } };
const archived: DomainEvent = { type: 'MemoryArchived', data: {} };
const reinstated: DomainEvent = { type: 'MemoryReinstated', data: {} };
const deprioritised: DomainEvent = { type: 'MemoryDeprioritised', data: { reason: 'r', reinstate_hints: [] } };
const forgotten: DomainEvent = { type: 'MemoryForgotten', data: {} };
const retagged: DomainEvent = { type: 'MemoryRetagged', data: { tags: [], previous_tags: [] } };
const finished = (of: number): DomainEvent => ({ type: 'EnrichmentFinished', data: { of, facts: [], model: 'm', skipped: 0 } });
const parked = (of: number): DomainEvent => ({ type: 'EnrichmentParked', data: { of, code: 'OVERLOADED', attempts: 8 } });

const queue = async (...events: readonly (readonly [string, DomainEvent])[]) => {
  const view = new ViewInMemory(enrichment);
  const versions = new Map<string, number>();
  events.forEach(([subject, event], i) => {
    const n = (versions.get(subject) ?? 0) + 1;
    versions.set(subject, n);
    view.apply(eventAt(i + 1, event, subject, n).event);
  });
  const [pending, given] = [await readPending(view, 0, 10), await readParked(view, 0, 10)];
  expect(await countEnrichment(view)).toEqual({ pending: pending.length, parked: given.length });
  return { pending: pending.map(({ key }) => key), parked: given.map(({ key, code, attempts }) => [key, code, attempts].join(' ')) };
};

describe('the queue of enrichment', () => {
  it('holds what was remembered in full mode, oldest text first', async () => {
    expect(await queue([A, remembered()], [B, remembered()])).toEqual({ pending: [A, B], parked: [] });
    expect(await queue([A, remembered()], [B, remembered()], [A, revised])).toEqual({ pending: [B, A], parked: [] });
  });
  it.each([{ mode: 'raw' }, { namespace: 'knowledge' }, { enriched_from: B }])('never holds %j', async (more) =>
    expect(await queue([A, remembered(more)], [A, revised], [A, archived], [A, reinstated])).toEqual({ pending: [], parked: [] }),
  );
  it('loses what was enriched or given up, until the text changes', async () => {
    expect(await queue([A, remembered()], [A, finished(1)])).toEqual({ pending: [], parked: [] });
    expect(await queue([A, remembered()], [A, parked(1)])).toEqual({ pending: [], parked: [`${A} OVERLOADED 8`] });
    expect(await queue([A, remembered()], [A, finished(1)], [A, revised])).toEqual({ pending: [A], parked: [] });
    expect(await queue([A, remembered()], [A, parked(1)], [A, revised])).toEqual({ pending: [A], parked: [] });
    expect(await queue([A, remembered()], [A, parked(1)], [A, finished(1)])).toEqual({ pending: [], parked: [] });
    expect(await queue([A, remembered()], [A, revised], [A, finished(1)])).toEqual({ pending: [A], parked: [] });
  });
  it('leaves out what is not active, and takes it back', async () => {
    expect(await queue([A, remembered()], [A, archived])).toEqual({ pending: [], parked: [] });
    expect(await queue([A, remembered()], [A, deprioritised])).toEqual({ pending: [], parked: [] });
    expect(await queue([A, remembered()], [A, archived], [A, reinstated])).toEqual({ pending: [A], parked: [] });
    expect(await queue([A, remembered()], [A, parked(1)], [A, archived], [A, reinstated])).toEqual({
      pending: [],
      parked: [`${A} OVERLOADED 8`],
    });
    expect(await queue([A, remembered()], [A, finished(1)], [A, archived], [A, reinstated])).toEqual({ pending: [], parked: [] });
  });
  it('knows nothing of what was forgotten', async () => {
    expect(await queue([A, remembered()], [A, forgotten])).toEqual({ pending: [], parked: [] });
    expect(await queue([A, remembered()], [A, parked(1)], [A, forgotten])).toEqual({ pending: [], parked: [] });
  });
  it('does not care for other changes', async () =>
    expect(await queue([A, remembered()], [A, retagged])).toEqual({ pending: [A], parked: [] }));
});
