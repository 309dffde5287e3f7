import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText } from '../../../domain/chunking.js';
import { CHUNK_STRATEGIES, LIMITS } from '../../../domain/vocabulary.js';

const bare = (text: string) => text.replace(/\s+/gu, '');

describe('turn_pairs', () => {
  it('joins a user turn with the assistant turn that follows, other turns alone, the preamble kept', () => {
    const text =
      'Session of May\nUser: hi\nthere\nASSISTANT: hello\nsystem: note\nassistant: alone\nuser: one\nuser: two\n  Assistant : answer';
    expect(chunkText(text, 'turn_pairs')).toEqual([
      'Session of May',
      'User: hi\nthere\nASSISTANT: hello',
      'system: note',
      'assistant: alone',
      'user: one',
      'user: two\n  Assistant : answer',
    ]);
  });
  it('is one chunk without markers', () =>
    expect(chunkText('The user: said\n\nnothing', 'turn_pairs')).toEqual(['The user: said\n\nnothing']));
  it('reads CRLF', () =>
    expect(chunkText('user: a\r\nassistant: b\r\nuser: c', 'turn_pairs')).toEqual(['user: a\r\nassistant: b', 'user: c']));
});

describe('sentences', () => {
  it.each([
    ['One. Two! Three? (Four.) "Five." Six', ['One.', 'Two!', 'Three?', '(Four.)', '"Five."', 'Six']],
    ['Version 1.2 is out. it stays small. Next.', ['Version 1.2 is out. it stays small.', 'Next.']],
    ['Ask Dr. Smith, e.g. Monday. Then J. R. Jones.', ['Ask Dr. Smith, e.g. Monday.', 'Then J. R. Jones.']],
    ['In the U.S. Navy. Done.', ['In the U.S. Navy.', 'Done.']],
    ['Das gilt z.B. Montags. Überall.', ['Das gilt z.B. Montags.', 'Überall.']],
    ['端口是8080。数据库在左边！好', ['端口是8080。', '数据库在左边！', '好']],
    ['The answer is no. Then stop.', ['The answer is no.', 'Then stop.']],
    ['One.\n\nTwo.', ['One.', 'Two.']],
  ])('%j', (text, chunks) => expect(chunkText(text, 'sentences')).toEqual(chunks));
});

describe('paragraphs', () => {
  it.each([
    ['a\nb\n\nc', ['a\nb', 'c']],
    ['a\r\n\r\nb\r\n \t\r\n\r\nc', ['a', 'b', 'c']],
    ['\n\n a \n\n\n\n', ['a']],
    [' \n\n ', []],
  ])('%j', (text, chunks) => expect(chunkText(text, 'paragraphs')).toEqual(chunks));
});

describe('fixed_tokens', () => {
  const words = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `w${from + n}`).join(' ');
  it('makes windows of 200 words that overlap by 20', () => {
    expect(chunkText(words(0, 450), 'fixed_tokens')).toEqual([words(0, 200), words(180, 380), words(360, 450)]);
  });
  it('adds no window that the last one holds already', () => expect(chunkText(words(0, 200), 'fixed_tokens')).toEqual([words(0, 200)]));
  it('keeps the white space inside a window', () => expect(chunkText('a\n\tb  c d', 'fixed_tokens', 3)).toEqual(['a\n\tb  c', 'd']));
  it('counts the characters of a script without blanks', () =>
    expect(chunkText('数据库在左边', 'fixed_tokens', 4)).toEqual(['数据库在', '左边']));
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a size of %d', (size) => {
    expect(() => chunkText('a', 'fixed_tokens', size)).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });
});

describe('any strategy', () => {
  const piece = fc.constantFrom(
    'User: ',
    'assistant:',
    'Hello',
    ' ',
    '\n',
    '\r\n',
    '\n\n',
    '. ',
    '! B',
    'e.g. A',
    '。',
    '数据',
    '😀',
    '"(',
    'ERR_1',
    '\t',
    'é',
  );
  it('loses no character but white space, keeps the order, and makes no blank chunk', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 80 }),
        fc.constantFrom(...CHUNK_STRATEGIES),
        fc.integer({ min: 1, max: 9 }),
        (pieces, strategy, size) => {
          const text = pieces.join('');
          const chunks = chunkText(text, strategy, size);
          // Windows of fewer than 10 words do not overlap, so that the chunks of every strategy add up to the text.
          expect(bare(chunks.join(''))).toBe(bare(text));
          expect(chunks.every((chunk) => chunk.trim() === chunk && chunk !== '')).toBe(true);
        },
      ),
    );
  });
  it('has every word in some window when windows overlap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 10, max: 60 }), (count, size) => {
        const names = Array.from({ length: count }, (_, n) => `w${n}`);
        const held = new Set(chunkText(names.join(' '), 'fixed_tokens', size).flatMap((chunk) => chunk.split(' ')));
        expect(held.size).toBe(count);
      }),
    );
  });
  it.each(CHUNK_STRATEGIES)('[D] %s: what is over 50,000 characters becomes several chunks, cut nowhere short', (strategy) => {
    const text = `${'abcdefghi '.repeat(6_000)}${'😀'.repeat(40_000)}end`;
    const chunks = chunkText(text, strategy, 100_000);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.every((chunk) => chunk.length <= LIMITS.content && !/\p{Cs}/u.test(chunk))).toBe(true);
    expect(bare(chunks.join(''))).toBe(bare(text));
    expect(chunks[0]).toMatch(/^(abcdefghi )+abcdefghi$/);
  });
});

describe('headings', () => {
  it('stay with the text that follows them', () => {
    const text = '# Deploy\n\n## Status\n\nAccepted\n\nRun make deploy.\n\nRollback\n--------\n\nRun make rollback.\n\n# Empty';
    expect(chunkText(text, 'paragraphs')).toEqual([
      '# Deploy\n\n## Status\n\nAccepted',
      'Run make deploy.',
      'Rollback\n--------\n\nRun make rollback.',
      '# Empty',
    ]);
  });
});
