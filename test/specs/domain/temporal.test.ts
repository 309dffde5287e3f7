import { afterEach, describe, expect, it } from 'vitest';
import { dateHint, temporalBoost } from '../../../domain/temporal.js';

const DAY = 86_400_000;
/** A Wednesday, half an hour after midnight UTC: yesterday in America, today in New Zealand. */
const NOW = Date.UTC(2026, 10, 4, 0, 30);
const hintDay = (query: string, now = NOW) => {
  const hint = dateHint(query, now);
  return hint === undefined ? undefined : new Date(hint).toISOString().slice(0, 10);
};

describe('a date hint', () => {
  const queries: readonly (readonly [query: string, day: string | undefined])[] = [
    ['what did we decide today?', '2026-11-04'],
    ['what did we decide yesterday?', '2026-11-03'],
    ['the bug of last friday', '2026-10-30'],
    ['what broke on Friday', '2026-10-30'],
    ['what broke on monday', '2026-11-02'],
    ['decisions of last week', '2026-10-28'],
    ['3 days ago', '2026-11-01'],
    ['two weeks ago', '2026-10-21'],
    ['since june', '2026-06-15'],
    ['what happened in March', '2026-03-15'],
    ['in december', '2025-12-15'],
    ['in may', '2026-05-15'],
    ['24 December', '2025-12-24'],
    ['the release of 2026-10-03', '2026-10-03'],
    ['Nov 2025', '2025-11-15'],
    ['3/4', '2026-03-04'],
    ['the demo tomorrow', '2026-11-05'],
    ['the demo next week', '2026-11-11'],
  ];
  it.each(queries)('of %j is %s', (query, day) => expect(hintDay(query)).toBe(day));

  it.each([
    'which port does staging use',
    'port 8080 listens',
    'error 1234',
    'what may we use',
    'march forward with the plan',
    'the sun is up',
    'the last migration',
    'before the release',
    'gpt-4-5',
    '550e8400-e29b-41d4-a716-446655440000',
    'deploy at 5pm',
    'yesterdays',
    '',
  ])('is absent from %j', (query) => expect(hintDay(query)).toBeUndefined());

  describe('S05: the time zone of the server', () => {
    const zone = process.env.TZ;
    afterEach(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    it('has no say in it', () => {
      const moments = [
        NOW,
        Date.UTC(2026, 10, 4, 8),
        Date.UTC(2026, 10, 3, 23, 45),
        Date.UTC(2026, 2, 29, 1, 30),
        Date.UTC(2026, 11, 31, 23, 59),
      ];
      const inZone = (tz: string) => {
        process.env.TZ = tz;
        return { offset: new Date(NOW).getTimezoneOffset(), hints: moments.map((now) => queries.map(([query]) => dateHint(query, now))) };
      };
      const [utc, ...others] = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland', 'Europe/Berlin'].map(inZone);
      expect(others.every(({ offset }) => offset !== utc?.offset)).toBe(true);
      for (const { hints } of others) expect(hints).toEqual(utc?.hints);
    });
  });
});

describe('the temporal boost', () => {
  it.each([
    [0, 1.5],
    [7, 1.5],
    [33.5, 1.25],
    [59.999, 1],
    [60, 1],
    [5_000, 1],
  ])('%d days away is %d, before or after', (days, boost) => {
    expect(temporalBoost(NOW, NOW - days * DAY)).toBeCloseTo(boost, 4);
    expect(temporalBoost(NOW, NOW + days * DAY)).toBeCloseTo(boost, 4);
  });
  it('is 1 without a hint, without an event date, and for a corrupt one', () => {
    expect([temporalBoost(undefined, NOW), temporalBoost(NOW, undefined), temporalBoost(NOW, Number.NaN)]).toEqual([1, 1, 1]);
  });
  it('S05: reaches what was stored an hour ago under any word for today', () => {
    for (const word of ['today', 'yesterday', 'this week', 'tonight'])
      expect(temporalBoost(dateHint(`what about ${word}?`, NOW), NOW - 3_600_000)).toBe(1.5);
  });
});
