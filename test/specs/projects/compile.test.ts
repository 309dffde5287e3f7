import { describe, expect, it } from 'vitest';
import type { Abandoned } from '../../../domain/memory/events.js';
import { type DraftSource, drawnFrom, lessonsOf, notesOf, stateOf, topTags, writtenOut } from '../../../domain/project/compile.js';

const memory = (key: string, more: Partial<DraftSource> = {}): DraftSource => ({
  key,
  content: `Text of ${key}`,
  tags: [],
  abandoned_approaches: [],
  ...more,
});
const deadEnd = (name: string, reason = 'too slow'): Abandoned => ({ name, type: 'library', reason, attempted_at: '2026-01-01T00:00:00Z' });

describe('the draft of a context', () => {
  it('takes its state from the five newest', () => {
    const sources = ['f', 'e', 'd', 'c', 'b', 'a'].map((key) => memory(key));
    expect(drawnFrom(sources)).toEqual({ current_state: ['f', 'e', 'd', 'c', 'b'] });
    expect(drawnFrom([])).toEqual({});
  });
  it('shows 200 characters of each, with a line between', () => {
    expect(stateOf([{ content: 'x'.repeat(300) }, { content: 'short' }])).toBe(`${'x'.repeat(200)}\n---\nshort`);
  });
  it('counts each tag, and shows the twenty most frequent', () => {
    const tags = Array.from({ length: 25 }, (_, i) => `tag-${String(i).padStart(2, '0')}`);
    const top = topTags([{ tags }, { tags: ['tag-24'] }, { tags: ['tag-24', 'tag-07'] }]);
    expect(top.slice(0, 3)).toEqual(['tag-24', 'tag-07', 'tag-00']);
    expect(top).toHaveLength(20);
  });
  it('takes its notes from those that taught something, one line a kind', () => {
    const sources = [
      memory('a', { breakthrough: 'Batch the writes', abandoned_approaches: [deadEnd('moment')] }),
      memory('b'),
      memory('c', { gotchas: 'Mind\nthe clock', breakthrough: 'Batch the writes' }),
    ];
    expect(drawnFrom(sources).notes).toEqual(['a', 'c']);
    expect(notesOf(sources)).toBe('Breakthroughs: Batch the writes\nGotchas: Mind the clock\nAbandoned: moment (too slow)');
    expect(notesOf([memory('b')])).toBe('');
  });
  it('names one dead end once', () => {
    const { abandoned } = lessonsOf([
      memory('a', { abandoned_approaches: [deadEnd('moment')] }),
      memory('b', { abandoned_approaches: [deadEnd('moment'), deadEnd('luxon')] }),
    ]);
    expect(abandoned.map(({ name }) => name)).toEqual(['moment', 'luxon']);
  });
});

describe('writing out a context', () => {
  const context = {
    description: 'Bills.',
    stack: '',
    goals: '',
    current_state: '',
    notes: '',
    drawn: { current_state: ['a', 'b'], notes: ['a'] },
  };
  it('fills the drawn parts from the memories that are there', () => {
    const there = new Map([memory('a', { gotchas: 'Mind the clock' }), memory('b')].map((one) => [one.key, one]));
    expect(writtenOut(context, there)).toEqual({
      description: 'Bills.',
      stack: '',
      goals: '',
      current_state: 'Text of a\n---\nText of b',
      notes: 'Gotchas: Mind the clock',
    });
  });
  it('a memory that is gone leaves it', () => {
    expect(writtenOut(context, new Map([['b', memory('b')]]))).toMatchObject({ current_state: 'Text of b', notes: '' });
  });
  it('leaves what has words of its own', () => {
    expect(writtenOut({ ...context, current_state: 'By hand', notes: 'By hand, too', drawn: {} }, new Map())).toMatchObject({
      current_state: 'By hand',
      notes: 'By hand, too',
    });
  });
});
