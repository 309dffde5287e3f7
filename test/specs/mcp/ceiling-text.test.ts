import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../domain/errors.js';
import { withinCeiling } from '../../../services/mcp/ceiling.js';
import { TOOLS } from '../../../services/mcp/tools/index.js';

const long = fc.integer({ min: 1, max: 3_000 }).map((length) => 'word '.repeat(length));
const many = fc.integer({ min: 1, max: 400 }).map((count) => Array.from({ length: count }, (_, n) => `entry number ${n}`));
const found = fc.record({ key: fc.string(), content: long, score: fc.double({ min: 0, max: 1, noNaN: true }) });

/** What a recall may answer: any of it may be too long. */
const answers = fc.record(
  {
    notice: fc.string(),
    results: fc.array(found, { maxLength: 5 }),
    domain_filter_notice: long,
    domain_filter: fc.record({ matched: fc.constant({}), unmatched: many }),
    message: long,
    suppressed_topics: many,
  },
  { requiredKeys: ['notice', 'results'] },
);

describe.each(TOOLS.flatMap(({ name, cut, text }) => (text ? [{ name, cut, text }] : [])))('the text of $name', ({ cut, text }) => {
  it('can be made of whatever the ceiling leaves of an answer', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 100, max: 3_000 }), (answer, tokens) => {
        const left = withinCeiling(answer, tokens, { ...(cut && { cut }), text });
        expect(text(left)).toEqual(expect.any(String));
      }),
    );
  });

  it('says that the rest is missing, and keeps its results', () => {
    const answer = { notice: 'data', results: [], domain_filter: { unmatched: Array.from({ length: 20_000 }, (_, n) => `domain-${n}`) } };
    const left = withinCeiling(answer, 500, { ...(cut && { cut }), text });
    expect(left).toMatchObject({ results: [], cut: { lists: { 'domain_filter.unmatched': { total: 20_000 } } } });
    expect(text(left)).toContain('Ask for fewer entries at once.');
  });
});

it('a refusal is bounded, whatever it quotes', () => {
  const { message, hint } = new DomainError('VALIDATION', 'm'.repeat(3_000_000), 'h'.repeat(3_000_000));
  expect(message.length).toBeLessThan(10_100);
  expect(message).toMatch(/cut: 3000000 characters in all/);
  expect(hint?.length).toBeLessThan(2_100);
});
