import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { breakthroughs, experience, experienceFigures, mostEffortful } from '../../../projections/experience.js';
import { burials } from '../../../projections/graveyard.js';
import { memories, toMemory } from '../../../projections/memories.js';
import { ViewInMemory } from '../../../projections/view.js';
import { summaryOf } from '../../../services/queries/experience/summary.js';
import { eventAt } from './histories.js';

const remembered = (project?: string, content = 'text'): DomainEvent => ({
  type: 'MemoryRemembered',
  data: { namespace: 'episodic', content, tags: [], mode: 'raw', licence: 'own', provenance: 'concluded', ...(project && { project }) },
});
const time = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const deadEnd = (name: string, day: number, reason = 'no') => ({ name, type: 'library' as const, reason, attempted_at: time(day) });
const abandoned = (name: string, day: number, reason?: string): DomainEvent => ({
  type: 'ApproachAbandoned',
  data: deadEnd(name, day, reason),
});
const recorded = (effort_score: number, outcome: 'succeeded' | 'pivoted' | 'abandoned', more: object = {}): DomainEvent => ({
  type: 'ExperienceRecorded',
  data: { effort_score, outcome, iterations: 1, abandoned_approaches: [], ...more },
});
const archived: DomainEvent = { type: 'MemoryArchived', data: {} };
const reinstated: DomainEvent = { type: 'MemoryReinstated', data: {} };
const forgotten: DomainEvent = { type: 'MemoryForgotten', data: {} };

const [A, B, C, D] = ['mem:episodic:A', 'mem:episodic:B', 'mem:episodic:C', 'mem:episodic:D'] as const;
const blue = [{ project: 'blue' }];

const after = (...events: readonly (readonly [string, DomainEvent])[]) => {
  const [view, rows] = [new ViewInMemory(experience), new ViewInMemory(memories)];
  const versions = new Map<string, number>();
  events.forEach(([subject, event], i) => {
    const n = (versions.get(subject) ?? 0) + 1;
    versions.set(subject, n);
    for (const each of [view, rows]) each.apply(eventAt(i + 1, event, subject, n).event);
  });
  const read = async (keys: readonly string[]) =>
    new Map(
      (await rows.rows(keys)).flatMap((row, i) => {
        const memory = toMemory(keys[i] ?? '', row);
        return memory ? [[memory.key, memory] as const] : [];
      }),
    );
  return { view, summary: (scopes: Parameters<typeof summaryOf>[1] = ['all']) => summaryOf(view, scopes, read) };
};

describe('the view of experience', () => {
  it('counts by sets, so recording again moves a memory and counts it once', async () => {
    const { view, summary } = after(
      [A, remembered('blue')],
      [A, recorded(3, 'pivoted')],
      [A, recorded(5, 'succeeded', { breakthrough: 'x' })],
      [B, remembered('blue')],
      [B, recorded(2, 'abandoned')],
      [C, remembered()],
      [C, recorded(3, 'succeeded')],
    );
    expect(await experienceFigures(view, ['all'])).toEqual({
      memories: 3,
      efforts: [0, 1, 1, 0, 1],
      outcomes: { succeeded: 2, pivoted: 0, abandoned: 1 },
    });
    expect((await summary()).average_effort_score).toBe(3.33);
    expect(await summary(blue)).toMatchObject({ memories_with_experience: 2, average_effort_score: 3.5 });
    expect(await mostEffortful(view, ['all'], 5)).toEqual([A, C, B]);
    expect(await mostEffortful(view, blue, 1)).toEqual([A]);
  });

  it('adds up projects that are one', async () => {
    const { summary } = after([A, remembered('blue')], [A, recorded(4, 'pivoted')], [B, remembered('Blue')], [B, recorded(1, 'pivoted')]);
    expect(await summary([...blue, { project: 'Blue' }])).toMatchObject({
      memories_with_experience: 2,
      average_effort_score: 2.5,
      outcome_breakdown: { pivoted: 2 },
      top_5_most_effortful: [{ key: A }, { key: B }],
    });
  });

  it('leaves archived memories out until they come back, and forgotten ones for good', async () => {
    const before = [
      [A, remembered()],
      [A, recorded(5, 'succeeded', { breakthrough: 'x', abandoned_approaches: [deadEnd('kafka', 1)] })],
    ] as const;
    const none = { memories_with_experience: 0, average_effort_score: 0, top_5_most_effortful: [], graveyard: [], top_3_breakthroughs: [] };
    const { view, summary } = after(...before, [A, archived]);
    expect(await summary()).toMatchObject({ ...none, outcome_breakdown: { succeeded: 0, pivoted: 0, abandoned: 0 } });
    expect(await burials(view, ['all'], { limit: 9, archived: true })).toEqual([{ attempted_at: time(1), key: A }]);
    expect(await after(...before, [A, archived], [A, reinstated]).summary()).toMatchObject({
      memories_with_experience: 1,
      graveyard: [{ name: 'kafka', key: A, effort_score: 5 }],
    });
    const gone = after(...before, [A, forgotten]);
    expect(await gone.summary()).toMatchObject(none);
    expect(await burials(gone.view, ['all'], { limit: 9, archived: true })).toEqual([]);
  });

  it('counts a memory of which only a dead end is known, without an effort', async () => {
    const { summary } = after([A, remembered()], [A, abandoned('kafka', 1)]);
    expect(await summary()).toMatchObject({ memories_with_experience: 1, average_effort_score: 0, graveyard: [{ name: 'kafka' }] });
  });

  it('lists dead ends newest first, each name once with its last time', async () => {
    const { summary } = after(
      [A, remembered('blue')],
      [A, abandoned('Kafka', 1, 'old')],
      [A, abandoned('pg-boss', 5)],
      [B, remembered()],
      [B, abandoned('kafka', 3, 'again')],
      [B, recorded(2, 'pivoted', { abandoned_approaches: [deadEnd('kafka', 3, 'again'), deadEnd('bull', 3)] })],
    );
    expect((await summary()).graveyard).toEqual([
      { ...deadEnd('pg-boss', 5), key: A, project: 'blue' },
      { ...deadEnd('kafka', 3, 'again'), key: B, effort_score: 2 },
      { ...deadEnd('bull', 3), key: B, effort_score: 2 },
    ]);
    expect((await summary(blue)).graveyard.map(({ name, reason }) => [name, reason])).toEqual([
      ['pg-boss', 'no'],
      ['Kafka', 'old'],
    ]);
  });

  it('says when there are more dead ends than it lists', async () => {
    const many = Array.from({ length: 60 }, (_, i) => [A, abandoned(`tool${i}`, 1 + (i % 28))] as const);
    const { summary } = after([A, remembered()], ...many);
    const { graveyard, graveyard_cut } = await summary();
    expect(graveyard).toHaveLength(50);
    expect(graveyard_cut).toMatchObject({ shown: 50 });
  });

  it('names the best breakthroughs of what succeeded, the hardest won first, three at most', async () => {
    const { view, summary } = after(
      [A, remembered()],
      [A, recorded(2, 'succeeded', { breakthrough: 'a' })],
      [B, remembered()],
      [B, recorded(5, 'pivoted', { breakthrough: 'b' })],
      [C, remembered()],
      [C, recorded(4, 'succeeded', { breakthrough: 'c' })],
      [D, remembered()],
      [D, recorded(5, 'succeeded')],
    );
    expect(await breakthroughs(view, ['all'], 3)).toEqual([C, A]);
    expect((await summary()).top_3_breakthroughs).toEqual([
      { key: C, effort_score: 4, breakthrough: 'c' },
      { key: A, effort_score: 2, breakthrough: 'a' },
    ]);
  });

  it('takes a field back that an undo takes back', async () => {
    const { view } = after(
      [A, remembered()],
      [A, recorded(5, 'succeeded', { breakthrough: 'x' })],
      [A, { type: 'ExperienceRecorded', data: { abandoned_approaches: [] } }],
    );
    expect(await experienceFigures(view, ['all'])).toMatchObject({ memories: 0, efforts: [0, 0, 0, 0, 0] });
    expect(await breakthroughs(view, ['all'], 3)).toEqual([]);
  });
});
