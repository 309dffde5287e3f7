import { describe, expect, it } from 'vitest';
import { fromIsoText, fromUnixText, toUnixText } from '../../../services/transfer/times.js';

describe('times of other systems', () => {
  it('reads seconds since 1970 with a fraction, and writes them so that they come back', () => {
    expect(fromUnixText('1716900000.1234567')).toBe(1716900000123);
    expect(fromUnixText(toUnixText('2026-05-03T12:00:01.009Z'))).toBe(Date.parse('2026-05-03T12:00:01.009Z'));
    for (const text of ['', 'soon', '-5', '1e9', '99999999999999', 'NaN']) expect(fromUnixText(text)).toBeUndefined();
  });

  it('reads ISO dates and times, UTC unless they name a zone', () => {
    expect(fromIsoText('2024-05-03')).toBe(Date.UTC(2024, 4, 3));
    expect(fromIsoText('2024-05-03 08:00')).toBe(Date.UTC(2024, 4, 3, 8));
    expect(fromIsoText('2024-05-03T08:00:00+0200')).toBe(Date.UTC(2024, 4, 3, 6));
    for (const text of ['2024-02-30', '2024-13-01', 'May 3', '03/05/2024', '2024']) expect(fromIsoText(text)).toBeUndefined();
  });
});
