import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { fold } from '../../../domain/decider.js';
import { erases } from '../../../domain/erasure.js';
import { projectKey } from '../../../domain/project/key.js';
import { type Project, type ProjectCommand, type ProjectHistoryEvent, projectDecider } from '../../../domain/project/project.js';
import { contextText } from '../../../domain/project/text.js';
import { memories, toMemory } from '../../../projections/memories.js';
import { type Document, evolveDocument, searchableText } from '../../../projections/recall/document.js';
import { type EventEntry, eventAt, huskOf } from '../projections/histories.js';
import { viewOf } from '../projections/view.js';

const NAMES = ['blue', 'green'];

const word = fc.constantFrom('', 'apple', 'pear', 'quince');
const command: fc.Arbitrary<ProjectCommand> = fc.oneof<fc.Arbitrary<ProjectCommand>[]>(
  fc
    .record({ description: word, stack: word, goals: word, current_state: word, notes: fc.option(word, { nil: undefined }) })
    .map((data) => ({ type: 'SetProjectContext' as const, data: { ...data, provenance: 'asserted' as const } })),
  fc.constant({
    type: 'SetProjectContext' as const,
    data: {
      description: 'drawn',
      stack: '',
      goals: '',
      current_state: '',
      provenance: 'concluded' as const,
      drawn: { current_state: ['mem:episodic:A'], notes: ['mem:episodic:B'] },
    },
  }),
  fc
    .record({ current_state: word, notes: fc.option(word, { nil: undefined }) })
    .map((data) => ({ type: 'UpdateProjectState' as const, data })),
  fc.constant({ type: 'DeprioritiseProjectContext' as const, data: { reason: 'over' } }),
  fc.constant({ type: 'ReinstateProjectContext' as const, data: {} }),
  fc.constant({ type: 'DeleteProject' as const, data: {} }),
);
const declaration: fc.Arbitrary<DomainEvent> = fc
  .array(fc.constantFrom('python', 'docker'), { maxLength: 2 })
  .map((domains) => ({ type: 'ProjectDomainsDeclared', data: { domains } }));

const decided = (made: ProjectCommand, events: readonly ProjectHistoryEvent[]): readonly ProjectHistoryEvent[] => {
  try {
    return projectDecider.decide(made, fold<Project, ProjectHistoryEvent>(projectDecider, events));
  } catch {
    return [];
  }
};

/** What became of two projects; every payload still there. */
const histories: fc.Arbitrary<readonly EventEntry[]> = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), fc.oneof({ weight: 6, arbitrary: command }, { weight: 1, arbitrary: declaration })), {
    maxLength: 40,
  })
  .map((steps) => {
    const pasts = new Map<string, ProjectHistoryEvent[]>(NAMES.map((name) => [name, []]));
    const log: EventEntry[] = [];
    for (const [name, step] of steps) {
      const past = pasts.get(name) ?? [];
      const made = step.type === 'ProjectDomainsDeclared' ? [step as ProjectHistoryEvent] : decided(step as ProjectCommand, past);
      for (const event of made) {
        past.push(event);
        log.push(eventAt(log.length + 1, event as DomainEvent, projectKey(name), past.length));
      }
    }
    return log;
  });

const isBeforeErasure = (log: readonly EventEntry[], at: number): boolean =>
  log.slice(at + 1).some(({ event }) => erases(event.type) && event.envelope.subject === log[at]?.event.envelope.subject);
const erased = (log: readonly EventEntry[]) => log.map((entry, i) => (isBeforeErasure(log, i) ? huskOf(entry) : entry));
const remaining = (log: readonly EventEntry[]) => log.filter((_, i) => !isBeforeErasure(log, i));

const documentOf = (log: readonly EventEntry[], name: string): Document | undefined =>
  log
    .filter(({ event }) => event.envelope.subject === projectKey(name))
    .reduce<Document | undefined>((document, { event }) => evolveDocument(document, event), undefined);

describe('the rows of contexts', () => {
  it('are after a deletion as if the deleted had never been', () =>
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 40 }), (log, atOnce) => {
        expect(viewOf(memories, log, atOnce)).toEqual(viewOf(memories, erased(log), 1));
        expect(viewOf(memories, log)).toEqual(viewOf(memories, remaining(log)));
      }),
    ));

  it('and the documents of recall say what the project itself says', () =>
    fc.assert(
      fc.property(histories, (log) => {
        const view = viewOf(memories, log);
        expect(view).toEqual(viewOf(memories, log, 7));
        for (const name of NAMES) {
          const own = log.filter(({ event }) => event.envelope.subject === projectKey(name));
          const { context } = fold<Project, ProjectHistoryEvent>(
            projectDecider,
            own.map(({ event }) => ({ ...event, n: event.envelope.n, at: event.envelope.at }) as ProjectHistoryEvent),
          );
          const document = documentOf(log, name);
          expect(document !== undefined).toBe(context !== undefined);
          if (!context || !document) continue;
          expect(document).toMatchObject({
            namespace: 'project',
            project: name,
            state: context.status,
            contentVersion: context.stated.version,
          });
          const last = own.findLast(({ event }) => event.type === 'ProjectContextSet' || event.type === 'ProjectStateUpdated');
          expect(last && searchableText(last.event, document)).toBe(contextText(name, context));
        }
      }),
    ));

  it('hold the text, the parts, when they were made and changed, and whose they are', () => {
    const texts = { description: 'A shop.', stack: 'Go', goals: '', current_state: 'Open.' };
    const set: DomainEvent = { type: 'ProjectContextSet', data: { ...texts, licence: 'own', provenance: 'asserted' } };
    const update: DomainEvent = { type: 'ProjectStateUpdated', data: { current_state: 'Closed.', notes: 'Ask Ada.' } };
    const subject = projectKey('blue');
    const log = [eventAt(1, set, subject, 1), eventAt(2, update, subject, 2)];
    const row = memories.apply(log[0]?.event ?? fail(), new Map()).flatMap((write) => (write.op === 'set' ? [write.fields] : []))[0] ?? {};
    const before = row as Record<string, string>;
    const changes = memories.apply(log[1]?.event ?? fail(), new Map([[subject, before]]));
    const after = { ...before, ...(changes[0]?.op === 'set' ? changes[0].fields : {}) } as Record<string, string>;
    expect(toMemory(subject, after)).toMatchObject({
      key: subject,
      namespace: 'project',
      project: 'blue',
      state: 'active',
      content: 'Project blue\nA shop.\nStack: Go\nCurrent state: Closed.\nNotes: Ask Ada.',
      context: { ...texts, current_state: 'Closed.', notes: 'Ask Ada.' },
      created_at: log[0]?.event.envelope.at,
      updated_at: log[1]?.event.envelope.at,
      content_version: 2,
      version: 2,
      licence: 'own',
      provenance: 'asserted',
    });
  });
});

const fail = (): never => {
  throw new Error('there is no such event');
};
