import fc from 'fast-check';
import { ulid } from 'ulid';
import type { DomainEvent } from '../../../domain/catalogue.js';
import type { Envelope, Fault, LogEntry } from '../../../domain/envelope.js';
import { erases } from '../../../domain/erasure.js';
import { isDomainError } from '../../../domain/errors.js';
import type { MemoryEvent, Remembered } from '../../../domain/memory/events.js';
import { memoryKey } from '../../../domain/memory/key.js';
import { type Memory, type MemoryCommand, memoryDecider } from '../../../domain/memory/memory.js';
import { plainTopicSubject, type TopicCommand, topicDecider } from '../../../domain/topic/topic.js';
import { NAMESPACES, OUTCOMES } from '../../../domain/vocabulary.js';

export type Entry = LogEntry<DomainEvent>;
export type EventEntry = Extract<Entry, { kind: 'event' }>;

/** Ids and times that follow from a number, so that a history is the same in every run. */
const idOf = (n: number): string => ulid(1_700_000_000_000 + n).slice(0, 10) + String(n).padStart(16, '0');
const timeOf = (n: number): string => new Date(1_700_000_000_000 + n * 1000).toISOString();

export const KEYS = NAMESPACES.map((namespace, i) => memoryKey(namespace, idOf(i)));

/** An envelope for the event at `place` (from 1) in the log. */
export const envelopeOf = (place: number, type: string, subject: string, n: number): Envelope => ({
  id: idOf(place),
  type,
  v: 1,
  subject,
  n,
  at: timeOf(place),
  actor: 'cli',
  correlation: idOf(place),
  digest: '0'.repeat(64),
});

export const positionAt = (place: number): string => `${1_700_000_000_000 + place}-0`;

export const eventAt = (place: number, event: DomainEvent, subject: string, n: number): EventEntry => ({
  kind: 'event',
  event: { ...event, envelope: envelopeOf(place, event.type, subject, n), position: positionAt(place) },
});

export const faultAt = (place: number, subject: string | undefined, code: Fault['code'] = 'INVALID_DATA'): Entry => ({
  kind: 'fault',
  fault: {
    position: positionAt(place),
    code,
    message: 'made for a test',
    subject,
    eventId: subject === undefined ? undefined : idOf(place),
  },
});

export const huskOf = (entry: Entry): Entry =>
  entry.kind === 'event' ? { kind: 'husk', husk: { envelope: entry.event.envelope, position: entry.event.position } } : entry;

/** What the log gives once the payloads before each forgetting are erased. */
export const erased = (log: readonly Entry[]): readonly Entry[] =>
  log.map((entry, i) => {
    const subject = entry.kind === 'event' ? entry.event.envelope.subject : undefined;
    const later = log.slice(i + 1);
    return later.some(({ kind, ...rest }) => kind === 'event' && 'event' in rest && forgets(rest.event, subject)) ? huskOf(entry) : entry;
  });

const forgets = (event: { readonly type: string; readonly envelope: Envelope }, subject: string | undefined): boolean =>
  erases(event.type) && event.envelope.subject === subject;

const text = fc.string({ minLength: 1, maxLength: 12 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const remembered = (namespace: Remembered['namespace']): fc.Arbitrary<Remembered> =>
  fc.record({
    namespace: fc.constant(namespace),
    content: text,
    tags: fc.array(text, { maxLength: 3 }),
    project: optional(fc.constantFrom('blue', 'green')),
    mode: fc.constantFrom('full', 'raw'),
    licence: fc.constantFrom('own', 'open'),
    licence_note: optional(text),
    provenance: fc.constantFrom('retrieved', 'asserted'),
    doc_id: optional(fc.constantFrom('doc-a', 'doc-b')),
    enriched_from: optional(fc.constantFrom(...KEYS)),
    title: optional(text),
    scope: optional(fc.constantFrom('project', 'global')),
    expires_at: optional(fc.integer({ min: 1, max: 60 }).map(timeOf)),
    changed_at: optional(fc.integer({ min: 1, max: 9 }).map(timeOf)),
  });

const deadEnd = fc.record({
  name: text,
  type: fc.constantFrom('library', 'approach'),
  reason: text,
  attempted_at: fc.integer({ min: 1, max: 9 }).map(timeOf),
});

type Step =
  | { readonly key: number; readonly command: MemoryCommand }
  | { readonly topic: string; readonly command: TopicCommand | 'forget' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.nat(KEYS.length - 1).chain((key) =>
      fc.record({
        key: fc.constant(key),
        command: fc.oneof<fc.Arbitrary<MemoryCommand>[]>(
          remembered(NAMESPACES[key] ?? 'episodic').map((data) => ({ type: 'RememberMemory', data })),
          text.map((content) => ({ type: 'ReviseMemory', data: { content } })),
          fc.array(text, { maxLength: 3 }).map((tags) => ({ type: 'RetagMemory', data: { tags } })),
          fc
            .record({ reason: text, reinstate_hints: fc.array(text, { maxLength: 2 }) })
            .map((data) => ({ type: 'DeprioritiseMemory', data })),
          optional(text).map((reason) => ({ type: 'ArchiveMemory', data: { reason } })),
          fc.constant({ type: 'ReinstateMemory', data: {} }),
          fc.constant({ type: 'ForgetMemory', data: {} }),
          fc
            .record({ licence: fc.constantFrom('own', 'restricted'), licence_note: optional(text) })
            .map((data) => ({ type: 'StampLicence', data })),
          fc.constantFrom('concluded', 'asserted').map((provenance) => ({ type: 'StampProvenance', data: { provenance } })),
          deadEnd.map((data) => ({ type: 'AbandonApproach', data })),
          fc
            .record({
              effort_score: fc.integer({ min: 1, max: 5 }),
              outcome: fc.constantFrom(...OUTCOMES),
              iterations: fc.constant(1),
              breakthrough: optional(text),
              abandoned_approaches: fc.array(deadEnd, { maxLength: 2 }),
            })
            .map((data) => ({ type: 'RecordExperience', data })),
          fc
            .record({ with: fc.constantFrom(...KEYS), method: fc.constantFrom('heuristic', 'api_confirmed'), cue: optional(text) })
            .map((data) => ({ type: 'FlagContradiction', data })),
          fc.constantFrom(...KEYS).map((other) => ({ type: 'ResolveContradiction', data: { with: other } })),
        ),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('weather', '__proto__').chain((topic) =>
      fc.oneof<fc.Arbitrary<Step>[]>(
        optional(text).map((reason) => ({ topic, command: { type: 'SuppressTopic', data: { topic, reason } } })),
        fc.constant({ topic, command: { type: 'UnsuppressTopic', data: { topic } } }),
        fc.constant({ topic, command: 'forget' }),
      ),
    ),
  },
);

/** A log that came about by commands on a few memories and topics, every payload still there. */
export const histories: fc.Arbitrary<readonly EventEntry[]> = fc.array(step, { maxLength: 60, size: 'max' }).map((steps) => {
  const log: EventEntry[] = [];
  const past = (subject: string): DomainEvent[] => log.flatMap(({ event }) => (event.envelope.subject === subject ? [event] : []));
  const record = (subject: string, events: readonly DomainEvent[]): void => {
    for (const event of events) log.push(eventAt(log.length + 1, event, subject, past(subject).length + 1));
  };
  for (const taken of steps) {
    if ('topic' in taken) {
      const subject = plainTopicSubject(taken.topic);
      if (taken.command === 'forget') {
        record(subject, past(subject).length > 0 ? [{ type: 'TopicForgotten', data: {} }] : []);
        continue;
      }
      const state = (past(subject) as Parameters<typeof topicDecider.evolve>[1][]).reduce(topicDecider.evolve, topicDecider.initialState());
      record(subject, topicDecider.decide(taken.command, state));
      continue;
    }
    const subject = KEYS[taken.key] ?? '';
    const state = (past(subject) as MemoryEvent[]).reduce<Memory>(memoryDecider.evolve, memoryDecider.initialState());
    try {
      record(subject, memoryDecider.decide(taken.command, state));
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  }
  return log;
});
