import { describe, expect, it } from 'vitest';
import { type BatchContext, planBatch } from '../../../projections/batch.js';
import { counters } from '../../../projections/counters.js';
import { memories } from '../../../projections/memories.js';
import { type Entry, eventAt, faultAt, huskOf, KEYS, positionAt } from './histories.js';

const [a = '', b = ''] = KEYS;
const context = (fields: Partial<BatchContext> = {}): BatchContext => ({
  projection: memories,
  name: 'memories',
  generation: 1,
  degraded: new Map(),
  condemned: new Set(),
  rows: new Map(),
  size: 1e6,
  ...fields,
});
const revised = (place: number, subject: string, n: number): Entry =>
  eventAt(place, { type: 'MemoryRevised', data: { content: `content ${place}` } }, subject, n);
const forgotten = (place: number, subject: string, n: number): Entry => eventAt(place, { type: 'MemoryForgotten', data: {} }, subject, n);
const archived = (place: number, subject: string, n: number): Entry => eventAt(place, { type: 'MemoryArchived', data: {} }, subject, n);

describe('a batch', () => {
  it('covers what it skips: husks and events that the view does not handle', () => {
    const log = [revised(1, a, 1), huskOf(revised(2, a, 2)), eventAt(3, { type: 'TopicUnsuppressed', data: { topic: 't' } }, 'topic:t', 1)];
    const batch = planBatch(context(), log);
    expect(batch).toMatchObject({ entries: 3, to: positionAt(3), origins: [positionAt(1)] });
    expect(batch.degraded.size).toBe(0);
  });

  it('ends when it is large enough, after one entry at least', () => {
    const log = [revised(1, a, 1), revised(2, a, 2), revised(3, b, 1)];
    expect(planBatch(context({ size: 1 }), log)).toMatchObject({ entries: 1, to: positionAt(1) });
    expect(planBatch(context({ size: 150 }), log).entries).toBe(2);
  });

  it('buries a fault once, lets its subject wait and the others go on', () => {
    const batch = planBatch(context(), [faultAt(1, a), revised(2, a, 2), revised(3, b, 1), faultAt(4, a)]);
    expect(batch.origins).toEqual([positionAt(3)]);
    expect(batch.letters).toHaveLength(1);
    expect(batch.degraded.get(a)).toMatchObject({ position: positionAt(1), code: 'INVALID_DATA', waiting: 2 });
  });

  it('goes on waiting for a subject that was degraded before', () => {
    const degraded = new Map([[a, { position: positionAt(1), event_id: undefined, code: 'BAD_PAYLOAD' as const, waiting: 5 }]]);
    const batch = planBatch(context({ degraded }), [revised(7, a, 7)]);
    expect(batch.writes).toEqual([]);
    expect(batch.degraded.get(a)?.waiting).toBe(6);
    expect(batch.letters).toEqual([]);
  });

  it('applies a forgetting to a degraded subject, whose text must go', () => {
    const batch = planBatch(context(), [faultAt(1, a), forgotten(2, a, 2)]);
    expect(batch.writes).toEqual([{ op: 'del', row: a }]);
    expect(batch.degraded.get(a)).toBeDefined();
  });

  it('has a dead letter and no degraded subject for an envelope that cannot be read', () => {
    const batch = planBatch(context(), [faultAt(1, undefined, 'BAD_ENVELOPE'), revised(2, a, 1)]);
    expect(batch.letters).toMatchObject([{ code: 'BAD_ENVELOPE', subject: undefined }]);
    expect(batch.degraded.size).toBe(0);
    expect(batch.writes).toHaveLength(1);
  });

  it('treats what was refused, and what throws, as poison of its subject', () => {
    const log = [revised(1, a, 1), revised(2, b, 1)];
    expect([...planBatch(context({ condemned: new Set([positionAt(1)]) }), log).degraded.keys()]).toEqual([a]);
    const broken = {
      ...memories,
      apply: (): never => {
        throw new Error('no');
      },
    };
    expect(planBatch(context({ projection: broken }), log).letters.map(({ code }) => code)).toEqual(['APPLY_FAILED', 'APPLY_FAILED']);
  });

  it('sees the rows that earlier entries of the same batch wrote', () => {
    const remembered = eventAt(
      1,
      {
        type: 'MemoryRemembered',
        data: { namespace: 'episodic', content: 'x', tags: [], mode: 'raw', licence: 'own', provenance: 'asserted' },
      },
      a,
      1,
    );
    const batch = planBatch(context({ projection: counters, name: 'counters' }), [remembered, archived(2, a, 2), forgotten(3, a, 3)]);
    expect(batch.writes).toContainEqual({ op: 'remove', row: 'state:episodic:active', member: a });
    expect(batch.writes).toContainEqual({ op: 'remove', row: 'state:episodic:archived', member: a });
    expect(batch.writes).toContainEqual({ op: 'add', row: 'state:episodic:forgotten', member: a });
  });
});
