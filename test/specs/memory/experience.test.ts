import { describe, expect, it } from 'vitest';
import type { Abandoned, MemoryEvent, Remembered } from '../../../domain/memory/events.js';
import { deadEndsToSuppress, hasExperience, NO_EXPERIENCE, type RecordedExperience } from '../../../domain/memory/experience.js';
import { type MemoryCommand, memoryDecider } from '../../../domain/memory/memory.js';
import { namesToSuppress } from '../../../services/commands/experience/suppressing.js';
import { specFor } from '../../support/spec.js';

const given = specFor(memoryDecider);
const AT = '2026-11-30T10:00:00.000Z';
const LATER = '2026-11-30T11:00:00.000Z';

const facts: Remembered = {
  namespace: 'episodic',
  content: 'Jobs run in a queue on Postgres.',
  tags: [],
  mode: 'raw',
  licence: 'own',
  provenance: 'concluded',
};
const remembered: MemoryEvent = { type: 'MemoryRemembered', data: facts };
const deadEnd = (name: string, reason = 'lost jobs', attempted_at = AT): Abandoned => ({ name, type: 'library', reason, attempted_at });
const record = (data: Partial<RecordedExperience>): MemoryCommand => ({
  type: 'RecordExperience',
  data: { effort_score: 3, outcome: 'succeeded', iterations: 1, abandoned_approaches: [], ...data },
});
const recorded = (data: object): MemoryEvent => ({
  type: 'ExperienceRecorded',
  data: { effort_score: 3, outcome: 'succeeded', iterations: 1, abandoned_approaches: [], ...data },
});

describe('recording experience', () => {
  it('notes all of it', () =>
    given(remembered)
      .when(record({ breakthrough: 'skip locked', gotchas: 'vacuum', abandoned_approaches: [deadEnd('pg-boss')] }))
      .then(recorded({ breakthrough: 'skip locked', gotchas: 'vacuum', abandoned_approaches: [deadEnd('pg-boss')] })));

  it('overwrites effort, outcome and attempts, and keeps what is not told anew', () =>
    given(remembered, recorded({ iterations: 7, breakthrough: 'skip locked', gotchas: 'vacuum' }))
      .when(record({ effort_score: 5, outcome: 'pivoted', gotchas: 'bloat' }))
      .then(recorded({ effort_score: 5, outcome: 'pivoted', breakthrough: 'skip locked', gotchas: 'bloat' })));

  it('adds dead ends, each once', () =>
    given(remembered, { type: 'ApproachAbandoned', data: deadEnd('pg-boss') })
      .when(
        record({
          abandoned_approaches: [deadEnd('PG-Boss', 'lost jobs', LATER), deadEnd('bull'), deadEnd('bull'), deadEnd('bull', 'slow')],
        }),
      )
      .then(recorded({ abandoned_approaches: [deadEnd('pg-boss'), deadEnd('bull'), deadEnd('bull', 'slow')] })));

  it('does nothing when nothing is new', () => given(remembered, recorded({})).when(record({})).then());

  it('needs a memory', () => {
    given().when(record({})).thenThrows('NOT_FOUND');
    given(remembered, { type: 'MemoryForgotten', data: {} }).when(record({})).thenThrows('NOT_FOUND');
  });
});

describe('a dead end as it happens', () => {
  it('is noted on its memory, an archived one too', () =>
    given(remembered, { type: 'MemoryArchived', data: {} })
      .when({ type: 'AbandonApproach', data: deadEnd('pg-boss') })
      .then({ type: 'ApproachAbandoned', data: deadEnd('pg-boss') }));
  it('needs a memory', () =>
    given()
      .when({ type: 'AbandonApproach', data: deadEnd('pg-boss') })
      .thenThrows('NOT_FOUND'));
});

describe('what recall is to leave out', () => {
  const hard = { effort_score: 4, outcome: 'abandoned' as const, abandoned_approaches: [deadEnd('a1'), deadEnd('b1')] };

  it('is every dead end of hard work that was given up', () => {
    expect(deadEndsToSuppress({ abandoned_approaches: [deadEnd('a1')] }, hard)).toEqual(hard.abandoned_approaches);
  });
  it.each([
    { effort_score: 3, outcome: 'abandoned' as const },
    { effort_score: 5, outcome: 'succeeded' as const },
    { effort_score: 5, outcome: 'pivoted' as const },
    {},
  ])('is nothing of %j', (experience) =>
    expect(deadEndsToSuppress(NO_EXPERIENCE, { ...experience, abandoned_approaches: [deadEnd('a1')] })).toEqual([]),
  );
  it('is only what is new when the work was given up before, since somebody may have let the others back in', () => {
    const before = { ...hard, abandoned_approaches: [deadEnd('a1')] };
    expect(deadEndsToSuppress(before, hard)).toEqual([deadEnd('b1')]);
    expect(deadEndsToSuppress(hard, { ...hard, effort_score: 5 })).toEqual([]);
  });
  it('spares common words and what is no topic, and says why', () => {
    const { topics, spared } = namesToSuppress(
      ['PG-Boss', 'pg-boss', 'next', 'on', 'Next.js', 'x'.repeat(300)].map((name) => deadEnd(name)),
    );
    expect([...topics]).toEqual([
      ['pg-boss', 'PG-Boss'],
      ['next.js', 'Next.js'],
    ]);
    expect(spared.map(({ name, why }) => [name.slice(0, 4), why.split(';')[0]])).toEqual([
      ['next', expect.stringContaining('common word')],
      ['on', expect.stringContaining('common word')],
      ['xxxx', expect.stringContaining('cannot be a topic')],
    ]);
  });
});

describe('experience', () => {
  it('is there with any of its fields, a dead end included', () => {
    expect(hasExperience(NO_EXPERIENCE)).toBe(false);
    expect(hasExperience({ abandoned_approaches: [deadEnd('a1')] })).toBe(true);
    expect(hasExperience({ gotchas: 'mind the gap', abandoned_approaches: [] })).toBe(true);
  });
});

describe('a dead end that is lifted', () => {
  const lift = (name: string, type: 'library' | 'tool' = 'library'): MemoryCommand => ({
    type: 'LiftDeadEnd',
    data: { name, type, reason: '2.1 fixed it' },
  });
  const known = recorded({
    breakthrough: 'skip locked',
    abandoned_approaches: [deadEnd('pg-boss'), deadEnd('bull'), deadEnd('pg-boss', 'slow')],
  });

  it('goes for all its reasons, however its name is written, and the rest stays with the reason why', () => {
    for (const name of ['pg-boss', 'PgBoss', 'pg boss'])
      given(remembered, known)
        .when(lift(name))
        .then(recorded({ breakthrough: 'skip locked', abandoned_approaches: [deadEnd('bull')], reason: '2.1 fixed it' }));
  });
  it('is the one of the type that is named, where there are several of one name', () => {
    const ends = [deadEnd('bull'), { ...deadEnd('bull'), type: 'tool' as const }];
    given(remembered, recorded({ abandoned_approaches: ends }))
      .when(lift('bull', 'tool'))
      .then(recorded({ abandoned_approaches: [deadEnd('bull')], reason: '2.1 fixed it' }));
    given(remembered, recorded({ abandoned_approaches: [deadEnd('bull')] }))
      .when(lift('bull', 'tool'))
      .then(recorded({ abandoned_approaches: [], reason: '2.1 fixed it' }));
  });
  it('has to be there', () => {
    given(remembered, known).when(lift('boss')).thenThrows('NOT_FOUND');
    given(remembered).when(lift('bull')).thenThrows('NOT_FOUND');
    given().when(lift('bull')).thenThrows('NOT_FOUND');
  });
  it('is none of what is known afterwards, and the reason is no part of it', () =>
    given(remembered, recorded({ abandoned_approaches: [] }), recorded({ abandoned_approaches: [], reason: 'x' }))
      .when(record({}))
      .then());
});
