import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProjectName } from '../../../domain/project/name.js';

const refused = expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(/A-Z a-z.*_ - \. and space/) });

describe('a project name', () => {
  it.each([
    'my-project',
    '550e8400-e29b-41d4-a716-446655440000',
    'v2.0 beta',
    'a_b.c',
    '-lead',
    'trail-',
    'and',
    'OR',
    'NOT x',
    '10',
    '1e5',
    'x'.repeat(200),
  ])('S03: %s is a name as it is', (name) => expect(parseProjectName(name)).toBe(name));

  it.each([
    '{a|b}',
    '@project:{x}',
    '*',
    'a:b',
    'a\\b',
    'a"b',
    '../x',
    '../../x',
    '@x:{y}',
    'two\nlines',
    'end\n',
    '\tx',
    'x'.repeat(201),
    '',
    '   ',
    '.',
    '..',
    '. .',
    'grün',
    '日本',
  ])('S03: %j is refused and the permitted characters are named', (name) => expect(() => parseProjectName(name)).toThrow(refused));

  it('is trimmed of outer blanks and never folded', () => {
    expect(parseProjectName('  My Project ')).toBe('My Project');
    expect(parseProjectName('My-Project')).not.toBe(parseProjectName('my-project'));
  });

  it('is nothing but permitted characters, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 250 }), (text) => {
        try {
          expect(parseProjectName(text)).toMatch(/^[A-Za-z0-9_\-. ]{1,200}$/);
        } catch (error) {
          expect(error).toEqual(refused);
        }
      }),
    );
  });
});
