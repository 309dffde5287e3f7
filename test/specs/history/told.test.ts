import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, type DomainEvent } from '../../../domain/catalogue.js';
import { erases } from '../../../domain/erasure.js';
import { isRecallable, projectKey } from '../../../domain/project/key.js';
import { systemEvents, systemSubject } from '../../../domain/system/events.js';
import { topicSubject } from '../../../domain/topic/topic.js';
import { memories, toMemory } from '../../../projections/memories.js';
import type { Row } from '../../../projections/projection.js';
import type { TimelineLine } from '../../../services/api.js';
import { sayTimeline } from '../../../services/cli/commands/timeline.js';
import { contradictionsIn } from '../../../services/queries/contradictions-of.js';
import { presentState, tell } from '../../../services/queries/told.js';
import { SAMPLES } from '../../integration/migrations/samples.js';
import { remembered } from '../../support/eventlog.js';
import { type Entry, erased, eventAt, histories, huskOf, KEYS } from '../projections/histories.js';
import { viewOf } from '../projections/view.js';

const [KEY = ''] = KEYS;
const PROJECT = projectKey('shop');

const rowsOf = (log: readonly Entry[]): ReadonlyMap<string, Row> =>
  new Map(viewOf(memories, log).hashes.map(([row, fields]) => [row, Object.fromEntries(fields)]));

const subjectOf = (entry: Entry): string | undefined => {
  if (entry.kind === 'fault') return entry.fault.subject;
  return entry.kind === 'event' ? entry.event.envelope.subject : entry.husk.envelope.subject;
};

/** What the lines of a timeline come to when each change is made in turn; the lines themselves tell the times. */
const comesTo = (lines: readonly TimelineLine[]): Readonly<Record<string, unknown>> => {
  const state = new Map<string, unknown>();
  for (const { changed = {} } of lines)
    for (const [name, { from, to }] of Object.entries(changed)) {
      expect(state.get(name)).toEqual(from);
      if (to === undefined) state.delete(name);
      else state.set(name, to);
    }
  return Object.fromEntries(state);
};

const DERIVED = new Set(['created_at', 'updated_at', 'experience_weight']);

const expectShownAsTold = (log: readonly Entry[], key: string): void => {
  const entries = log.filter((entry) => subjectOf(entry) === key);
  const { lines, beside } = tell(entries);
  const shown = Object.entries(presentState(toMemory(key, rowsOf(log).get(key) ?? {}), beside)).filter(([name]) => !DERIVED.has(name));
  const open = contradictionsIn(entries, undefined).map(({ with: other }) => other);
  const told = Object.entries(comesTo(lines)).filter(([name]) => !DERIVED.has(name));
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries([...shown, ...(open.length > 0 ? [['contradictions', open]] : [])]));
};

const expectAllShownAsTold = (log: readonly Entry[]): void => {
  for (const key of KEYS) expectShownAsTold(log, key);
};

describe('what explain_memory shows is what its timeline comes to', () => {
  it('for every memory of any history', () => fc.assert(fc.property(histories, (log) => expectAllShownAsTold(log))));

  it('at every moment of it, and after the forgotten was erased', () =>
    fc.assert(
      fc.property(histories, fc.nat(60), (log, end) => {
        expectAllShownAsTold(log.slice(0, end));
        expectAllShownAsTold(erased(log));
      }),
      { numRuns: 50 },
    ));

  it('for a birth with every field that there is', () => {
    const data = { ...SAMPLES.MemoryRemembered, expires_at: '2026-12-01T00:00:00.000Z', changed_at: '2026-06-01T00:00:00.000Z' };
    const log = [eventAt(1, { type: 'MemoryRemembered', data } as DomainEvent, KEY, 1)];
    expectShownAsTold(log, KEY);
    const { changed_at, ...fields } = data;
    const shown = presentState(toMemory(KEY, rowsOf(log).get(KEY) ?? {}), tell(log).beside);
    expect(shown).toMatchObject({ ...fields, updated_at: changed_at });
    expect(tell(log).lines[0]?.changed).toMatchObject({ expires_at: { to: data.expires_at }, updated_at: { to: changed_at } });
  });
});

describe('a line of the timeline', () => {
  const SYSTEM: ReadonlySet<string> = new Set(systemEvents.map(({ type }) => type));
  const PROJECT_OWN = new Set(['MemoryDeprioritised', 'MemoryReinstated']);
  const context = { type: 'ProjectContextSet', data: { ...SAMPLES.ProjectContextSet, description: 'Another shop.' } } as DomainEvent;
  const born: DomainEvent = remembered('Staging listens on port 8080.');
  const flagged = { type: 'ContradictionFlagged', data: SAMPLES.ContradictionFlagged } as DomainEvent;
  const other = (SAMPLES.ContradictionFlagged as { readonly with: string }).with;
  const merged = { type: 'ProjectsMerged', data: { from: 'shop-old', into: 'shop' } } as DomainEvent;
  /** What must have been before an event for it to change something, after the birth. */
  const BEFORE: Readonly<Record<string, readonly DomainEvent[]>> = {
    MemoryReinstated: [{ type: 'MemoryArchived', data: {} }],
    ContradictionResolved: [flagged],
    TopicUnsuppressed: [{ type: 'TopicSuppressed', data: SAMPLES.TopicSuppressed } as DomainEvent],
    ProjectsMerged: [merged],
  };

  const cases = catalogue.types.flatMap((type) => {
    const ofProject = type.startsWith('Project');
    if (SYSTEM.has(type)) return [];
    return [{ type, subject: ofProject ? PROJECT : KEY }, ...(PROJECT_OWN.has(type) ? [{ type, subject: PROJECT }] : [])];
  });

  it.each(cases)('of $type on $subject says what changed, and of one that repeats it, why nothing did', ({ type, subject }) => {
    const sample = SAMPLES[type as DomainEvent['type']];
    const data = type === 'ContradictionResolved' ? { ...(sample as object), with: other } : sample;
    const event = { type, data } as DomainEvent;
    const first = subject === PROJECT ? context : born;
    const before = type === 'MemoryRemembered' ? [] : [first, ...(BEFORE[type] ?? [])];
    const log = [...before, event, event].map((each, i) => eventAt(i + 1, each, subject, i + 1));
    const [once, again] = tell(log).lines.slice(-2);
    expect(Object.keys(once?.changed ?? {})).not.toEqual([]);
    expect(once).not.toHaveProperty('note');
    // The same dead end once more is one more.
    if (type !== 'ApproachAbandoned') expect(again).toMatchObject({ changed: {}, note: expect.stringMatching(/\w/) });
    const gone = [...before.map((each, i) => huskOf(eventAt(i + 1, each, subject, i + 1))), eventAt(9, event, subject, 9)];
    if (erases(type)) expect(tell(gone).lines.at(-1)).toMatchObject({ changed: {}, note: 'everything before this event was erased' });
    const said = sayTimeline({ status: 'found', key: subject, timeline: tell(log).lines });
    expect(said.includes('it was so already')).toBe(again?.note === 'it was so already');
    const alone = tell([eventAt(1, event, subject, 1)]).lines[0];
    expect(Object.keys(alone?.changed ?? {}).length > 0 || alone?.note !== undefined).toBe(true);
  });

  it('is of a memory or a project: the other subjects are not shown', () => {
    expect([systemSubject('2026-05-03T12:00:00Z'), topicSubject('weather')].filter(isRecallable)).toEqual([]);
  });
  it('tells the kinds of work of a project, its merges and what a compiled part is drawn from', () => {
    const drawn = { current_state: [KEY] };
    const parts = { description: '', stack: '', goals: '', current_state: '', licence: 'own', provenance: 'asserted' } as const;
    const events: DomainEvent[] = [
      { type: 'ProjectDomainsDeclared', data: { domains: ['go'] } },
      { type: 'ProjectContextSet', data: { ...parts, drawn, created_at: '2024-05-03T00:00:00.000Z' } },
      { type: 'ProjectContextSet', data: { ...parts, drawn: { current_state: [KEY, 'mem:episodic:b'] } } },
      { type: 'ProjectsMerged', data: { from: 'till', into: 'shop' } },
      { type: 'ProjectsMerged', data: { from: 'till', into: 'shop', undone: true } },
    ];
    const log = events.map((event, i) => eventAt(i + 1, event, PROJECT, i + 1));
    const { lines } = tell(log);
    expect(lines.map(({ changed }) => changed)).toMatchObject([
      { domains: { to: ['go'] } },
      { drawn: { to: drawn }, created_at: { to: '2024-05-03T00:00:00.000Z' } },
      { drawn: { from: drawn, to: { current_state: [KEY, 'mem:episodic:b'] } } },
      { merges: { to: [{ from: 'till', into: 'shop' }] } },
      { merges: { from: [{ from: 'till', into: 'shop' }] } },
    ]);
    expectShownAsTold(log, PROJECT);
  });
});
