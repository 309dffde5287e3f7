import { describe, expect, it } from 'vitest';
import { FACT_LENGTH, factsIn, rememberedFact } from '../../../domain/enrichment/facts.js';
import { isDue, sourceOf } from '../../../domain/enrichment/source.js';
import type { MemoryEvent, Remembered } from '../../../domain/memory/events.js';

const KEY = 'mem:episodic:01J00000000000000000000000';
const born: Remembered = { namespace: 'episodic', content: 'text', tags: ['a'], mode: 'full', licence: 'own', provenance: 'concluded' };
const after = (data: Partial<Remembered> = {}, ...events: readonly MemoryEvent[]) =>
  sourceOf({
    subject: KEY,
    version: events.length + 1,
    events: [{ type: 'MemoryRemembered' as const, data: { ...born, ...data } }, ...events].map((event, i) => ({
      ...event,
      n: i + 1,
      at: `2026-11-30T10:00:0${i}.000Z`,
    })),
  });
const source = (data: Partial<Remembered> = {}) => {
  const found = after(data);
  if (!found) throw new Error('it is there');
  return found;
};

describe('the facts of an answer', () => {
  it('are cleaned: white space, bullets, unknown kinds, dates that are none', () =>
    expect(
      factsIn(
        [
          { text: ' - One\n two ', kind: 'fact', event_date: '2026-02-03' },
          { text: 'Three', kind: 'preference', event_date: '2026-02-31' },
          { text: 'Four', kind: 'opinion', event_date: 'soon', chunk: 2 },
          'Five',
        ],
        20,
      ),
    ).toEqual({
      facts: [
        { text: 'One two', kind: 'fact', event_date: '2026-02-03T00:00:00.000Z' },
        { text: 'Three', kind: 'preference' },
        { text: 'Four', kind: 'fact', chunk: 2 },
        { text: 'Five', kind: 'fact' },
      ],
      skipped: 0,
    }));
  it('leave out what is no text, too long, repeated or recalled, and count it', () =>
    expect(
      factsIn([null, 7, {}, { text: ' ' }, 'x'.repeat(FACT_LENGTH + 1), 'Same', ' same ', '[omnimem:recall] 1 memory.', 'a\u0000b'], 20),
    ).toEqual({ facts: [{ text: 'Same', kind: 'fact' }], skipped: 8 }));
  it('are so many at most', () =>
    expect(factsIn(['a1', 'a2', 'a3'], 2)).toMatchObject({ facts: [{ text: 'a1' }, { text: 'a2' }], skipped: 1 }));
});

describe('a fact as it is remembered', () => {
  it('dates by itself, else by its source, else by when that was written', () => {
    const date = (fact: string | undefined, of: string | undefined) =>
      rememberedFact(source(of === undefined ? {} : { event_date: of }), {
        text: 't',
        kind: 'fact',
        ...(fact !== undefined && { event_date: fact }),
      }).event_date;
    const [own, sources] = ['2026-01-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z'];
    expect([date(own, sources), date(undefined, sources), date(undefined, undefined)]).toEqual([own, sources, '2026-11-30T10:00:00.000Z']);
  });
  it('goes where its kind belongs, with the scope of a preference', () => {
    expect(rememberedFact(source(), { text: 't', kind: 'preference' })).toMatchObject({ namespace: 'preference', scope: 'global' });
    expect(rememberedFact(source({ project: 'p' }), { text: 't', kind: 'preference' })).toMatchObject({ scope: 'project', project: 'p' });
    expect(rememberedFact(source({ project: 'p' }), { text: 't', kind: 'fact' })).not.toHaveProperty('scope');
  });
  it('names the document of a chunk, and ends when its source does', () =>
    expect(rememberedFact(source({ doc_id: 'd', expires_at: '2027-01-01T00:00:00.000Z' }), { text: 't', kind: 'fact' })).toMatchObject({
      enriched_from: KEY,
      source_doc_id: 'd',
      expires_at: '2027-01-01T00:00:00.000Z',
      mode: 'raw',
    }));
});

describe('a source', () => {
  const finished = (of: number): MemoryEvent => ({ type: 'EnrichmentFinished', data: { of, facts: [], model: 'm', skipped: 0 } });
  const revised: MemoryEvent = { type: 'MemoryRevised', data: { content: 'other' } };
  const due = (...events: readonly MemoryEvent[]) => {
    const found = after({}, ...events);
    return found && isDue(found);
  };
  it('is due until its present text was enriched, while it is active', () => {
    expect(due()).toBe(true);
    expect(due(finished(1))).toBe(false);
    expect(due(finished(1), revised)).toBe(true);
    expect(due(finished(1), revised, finished(3))).toBe(false);
    expect(due({ type: 'EnrichmentParked', data: { of: 1, code: 'X', attempts: 8 } })).toBe(true);
    expect(due({ type: 'MemoryArchived', data: {} })).toBe(false);
    expect(due({ type: 'MemoryForgotten', data: {} })).toBeUndefined();
  });
  it('is never knowledge, raw, or a fact', () =>
    expect(
      [{ namespace: 'knowledge' as const }, { mode: 'raw' as const }, { enriched_from: KEY }].map((data) => isDue(source(data))),
    ).toEqual([false, false, false]));
});
