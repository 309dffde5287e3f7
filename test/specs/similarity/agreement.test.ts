import fc from 'fast-check';
import { expect, it } from 'vitest';
import { conflictBetween, statementOf } from '../../../domain/similarity/conflict.js';
import { speakOfTwo } from '../../../domain/similarity/subjects.js';
import { classifyNeighbour } from '../../../domain/similarity.js';

const word = fc.constantFrom(
  ...`Maria Peter likes owns billing issue 41 42 port is the default branch main develop never always should must use avoid tabs in Makefiles
  not old new 1 8 Nov Load test seven thirty days with bcrypt argon2id , .`.split(/\s+/),
);
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));

/** What check_contradictions would flag of two near texts is warned of when the second is written, and neither reading depends on the order. */
it('the check at write and check_contradictions agree', () =>
  fc.assert(
    fc.property(text, text, (one, two) => {
      const [a, b] = [statementOf(one), statementOf(two)];
      expect(speakOfTwo(a, b)).toBe(speakOfTwo(b, a));
      const conflict = conflictBetween(a, b);
      if (conflict) expect(['changed', 'contradiction']).toContain(classifyNeighbour(two, one, 0.8).relation);
    }),
    { numRuns: 1_000 },
  ));
