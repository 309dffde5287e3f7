import { describe, expect, it } from 'vitest';
import { fromUnixText, toUnixText } from '../../../services/transfer/times.js';

describe('times of other systems', () => {
  it('reads seconds since 1970 with a fraction, and writes them so that they come back', () => {
    expect(fromUnixText('1716900000.1234567')).toBe(1716900000123);
    expect(fromUnixText(toUnixText('2026-05-03T12:00:01.009Z'))).toBe(Date.parse('2026-05-03T12:00:01.009Z'));
    for (const text of ['', 'soon', '-5', '1e9', '99999999999999', 'NaN']) expect(fromUnixText(text)).toBeUndefined();
  });
});
