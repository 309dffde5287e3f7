import { describe, expect, it } from 'vitest';
import { fromDumpTime, fromUnixText, toUnixText } from '../../../services/transfer/times.js';

describe('times of other systems', () => {
  it('reads seconds since 1970 with a fraction, and writes them so that they come back', () => {
    expect(fromUnixText('1716900000.1234567')).toBe(1716900000123);
    expect(fromUnixText(toUnixText('2026-05-03T12:00:01.009Z'))).toBe(Date.parse('2026-05-03T12:00:01.009Z'));
    for (const text of ['', 'soon', '-5', '1e9', '99999999999999', 'NaN']) expect(fromUnixText(text)).toBeUndefined();
  });

  it.each([
    ['1716900000', 1_716_900_000_000],
    ['1716900000.5', 1_716_900_000_500],
    ['1716900000123', 1_716_900_000_123],
    ['2024-05-28T12:40:00.123Z', 1_716_900_000_123],
    ['2024-05-28T14:40:00+02:00', 1_716_900_000_000],
    ['2024-05-28', Date.parse('2024-05-28')],
  ])('of a dump may be seconds, milliseconds or ISO: %s', (text, time) => expect(fromDumpTime(text)).toBe(time));

  it.each(['', 'soon', '-5', '2024-02-30', '99999999999999999'])('%j is none', (text) => expect(fromDumpTime(text)).toBeUndefined());
});
