import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../domain/decider.js';
import { isDomainError } from '../../../domain/errors.js';
import type { Numbered, Undoing } from '../../../domain/last-run.js';
import type { Abandoned, MemoryEvent } from '../../../domain/memory/events.js';
import { type Memory, type MemoryCommand, memoryDecider } from '../../../domain/memory/memory.js';
import type { TopicChange, TopicEvent } from '../../../domain/topic/topic.js';
import { topicDecider } from '../../../domain/topic/topic.js';
import { type Reversal, undoMemory, undoTopic } from '../../../domain/undo.js';
import { rememberedWith } from '../../support/eventlog.js';

const numbered = <Event>(events: readonly Event[]): Numbered<Event>[] => events.map((event, i) => ({ ...event, n: i + 1 }));
const reversal = (
  events: readonly MemoryEvent[],
  undone: readonly number[],
  since: Omit<Undoing, 'undone'> = {},
): Reversal<MemoryEvent> => {
  const answer = undoMemory(numbered(events), { ...since, undone: new Set(undone) });
  if (answer === 'forgotten') throw new Error('forgotten');
  return answer as Reversal<MemoryEvent>;
};
const stateOf = (events: readonly MemoryEvent[]): Memory => fold<Memory, MemoryEvent>(memoryDecider, events);

const born: MemoryEvent = { type: 'MemoryRemembered', data: rememberedWith('first', { tags: ['a'] }) };
const revised = (content: string): MemoryEvent => ({ type: 'MemoryRevised', data: { content } });
const retagged = (tags: string[], previous_tags: string[]): MemoryEvent => ({ type: 'MemoryRetagged', data: { tags, previous_tags } });
const deprioritised = (reason: string, ...reinstate_hints: string[]): MemoryEvent => ({
  type: 'MemoryDeprioritised',
  data: { reason, reinstate_hints },
});
const archived = (reason?: string): MemoryEvent => ({ type: 'MemoryArchived', data: reason === undefined ? {} : { reason } });
const reinstated: MemoryEvent = { type: 'MemoryReinstated', data: {} };
const putBack: MemoryEvent = { type: 'MemoryReinstated', data: { keeps_expiry: true } };
const licensed = (licence: 'own' | 'open', previous: 'own' | 'open'): MemoryEvent => ({
  type: 'LicenceStamped',
  data: { licence, previous },
});
const forgotten: MemoryEvent = { type: 'MemoryForgotten', data: {} };

describe('undoing on one memory', () => {
  it.each<[string, MemoryEvent[], number[], MemoryEvent[]]>([
    ['a revision', [born, revised('second')], [2], [{ type: 'MemoryRevised', data: { content: 'first', reason: 'undone' } }]],
    ['tags', [born, retagged(['b'], ['a'])], [2], [retagged(['a'], ['b'])]],
    ['a licence', [born, licensed('open', 'own')], [2], [licensed('own', 'open')]],
    ['archiving', [born, archived('old')], [2], [putBack]],
    ['reinstating what was archived', [born, archived('old'), reinstated], [3], [archived('old')]],
    ['reinstating what was deprioritised', [born, deprioritised('r', 'h'), reinstated], [3], [deprioritised('r', 'h')]],
    ['another reason', [born, deprioritised('r', 'h'), deprioritised('s', 'h', 'i')], [3], [deprioritised('r', 'h')]],
    ['deprioritising, with its hints', [born, deprioritised('r', 'h')], [2], [deprioritised('undone'), putBack]],
    [
      'several fields at once',
      [born, revised('x'), retagged([], ['a'])],
      [2, 3],
      [{ type: 'MemoryRevised', data: { content: 'first', reason: 'undone' } }, retagged(['a'], [])],
    ],
    [
      'only the last of two revisions',
      [born, revised('x'), revised('y')],
      [3],
      [{ type: 'MemoryRevised', data: { content: 'x', reason: 'undone' } }],
    ],
  ])('takes back %s', (_, events, undone, expected) => expect(reversal(events, undone).events).toEqual(expected));

  it('archives what was born in the action, and says so', () =>
    expect(reversal([born], [1])).toEqual({ events: [archived('undone')], restored: ['memory'], kept: [] }));
  it('archives it too when enrichment has only noted that it was through with it', () =>
    expect(reversal([born, { type: 'EnrichmentFinished', data: { of: 1, facts: [], model: 'm', skipped: 0 } }], [1]).restored).toEqual([
      'memory',
    ]));
  it('keeps a memory that somebody worked on since it was born', () =>
    expect(reversal([born, revised('x')], [1])).toEqual({ events: [], restored: [], kept: ['memory'] }));
  it('keeps a field that another action wrote since, and puts back the rest', () =>
    expect(reversal([born, revised('x'), retagged([], ['a']), revised('y')], [2, 3])).toEqual({
      events: [retagged(['a'], [])],
      restored: ['tags'],
      kept: ['content'],
    }));
  it('does nothing where the value is the same already', () =>
    expect(reversal([born, revised('x'), revised('first')], [2, 3])).toEqual({ events: [], restored: [], kept: [] }));
  it('ends at forgetting', () => expect(undoMemory(numbered([born, forgotten]), { undone: new Set([2]) })).toBe('forgotten'));
});

describe('undoing what was recorded of the work', () => {
  const end = (name: string, reason = 'broken'): Abandoned => ({ name, type: 'library', reason, attempted_at: '2026-11-30T10:00:00.000Z' });
  const abandoned = (name: string): MemoryEvent => ({ type: 'ApproachAbandoned', data: end(name) });
  const recorded = (abandoned_approaches: Abandoned[], more: object = {}): MemoryEvent => ({
    type: 'ExperienceRecorded',
    data: { effort_score: 3, outcome: 'succeeded', iterations: 1, ...more, abandoned_approaches },
  });
  const back = (abandoned_approaches: Abandoned[], more: object = {}): MemoryEvent => ({
    type: 'ExperienceRecorded',
    data: { ...more, abandoned_approaches, reason: 'undone' },
  });
  const figures = { effort_score: 3, outcome: 'succeeded', iterations: 1 };

  it('takes away exactly that dead end, whatever was recorded since', () =>
    expect(
      reversal(
        [born, abandoned('libzed'), abandoned('tcc'), recorded([end('libzed'), end('tcc')], { breakthrough: '2.1 fixed arm64' })],
        [2],
      ),
    ).toEqual({ events: [back([end('tcc')], { ...figures, breakthrough: '2.1 fixed arm64' })], restored: ['dead_ends'], kept: [] }));
  it('takes back what was recorded, and leaves a dead end that was logged since', () =>
    expect(reversal([born, recorded([end('libzed')], { gotchas: 'slow' }), abandoned('tcc')], [2])).toEqual({
      events: [back([end('tcc')])],
      restored: ['experience', 'gotchas', 'dead_ends'],
      kept: [],
    }));
  it('keeps the figures that another recorded since, and takes back the texts', () =>
    expect(reversal([born, recorded([], { gotchas: 'slow' }), recorded([], { effort_score: 5, gotchas: 'slow' })], [2])).toEqual({
      events: [back([], { ...figures, effort_score: 5 })],
      restored: ['gotchas'],
      kept: ['experience'],
    }));
  it('puts a lifted dead end back where it was, one that was lifted and logged again by others stays', () => {
    const lifted = recorded([end('b')], { reason: 'works again' });
    expect(reversal([born, recorded([end('a'), end('b')]), lifted], [3]).events).toEqual([back([end('a'), end('b')], figures)]);
    expect(reversal([born, recorded([end('a'), end('b')]), lifted, abandoned('a')], [3])).toEqual({
      events: [],
      restored: [],
      kept: ['dead_ends'],
    });
  });
});

const text = fc.constantFrom('a', 'b', 'c');
/** No two are of one moment, as in life. */
let moments = 0;
const deadEnd: fc.Arbitrary<Abandoned> = fc.record({ name: text, reason: text }).map(({ name, reason }) => {
  moments += 1;
  return { name, type: 'tool', reason, attempted_at: new Date(Date.UTC(2026, 0, 1) + moments).toISOString() };
});
const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  text.map((content): MemoryCommand => ({ type: 'ReviseMemory', data: { content } })),
  fc.array(text, { maxLength: 2 }).map((tags): MemoryCommand => ({ type: 'RetagMemory', data: { tags } })),
  fc
    .record({ reason: text, reinstate_hints: fc.array(text, { maxLength: 2 }) })
    .map((data): MemoryCommand => ({ type: 'DeprioritiseMemory', data })),
  fc
    .option(text, { nil: undefined })
    .map((reason): MemoryCommand => ({ type: 'ArchiveMemory', data: reason === undefined ? {} : { reason } })),
  fc.constant<MemoryCommand>({ type: 'ReinstateMemory', data: {} }),
  fc.constantFrom('own', 'open').map((licence): MemoryCommand => ({ type: 'StampLicence', data: { licence } })),
  fc.constantFrom('concluded', 'asserted').map((provenance): MemoryCommand => ({ type: 'StampProvenance', data: { provenance } })),
  fc
    .record({
      effort_score: fc.integer({ min: 1, max: 3 }),
      outcome: fc.constantFrom('succeeded', 'pivoted'),
      iterations: fc.constant(1),
      breakthrough: fc.option(text, { nil: undefined }),
      gotchas: fc.option(text, { nil: undefined }),
      abandoned_approaches: fc.array(deadEnd, { maxLength: 2 }),
    })
    .map((data): MemoryCommand => ({ type: 'RecordExperience', data })),
  deadEnd.map((data): MemoryCommand => ({ type: 'AbandonApproach', data })),
  text.map((name): MemoryCommand => ({ type: 'LiftDeadEnd', data: { name, type: 'tool', reason: 'works again' } })),
);
const decided = (events: readonly MemoryEvent[], next: MemoryCommand): readonly MemoryEvent[] => {
  try {
    return [...events, ...memoryDecider.decide(next, stateOf(events))];
  } catch (error) {
    if (isDomainError(error)) return events;
    throw error;
  }
};
/** A life before an action, and with the action. */
const lives = fc.tuple(fc.array(command, { maxLength: 8 }), fc.array(command, { minLength: 1, maxLength: 4 })).map(([before, action]) => {
  const past = before.reduce(decided, [born]);
  return { past, all: action.reduce(decided, past) };
});
const versions = (from: readonly unknown[], to: readonly unknown[]): number[] => to.slice(from.length).map((_, i) => from.length + i + 1);

describe('for every life of a memory', () => {
  it('undoing the last action leaves the state before it', () =>
    fc.assert(
      fc.property(lives, ({ past, all }) => {
        const { events } = reversal(all, versions(past, all));
        expect(stateOf([...all, ...events])).toEqual(stateOf(past));
      }),
    ));
  it('undoing it twice changes nothing more', () =>
    fc.assert(
      fc.property(lives, ({ past, all }) => {
        const undone = versions(past, all);
        const after = [...all, ...reversal(all, undone).events];
        expect(reversal(after, undone).events).toEqual([]);
      }),
    ));
  it('undoing the undo does the action again', () =>
    fc.assert(
      fc.property(lives, ({ past, all }) => {
        const after = [...all, ...reversal(all, versions(past, all)).events];
        const again = [...after, ...reversal(after, versions(all, after)).events];
        expect(stateOf(again)).toEqual(stateOf(all));
      }),
    ));
  it('undoing one action after the other, the newest first, ends where it began, and a second round changes nothing', () =>
    fc.assert(
      fc.property(fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }), (actions) => {
        let all: readonly MemoryEvent[] = [born];
        const made = actions.map((action) => {
          const before = all;
          all = action.reduce(decided, all as MemoryEvent[]);
          return versions(before, all);
        });
        const annulled = new Set<number>();
        const tookBack = new Map<readonly number[], ReadonlySet<number>>();
        const undoOne = (undone: readonly number[]): readonly MemoryEvent[] => {
          const { events } = reversal(all, undone, { annulled, already: tookBack.get(undone) });
          const before = all;
          all = [...all, ...events];
          tookBack.set(undone, new Set(versions(before, all)));
          for (const n of [...undone, ...versions(before, all)]) annulled.add(n);
          return events;
        };
        for (const undone of made.toReversed()) undoOne(undone);
        expect(stateOf(all)).toEqual(stateOf([born]));
        for (const undone of made.toReversed()) expect(undoOne(undone)).toEqual([]);
      }),
    ));
  it('what a later action wrote stays', () =>
    fc.assert(
      fc.property(lives, fc.array(command, { minLength: 1, maxLength: 4 }), ({ past, all }, later) => {
        const now = later.reduce(decided, all);
        const { events, kept } = reversal(now, versions(past, all));
        const [before, after] = [stateOf(now), stateOf([...now, ...events])];
        const theirs = new Set(now.slice(all.length).map(({ type }) => type));
        const fields = {
          MemoryRevised: 'content',
          MemoryRetagged: 'tags',
          LicenceStamped: 'licence',
          ProvenanceStamped: 'provenance',
        } as const;
        for (const [type, field] of Object.entries(fields)) {
          if (theirs.has(type as MemoryEvent['type'])) expect(after).toHaveProperty(field, (before as never)[field]);
          else expect(kept).not.toContain(field);
        }
      }),
    ));
});

describe('undoing on a topic', () => {
  const suppressed = (reason?: string): TopicChange => ({
    type: 'TopicSuppressed',
    data: { topic: 't', ...(reason !== undefined && { reason }) },
  });
  const lifted: TopicChange = { type: 'TopicUnsuppressed', data: { topic: 't' } };
  const answerOf = (events: TopicEvent[], undone: number[]) => undoTopic(numbered(events), { undone: new Set(undone) });
  const undo = (events: TopicEvent[], undone: number[]) => {
    const answer = answerOf(events, undone);
    if (answer === 'forgotten') throw new Error('forgotten');
    return answer;
  };

  it('lifts and puts back the suppression, with its reason', () => {
    expect(undo([suppressed('r')], [1]).events).toEqual([lifted]);
    expect(undo([suppressed('r'), lifted], [2]).events).toEqual([suppressed('r')]);
    expect(undo([suppressed('r'), suppressed()], [2]).events).toEqual([suppressed('r')]);
    expect(fold({ initialState: topicDecider.initialState, evolve: topicDecider.evolve }, [suppressed('r')])).toEqual({
      suppressed: true,
      reason: 'r',
    });
  });
  it('goes topic by topic where a memory holds those of its dead ends', () => {
    const other: TopicChange = { type: 'TopicSuppressed', data: { topic: 'u', reason: 'r' } };
    const answer = undoMemory(numbered([born, suppressed('r'), other, { ...lifted, data: { topic: 'u' } }]), { undone: new Set([2, 3]) });
    expect(answer).toEqual({ events: [lifted], restored: ['suppression'], kept: ['suppression'] });
  });
  it('leaves what was forgotten forgotten', () => {
    expect(answerOf([{ type: 'TopicForgotten', data: {} }], [1])).toBe('forgotten');
    expect(answerOf([], [1])).toBe('forgotten');
  });
  it('keeps what another decided since', () =>
    expect(undo([suppressed('r'), lifted, suppressed('s')], [1])).toEqual({ events: [], restored: [], kept: ['suppression'] }));
});
