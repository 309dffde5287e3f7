import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, passageAround } from '../../../domain/passage.js';

const filler = (count: number) => 'lorem ipsum dolor sit amet '.repeat(count).trim();

describe('the passage around a match', () => {
  it('is the text itself when it fits', () => expect(passageAround(' short\ntext ', ['text'], 50)).toBe(' short\ntext '));

  it('shows the match and not the first bytes', () => {
    const text = `${filler(40)} The error code is ERR_POOL_42 in the proxy. ${filler(40)}`;
    const passage = passageAround(text, ['err_pool_42'], 150);
    expect(passage).toContain('ERR_POOL_42 in the proxy');
    expect(passage).toMatch(/^\.\.\.\S.*\S\.\.\.$/s);
    expect(passage.length).toBeLessThanOrEqual(156);
  });

  it('prefers the place where most different terms stand together', () => {
    const text = `port port port port. ${filler(30)} the staging port of the gateway ${filler(30)} staging`;
    expect(passageAround(text, ['staging', 'port', 'gateway'], 100)).toContain('staging port of the gateway');
  });

  it('prefers the first of two equally good places', () => {
    const text = `${filler(20)} first needle here ${filler(20)} second needle here ${filler(20)}`;
    expect(passageAround(text, ['needle'], 60)).toContain('first needle');
  });

  it('is the beginning when nothing matches', () => {
    const passage = passageAround(filler(40), ['absent'], 60);
    expect(passage.startsWith('lorem ipsum')).toBe(true);
    expect(passage.endsWith('...')).toBe(true);
  });

  it('reaches the very end of a text without a mark there', () =>
    expect(passageAround(`${filler(40)} the tail fact`, ['tail'], 80)).toMatch(/^\.\.\..*the tail fact$/));

  it('finds accents, case and inflections', () => {
    expect(passageAround(`${filler(40)} Die GRÜSSE kommen. ${filler(40)}`, ['grusse'], 60)).toContain('GRÜSSE');
    expect(passageAround(`${filler(40)} He deploys it. ${filler(40)}`, ['deploy'], 60)).toContain('deploys');
  });

  it('finds a term inside text without word boundaries', () => {
    const text = `${'一二三四五六七八九十'.repeat(30)}数据库在左边${'一二三四五六七八九十'.repeat(30)}`;
    expect(passageAround(text, ['数据库'], 60)).toContain('数据库在左边');
  });

  it('cuts between words', () => {
    const words = passageAround(`${filler(20)} needle ${filler(20)}`, ['needle'], 90)
      .replaceAll('...', '')
      .trim()
      .split(' ');
    const whole = new Set(['lorem', 'ipsum', 'dolor', 'sit', 'amet', 'needle']);
    expect(words.filter((word) => !whole.has(word))).toEqual([]);
  });

  it('is a part of the text in whole characters, holds a term when one fits, and keeps to its length', () => {
    const word = fc.constantFrom('alpha', 'needle', '😀👩‍👩‍👧‍👦', 'é', 'e\u0301', '数据库', '\n', 'x'.repeat(80), '🇩🇪🇫🇷');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 120 }), fc.integer({ min: 50, max: 500 }), (words, length) => {
        const text = words.join(' ');
        const passage = passageAround(text, ['needle'], length);
        const body = text.length <= length ? passage : passage.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
        expect(text).toContain(body);
        expect(body.length).toBeLessThanOrEqual(length);
        expect(body).not.toMatch(/\p{Cs}/u);
        expect(/^\p{M}/u.test(body)).toBe(false);
        if (text.includes('needle')) expect(body).toContain('needle');
      }),
    );
  });
});

describe('clip', () => {
  it.each([
    ['abc', 5, 'abc'],
    ['abcdef', 3, 'abc'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['cafe\u0301s', 4, 'caf'],
    ['👩‍👩‍👧‍👦!', 11, '👩‍👩‍👧‍👦'],
    ['x👩‍👩‍👧‍👦', 6, 'x'],
    ['abc', 0, ''],
  ])('%j to %i is %j', (text, length, clipped) => expect(clip(text, length)).toBe(clipped));

  it('is a prefix of whole characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '😀', '\u0301', '\u200D', '🇩', '한', '\r\n') }),
        fc.nat({ max: 40 }),
        (text, length) => {
          const clipped = clip(text, length);
          expect(text.startsWith(clipped)).toBe(true);
          expect(clipped.length).toBeLessThanOrEqual(length);
          expect(clipped).not.toMatch(/\p{Cs}/u);
        },
      ),
    );
  });
});
