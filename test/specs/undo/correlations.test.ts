import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correlations } from '../../../projections/correlations.js';
import { erased, histories } from '../projections/histories.js';
import { viewOf } from '../projections/view.js';

describe('what each command made', () => {
  it('is the same however late it is read: erased events are still found', () =>
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 70 }), (log, atOnce) => {
        expect(viewOf(correlations, log, atOnce)).toEqual(viewOf(correlations, erased(log), 1));
      }),
    ));
  it('does not depend on the order of the subjects', () =>
    fc.assert(
      fc.property(histories, (log) => {
        const bySubject = [...log].sort((a, b) => (a.event.envelope.subject < b.event.envelope.subject ? -1 : 1));
        expect(viewOf(correlations, bySubject)).toEqual(viewOf(correlations, log));
      }),
    ));
});
