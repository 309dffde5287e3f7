import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingsOf, partsOf } from '../../../domain/text/identifiers.js';
import { documentTerms, queryTerms } from '../../../domain/text/tokens.js';

const LENGTH = 50_000;
/** Of one text the whole, its parts, and how each is written in one: each of them once. */
const LARGEST_SHARE = 8;

const repeated = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
const together = (terms: Iterable<string>): number => [...terms].reduce((sum, term) => sum + term.length, 0);
const counted = Array.from({ length: 9_000 }, (_, i) => i);

const made = (text: string): number => {
  const { names, words, joined } = partsOf(text);
  const { terms, silent } = documentTerms(text);
  const asked = queryTerms(text).map(({ term }) => term);
  return Math.max(together([...names, ...words, ...joined]), together([...terms, ...silent]), together(asked), together(endingsOf(text)));
};

describe('what a text of 50,000 characters is indexed under grows with its length only', () => {
  it.each([
    ['a dotted number', repeated('1.')],
    ['a dotted count', counted.join('.').slice(0, LENGTH)],
    ['a path of counts', counted.join('/').slice(0, LENGTH)],
    ['a version of long numbers', repeated('1.222222222222222222')],
    ['versions in a path', repeated('1.2.3.4.5.6/')],
    ['versions behind hyphens', repeated('v1.2.3-')],
    ['digits', repeated('9')],
    ['hyphens', repeated('a-')],
    ['underscores', repeated('a_b__')],
    ['camel case', repeated('aB')],
    ['camel case with counts', counted.map((n) => `get${n}User`).join('')],
    ['colons', repeated('a::b:')],
    ['a path', repeated('src/getUser.ts/')],
    ['slashes alone', repeated('/')],
    ['hex', `0x${repeated('af')}`],
    ['an address', `https://${repeated('a.b/')}`],
  ])('%s', (_, text) => expect(made(text)).toBeLessThanOrEqual(LARGEST_SHARE * text.length));

  it('whatever it is put together from', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('1', '23', '.', '-', '/', '_', '::', '@', 'a', 'B', 'é', ' ', 'v1'), { minLength: 1, maxLength: 6 }),
        (units) => {
          const text = repeated(units.join(''));
          expect(made(text)).toBeLessThanOrEqual(LARGEST_SHARE * text.length);
        },
      ),
      { numRuns: 15 },
    ));
});
