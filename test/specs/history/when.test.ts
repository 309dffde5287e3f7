import { describe, expect, it } from 'vitest';
import { parseWhen } from '../../../services/history/when.js';

describe('a moment, as a caller names it', () => {
  it.each([
    ['2026-05-03', '2026-05-03T00:00:00.000Z'],
    ['2026-05-03T12:30', '2026-05-03T12:30:00.000Z'],
    [' 2026-05-03 12:30:15 ', '2026-05-03T12:30:15.000Z'],
    ['2026-05-03T12:30:15.250Z', '2026-05-03T12:30:15.250Z'],
    ['2026-05-03t12:30:15z', '2026-05-03T12:30:15.000Z'],
    ['2026-05-03T12:30:15+02:00', '2026-05-03T10:30:15.000Z'],
    ['2026-05-03T12:30-0130', '2026-05-03T14:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s is a time, in UTC unless it says otherwise', (text, iso) => expect(parseWhen(text)).toEqual({ time: Date.parse(iso) }));

  it.each([
    ['90s', 90_000],
    [' 30m ', 1_800_000],
    ['2h', 7_200_000],
    ['3 d', 259_200_000],
    ['1w', 604_800_000],
  ])('%j is so long ago', (text, ago) => expect(parseWhen(text)).toEqual({ ago }));

  it('an id of the log is a place', () => expect(parseWhen(' 1793716200000-3 ')).toEqual({ place: '1793716200000-3' }));

  it('the id of an event is an event, in any case of its letters', () =>
    expect(parseWhen(' 01kb5m1v8g3x9y2z4w6q7r8s9t ')).toEqual({ event: '01KB5M1V8G3X9Y2Z4W6Q7R8S9T' }));

  it('what is none of them is refused with each form', () =>
    expect(() => parseWhen('01KB5M1V8G3X9Y2Z4W6Q7R8S9')).toThrowError(
      expect.objectContaining({
        code: 'VALIDATION',
        hint: expect.stringMatching(/T14:30:00Z .*\+01:00.* date .* 2h,.* 1793716200000-0 .*01KB5M1V8G3X9Y2Z4W6Q7R8S9T/),
      }),
    ));

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-05',
    '2026-13-01',
    '2026-02-30',
    '2026-05-03T25:00',
    '1793716200000',
    '1-',
    '12/05/2026',
    '2026-05-03T12',
    'h',
    '-2h',
    '2h30m',
    '2 hours',
    '1.5h',
    '2y',
    '9999999999s',
  ])('%j is refused', (text) =>
    expect(() => parseWhen(text)).toThrowError(expect.objectContaining({ code: 'VALIDATION', hint: expect.any(String) })),
  );
});
