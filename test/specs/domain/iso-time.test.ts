import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isoTime } from '../../../domain/iso-time.js';

describe('ISO dates and times', () => {
  const zone = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = 'Pacific/Auckland';
  });
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('are UTC unless they name a zone, wherever the machine stands', () => {
    expect(new Date('2026-11-03T10:00').getTime()).not.toBe(Date.UTC(2026, 10, 3, 10));
    expect(isoTime('2026-11-03')).toBe(Date.UTC(2026, 10, 3));
    expect(isoTime(' 2026-11-03 08:00 ')).toBe(Date.UTC(2026, 10, 3, 8));
    expect(isoTime('2026-11-03T08:00:01.5')).toBe(Date.UTC(2026, 10, 3, 8, 0, 1, 500));
    expect(isoTime('2026-11-03t08:00z')).toBe(Date.UTC(2026, 10, 3, 8));
    for (const time of ['2026-11-03T08:00:00+0200', '2026-11-03 08:00+02:00', '2026-11-03T08:00:00 +02:00'])
      expect(isoTime(time)).toBe(Date.UTC(2026, 10, 3, 6));
  });

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-02-30',
    '2026-13-01',
    '2026-05-03T25:00',
    '03/05/2026',
    'May 3',
    '2026-05-03T12',
    '2026-05-03 (or so)',
  ])('are not %j', (text) => expect(isoTime(text)).toBeUndefined());
});
