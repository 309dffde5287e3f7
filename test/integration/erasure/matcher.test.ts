import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../../services/erasure/matcher.js';
import { needlesOf } from '../../../services/erasure/needles.js';
import { rememberedWith } from '../../support/eventlog.js';

const bytes = fc.uint8Array({ minLength: 4, maxLength: 9 }).map((array) => Buffer.from(array.map((byte) => byte % 3)));

describe('the matcher', () => {
  it('finds exactly what is there, for few letters and many needles', () =>
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 5 }), fc.array(bytes, { maxLength: 12 }), (wanted, parts) => {
        const text = Buffer.concat(parts);
        const matcher = createMatcher(wanted.map((needle) => ({ memory: 'm', bytes: needle })));
        const expected = wanted.flatMap((needle, i) => (text.includes(needle) ? [i] : []));
        expect([...matcher.in(text)].sort()).toEqual(expected.sort());
      }),
    ));
  it('finds nothing in nothing', () => expect(createMatcher([]).in(Buffer.alloc(0)).size).toBe(0));
});

describe('pieces of a text', () => {
  const piecesOf = (content: string): readonly string[] =>
    needlesOf('m', [{ type: 'MemoryRemembered', data: rememberedWith(content) }]).map((needle) => needle.bytes.toString('utf8'));

  it('lie in the text as they are, whatever it holds', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (content) => {
        for (const piece of piecesOf(content)) expect(content).toContain(piece);
      }),
    ));
  it('lie in JSON as well', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (content) => {
        for (const piece of piecesOf(content)) expect(JSON.stringify({ content })).toContain(piece);
      }),
    ));
  it('come from its beginning, its middle and its end', () => {
    const content = `${'a'.repeat(300)}${'b'.repeat(300)}${'c'.repeat(300)}`;
    expect(piecesOf(content).map(([first]) => first)).toEqual(['a', 'b', 'c']);
    expect(piecesOf(['first line here', 'second line here', 'third line here'].join('\n'))).toHaveLength(3);
  });
  it('are none where a text is too short to be told from chance', () => expect(piecesOf('ab cd')).toEqual([]));
  it('are taken of experience, the names of dead ends included', () => {
    const deadEnd = { name: 'a name of something', type: 'library' as const, attempted_at: '2026-11-30T10:00:00.000Z' };
    const pieces = needlesOf('m', [
      {
        type: 'ExperienceRecorded',
        data: {
          effort_score: 3,
          breakthrough: 'what made it work',
          gotchas: 'what to watch out for',
          abandoned_approaches: [{ ...deadEnd, reason: 'the first dead end' }],
        },
      },
      { type: 'ApproachAbandoned', data: { ...deadEnd, reason: 'the second dead end' } },
    ]).map((needle) => needle.bytes.toString());
    expect(pieces.sort()).toEqual([
      'a name of something',
      'the first dead end',
      'the second dead end',
      'what made it work',
      'what to watch out for',
    ]);
  });
  it('are taken of every wording and reason', () => {
    const pieces = needlesOf('m', [
      { type: 'MemoryRemembered', data: rememberedWith('the first wording', { title: 'a long title' }) },
      { type: 'MemoryRevised', data: { content: 'the second wording', reason: 'a reason for it' } },
      { type: 'MemoryDeprioritised', data: { reason: 'another reason', reinstate_hints: ['a hint to it'] } },
    ]).map((needle) => needle.bytes.toString());
    expect(pieces.sort()).toEqual(
      ['the first wording', 'a long title', 'the second wording', 'a reason for it', 'another reason', 'a hint to it'].sort(),
    );
  });
});
