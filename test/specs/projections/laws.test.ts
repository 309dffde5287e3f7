import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contradictions } from '../../../projections/contradictions.js';
import { counters } from '../../../projections/counters.js';
import { enrichment } from '../../../projections/enrichment.js';
import { experience } from '../../../projections/experience.js';
import { memories } from '../../../projections/memories.js';
import { recent } from '../../../projections/recent.js';
import { suppressions } from '../../../projections/suppressions.js';
import { timeline } from '../../../projections/timeline.js';
import { type Entry, type EventEntry, erased, histories } from './histories.js';
import { viewOf } from './view.js';

const all = [memories, timeline, suppressions, counters, recent, contradictions, experience, enrichment];

describe.each(all)('law 1: forgotten means never there, in $name', (projection) => {
  it('a view that saw the payloads equals one that is replayed after they were erased', () =>
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 70 }), (log, atOnce) => {
        expect(viewOf(projection, log, atOnce)).toEqual(viewOf(projection, erased(log), 1));
      }),
    ));
});

describe.each([memories, suppressions, counters, recent, contradictions, experience, enrichment])(
  'law 1, stronger, in $name',
  (projection) => {
    it('the view equals one of a log in which the forgotten never was', () =>
      fc.assert(
        fc.property(histories, (log) => {
          const without = erased(log).filter(({ kind }) => kind !== 'husk');
          expect(viewOf(projection, log)).toEqual(viewOf(projection, without));
        }),
      ));
  },
);

describe.each(all)('law 2: only the order within a subject matters, in $name', (projection) => {
  it('interleavings of the subjects give equal views', () =>
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.nat(1000)), (log, choices) => {
        expect(viewOf(projection, interleaved(log, choices))).toEqual(viewOf(projection, log));
      }),
    ));
});

describe('the histories of these laws', () => {
  it('hold forgotten memories, revisions, facts and documents often enough to mean something', () => {
    // Of one seed, so that chance has no say in whether the generator is good enough.
    const logs = fc.sample(histories, { numRuns: 400, seed: 1 });
    const types = logs.flat().map(({ event }) => event.type);
    for (const type of [
      'MemoryForgotten',
      'MemoryRevised',
      'MemoryDeprioritised',
      'TopicSuppressed',
      'TopicUnsuppressed',
      'TopicForgotten',
    ]) {
      expect(types.filter((each) => each === type).length).toBeGreaterThan(50);
    }
    expect(logs.filter((log) => erased(log).some(({ kind }) => kind === 'husk')).length).toBeGreaterThan(50);
  });
});

/** The same events in another order that keeps each subject's own. */
const interleaved = (log: readonly EventEntry[], choices: Iterable<number>): readonly Entry[] => {
  const subjects = [...new Set(log.map(({ event }) => event.envelope.subject))];
  const queues = subjects.map((subject) => log.filter(({ event }) => event.envelope.subject === subject));
  const iterator = choices[Symbol.iterator]();
  const mixed: Entry[] = [];
  while (mixed.length < log.length) {
    const waiting = queues.filter((queue) => queue.length > 0);
    const queue = waiting[Number(iterator.next().value) % waiting.length];
    const next = queue?.shift();
    if (next) mixed.push(next);
  }
  return mixed;
};
