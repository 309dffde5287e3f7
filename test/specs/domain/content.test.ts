import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisedForIdentity, parseContent, parseQuery, parseTopic, QUERY_LENGTH } from '../../../domain/content.js';

const refusal = (code: string, message: RegExp) => expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('content', () => {
  it.each([
    'a\r\nb',
    ' leading',
    'trailing\n',
    '👩‍👩‍👧‍👦 👍🏽',
    '\u202Eright to left\u202C',
    'שלום',
    '数据库',
    'Grüße',
    'col\tumn',
    'x\u0085y',
    '\uFEFFbom',
  ])('%j is kept byte for byte', (text) => expect(parseContent(text)).toBe(text));
  it.each(['', ' ', '\r\n\t', '\u200B\u200E', '\uFEFF\u00A0'])('%j is empty', (text) => {
    expect(() => parseContent(text)).toThrow(refusal('VALIDATION', /empty/));
  });
  it('fits 50,000 characters and no more', () => {
    expect(parseContent('x'.repeat(50_000))).toHaveLength(50_000);
    expect(() => parseContent('x'.repeat(50_001))).toThrow(refusal('TOO_LARGE', /50001.*50000/));
  });
  it.each([
    ['ab\u0000', /NUL.*position 2/],
    ['\u001B[31m', /U\+001B.*position 0/],
    ['ok\uD83D', /lone surrogate.*U\+D83D.*position 2/],
    ['\uDE00 x', /lone surrogate.*position 0/],
    ['😀\u0007', /U\+0007.*position 2/],
  ])('%j is refused with the place', (text, message) => expect(() => parseContent(text)).toThrow(refusal('VALIDATION', message)));
  it('is either returned as it is or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const holdsControl = [...text].some((character) => character < ' ' && !'\t\n\r'.includes(character));
        const storable = !/\p{Cs}/u.test(text) && !holdsControl && /[^\s\p{Cf}\p{Cc}]/u.test(text);
        if (storable) expect(parseContent(text)).toBe(text);
        else expect(() => parseContent(text)).toThrow(refusal('VALIDATION', /./));
      }),
    );
  });
});

describe('the identity of a text', () => {
  it.each([
    ['Use  pnpm\r\n9.1 ', ' use pnpm 9.1'],
    ['caf\u00E9', 'CAFE\u0301'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['\uFEFFa\u00A0b', 'a b'],
  ])('is shared by %j and %j', (a, b) => expect(normalisedForIdentity(a)).toBe(normalisedForIdentity(b)));
  it.each([
    ['x²', 'x2'],
    ['resume', 'résumé'],
    ['a b', 'ab'],
    ['8080', '8081'],
    ['ılık', 'ilik'],
    ['a.', 'a'],
  ])('differs for %j and %j', (a, b) => expect(normalisedForIdentity(a)).not.toBe(normalisedForIdentity(b)));
  it('is its own identity, and survives case and decomposition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const identity = normalisedForIdentity(text);
        expect(normalisedForIdentity(identity)).toBe(identity);
        expect(normalisedForIdentity(` ${text.normalize('NFD')}\n`)).toBe(identity);
      }),
    );
  });
});

describe('a topic', () => {
  it('is trimmed, folded and lower-cased', () => expect(parseTopic('  Machine   Learning ')).toBe('machine learning'));
  it('has 200 characters at most', () => {
    expect(parseTopic('x'.repeat(200))).toHaveLength(200);
    expect(() => parseTopic('x'.repeat(201))).toThrow(refusal('VALIDATION', /200/));
  });
  it.each(['', '  ', 'a\nb', 'a\u0000', '***', '...'])('%j is refused', (text) =>
    expect(() => parseTopic(text)).toThrow(refusal('VALIDATION', /topic/)),
  );
  it.each(['c++', 'c#', '.net', '数据库', '🎉'])('%s is a topic', (text) => expect(parseTopic(text)).toBe(text));
});

describe('a query', () => {
  it.each(['', '   ', '\n\t', '\u0000', '\u200B'])('hazard 11: %j is refused, for it must not match everything', (text) => {
    expect(() => parseQuery(text)).toThrow(refusal('VALIDATION', /query is empty/));
  });
  it('loses its control characters and lone surrogates', () => expect(parseQuery('which\u0000port\n\uD83D?')).toBe('which port \uFFFD?'));
  it('keeps the code that 9,000 pasted characters end in', () =>
    expect(parseQuery(`${'at line of a trace '.repeat(480)}ERR_REQUIRE_ESM`)).toMatch(/ERR_REQUIRE_ESM$/));
  it('is cut, not refused, when it is too long, and never in the middle of an emoji', () => {
    const cut = parseQuery(`x${'😀'.repeat(QUERY_LENGTH)}`);
    expect(cut.length).toBe(QUERY_LENGTH - 1);
    expect(cut).not.toMatch(/\p{Cs}/u);
  });
});
