import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { contradictions, readOpenPairs } from '../../../projections/contradictions.js';
import { maintenance, readLastMaintenance } from '../../../projections/maintenance.js';
import type { Projection } from '../../../projections/projection.js';
import { ViewInMemory } from '../../../projections/view.js';
import { eventAt } from './histories.js';

type Told = readonly [subject: string, event: DomainEvent];

const viewOf = (projection: Projection, ...told: readonly Told[]): ViewInMemory => {
  const view = new ViewInMemory(projection);
  const versions = new Map<string, number>();
  for (const [place, [subject, event]] of told.entries()) {
    const n = (versions.get(subject) ?? 0) + 1;
    versions.set(subject, n);
    view.apply(eventAt(place + 1, event, subject, n).event);
  }
  return view;
};

const key = (letter: string): string => `mem:episodic:01J${letter.repeat(23)}`;
const [a, b, c] = [key('A'), key('B'), key('C')];

const born = (subject: string, project?: string): Told => [
  subject,
  {
    type: 'MemoryRemembered',
    data: {
      namespace: 'episodic',
      content: 'text',
      tags: [],
      mode: 'raw',
      licence: 'own',
      provenance: 'concluded',
      ...(project !== undefined && { project }),
    },
  },
];
const flagged = (one: string, other: string): readonly Told[] =>
  [
    [one, other],
    [other, one],
  ].map(([subject = '', against = '']) => [
    subject,
    { type: 'ContradictionFlagged', data: { with: against, method: 'heuristic', cue: 'never/always', similarity: 0.8 } },
  ]);
const resolved = (one: string, other: string): readonly Told[] => [
  [one, { type: 'ContradictionResolved', data: { with: other } }],
  [other, { type: 'ContradictionResolved', data: { with: one } }],
];

const pairs = async (view: ViewInMemory, projects?: readonly string[], limit = 10) =>
  (await readOpenPairs(view, { projects, limit })).map(({ key_a, key_b }) => [key_a, key_b]);

describe('open contradictions', () => {
  const past = [born(a, 'blue'), born(b, 'blue'), born(c, 'green')];

  it('are listed newest first, each once, with how they were found', async () => {
    const view = viewOf(contradictions, ...past, ...flagged(a, b), ...flagged(c, a));
    const [newest, older] = await readOpenPairs(view, { limit: 10 });
    expect(newest).toMatchObject({ key_a: a, key_b: c, method: 'heuristic', cue: 'never/always', similarity: 0.8 });
    expect(older).toMatchObject({ key_a: a, key_b: b });
    expect((newest?.since ?? '') > (older?.since ?? '')).toBe(true);
    expect(await pairs(view, undefined, 1)).toEqual([[a, c]]);
  });

  it('of one moment are listed by their keys, whatever order they were found in', async () => {
    const told = [...past, born(key('D'), 'blue')];
    const found = (...others: readonly string[]) => {
      const view = viewOf(contradictions, ...told);
      const { at } = eventAt(50, born(a)[1], a, 1).event.envelope;
      for (const [subject, flag] of others.flatMap((other) => flagged(a, other))) {
        const one = eventAt(60, flag, subject, 2).event;
        view.apply({ ...one, envelope: { ...one.envelope, at } });
      }
      return pairs(view, ['green', 'blue'], 2);
    };
    expect(await found(b, c, key('D'))).toEqual([
      [a, b],
      [a, c],
    ]);
    expect(await found(key('D'), c, b)).toEqual([
      [a, b],
      [a, c],
    ]);
  });

  it('belong to the projects of either memory, under every name given', async () => {
    const view = viewOf(contradictions, ...past, ...flagged(a, b), ...flagged(c, a));
    expect(await pairs(view, ['green'])).toEqual([[a, c]]);
    expect(await pairs(view, ['green', 'blue'])).toEqual([
      [a, c],
      [a, b],
    ]);
    expect(await pairs(view, ['red'])).toEqual([]);
  });

  it.each<readonly [string, readonly Told[]]>([
    ['resolved', resolved(a, b)],
    ['forgotten on one side', [[b, { type: 'MemoryForgotten', data: {} }]]],
    ['archived on one side', [[b, { type: 'MemoryArchived', data: {} }]]],
    ['deprioritised on one side', [[a, { type: 'MemoryDeprioritised', data: { reason: 'old', reinstate_hints: [] } }]]],
    ['resolved on one side only', resolved(a, b).slice(0, 1)],
  ])('are not shown once %s', async (_why, since) => {
    expect(await pairs(viewOf(contradictions, ...past, ...flagged(a, b), ...since))).toEqual([]);
    expect(await pairs(viewOf(contradictions, ...past, ...flagged(a, b), ...since), ['blue'])).toEqual([]);
  });

  it('are shown again when the archived side comes back', async () => {
    const back: readonly Told[] = [
      [b, { type: 'MemoryArchived', data: {} }],
      [b, { type: 'MemoryReinstated', data: {} }],
    ];
    expect(await pairs(viewOf(contradictions, ...past, ...flagged(a, b), ...back))).toEqual([[a, b]]);
  });

  it('flagged again after they were resolved count from then', async () => {
    const view = viewOf(contradictions, ...past, ...flagged(a, b), ...flagged(a, c), ...resolved(a, b), ...flagged(a, b));
    expect(await pairs(view)).toEqual([
      [a, b],
      [a, c],
    ]);
    expect(await view.counts(['open'])).toEqual([4]);
  });

  it('leave nothing of a memory that is forgotten', async () => {
    const gone: readonly Told[] = [a, b].map((subject) => [subject, { type: 'MemoryForgotten', data: {} }]);
    const view = viewOf(contradictions, ...past, ...flagged(a, b), ...gone);
    expect(await view.counts(['open', 'open:blue'])).toEqual([0, 0]);
    expect(await view.rows([`at:${a}`, `of:${a}`, `of:${b}`])).toEqual([{}, {}, {}]);
  });
});

describe('the last maintenance', () => {
  const ran = (day: number, project?: string, archived: readonly string[] = []): Told => [
    `system:2026-01-0${day}`,
    {
      type: 'MaintenanceRan',
      data: {
        ...(project !== undefined && { project }),
        duplicates_archived: [...archived],
        contradictions_found: [[a, b]],
        knowledge_expired: [],
        left: 3,
      },
    },
  ];

  it('is the newest of a project under all its names, apart from those of the whole store', async () => {
    const view = viewOf(maintenance, ran(1, 'blue', [a]), ran(1, 'azure', [b]), ran(2), ran(3, 'green', [c]));
    expect(await readLastMaintenance(view, ['blue', 'azure'])).toMatchObject({
      project: 'azure',
      duplicates_archived: [b],
      contradictions_found: [{ key_a: a, key_b: b }],
      knowledge_expired: [],
      left: 3,
      ran_at: expect.any(String),
      correlation: expect.any(String),
    });
    expect(await readLastMaintenance(view, ['blue'])).toMatchObject({ duplicates_archived: [a] });
    expect(await readLastMaintenance(view)).not.toHaveProperty('project');
    expect(await readLastMaintenance(view, ['red'])).toBeUndefined();
  });
});
