import { describe, expect, it } from 'vitest';
import { BackupDamaged } from '../../../services/backup/damage.js';
import { chained, chainStart, factsOf, fromWire, toWire } from '../../../services/backup/entry.js';
import type { BackupSet, Manifest } from '../../../services/backup/layout.js';
import { expiredSets } from '../../../services/backup/retention.js';
import { intervalOf } from '../../../services/backup/settings.js';
import { isWithin, parseUntil } from '../../../services/backup/until.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-30T12:00:00Z');

const set = (name: string, daysAgo: number, fields: Partial<Manifest> = {}): BackupSet => ({
  dir: `/b/${name}`,
  name,
  manifest: {
    format: 1,
    log_id: 'log',
    tenant: 'local',
    created_at: new Date(NOW - daysAgo * DAY).toISOString(),
    updated_at: new Date(NOW - daysAgo * DAY).toISOString(),
    program: '0',
    segments: [],
    events: 0,
    chain: chainStart('log'),
    complete: true,
    bytes: 0,
    purged: 0,
    ...fields,
  },
});

describe('which backups go', () => {
  const names = (sets: readonly BackupSet[], keep: number, keepDays?: number): string[] =>
    expiredSets(sets, { logId: 'log', tenant: 'local' }, { keep, keepDays }, NOW).map(({ name }) => name);
  const sets = [set('new', 0), set('young', 3), set('old', 20), set('oldest', 90)];

  it('those beyond the number that is kept', () => expect(names(sets, 2)).toEqual(['old', 'oldest']));
  it('those that are too old, whatever their number', () => expect(names(sets, 10, 10)).toEqual(['old', 'oldest']));
  it('never the newest complete one', () => expect(names([set('only', 900)], 1, 1)).toEqual([]));
  it('never one that is being written, nor of another log', () =>
    expect(names([set('begun', 0, { complete: false }), set('whole', 50), set('foreign', 60, { log_id: 'x' })], 1, 1)).toEqual([]));
  it('one that holds nothing pushes none out, and goes once a whole one was written after it began', () => {
    const empty = (name: string, daysAgo: number): BackupSet => set(name, daysAgo, { complete: false });
    expect(names([empty('begun', 0), set('good', 1), set('older', 2)], 2)).toEqual([]);
    expect(names([set('good', 1), empty('cut off', 2), set('older', 3)], 2)).toEqual(['cut off']);
    expect(names([empty('begun', 0), empty('begun before', 1)], 1, 0)).toEqual([]);
    const segment = { number: 1, first: '1-0', last: '1-0', events: 1, previous: chainStart('log'), chain: chainStart('log'), bytes: 1 };
    expect(names([set('good', 1), set('half', 2, { complete: false, segments: [segment] })], 1, 1)).toEqual([]);
  });
  it('never one of another tenant, even of the same log', () =>
    expect(names([set('new', 0), set('of another', 60, { tenant: 'past' })], 1, 1)).toEqual([]));
});

describe('a schedule', () => {
  it.each([
    ['off', undefined],
    ['hourly', 3_600_000],
    ['daily', DAY],
    ['weekly', 7 * DAY],
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['2d', 2 * DAY],
  ])('%s', (text, milliseconds) => expect(intervalOf(text)).toBe(milliseconds));
  it.each(['', '0h', '5', 'monthly', '1y', '-1h'])('refuses %j', (text) => expect(() => intervalOf(text)).toThrowError(/schedule/));
});

describe('where a restore stops', () => {
  it.each([
    ['2026-05-03', { kind: 'time', at: Date.parse('2026-05-03T00:00:00Z') }],
    ['2026-05-03T12:30', { kind: 'time', at: Date.parse('2026-05-03T12:30:00Z') }],
    ['2026-05-03 12:30', { kind: 'time', at: Date.parse('2026-05-03T12:30:00Z') }],
    ['2026-05-03T12:30:00+13:00', { kind: 'time', at: Date.parse('2026-05-02T23:30:00Z') }],
    ['1777809600000-3', { kind: 'position', position: '1777809600000-3' }],
    ['01arz3ndektsv4rrffq69g5fav', { kind: 'event', id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ])('%s', (text, until) => expect(parseUntil(text, NOW)).toEqual(until));
  it.each(['90m', '2h', '3d'])('%s ago', (text) =>
    expect(parseUntil(text, NOW)).toEqual({ kind: 'time', at: NOW - ({ '90m': 90, '2h': 120, '3d': 4_320 }[text] ?? 0) * 60_000 }),
  );
  // A day that its month has not, and forms that a machine would read by its own zone.
  it.each([
    ...['yesterday', '', '12:30', '2026-13-45', '2026-02-30', '2026-02-29T12:00Z', '2026-05'],
    ...['2026-05-03T12', '2026-05-03 12:00 PM', '2026-05-03 12:00 CEST', '2026-05-03T24:30'],
  ])('refuses %j', (text) => expect(() => parseUntil(text)).toThrowError(/no time/));
  it('by the server’s time in the place', () => {
    expect(isWithin({ kind: 'time', at: 1_000 }, '1000-7', false)).toBe(true);
    expect(isWithin({ kind: 'time', at: 1_000 }, '1001-0', false)).toBe(false);
    expect(isWithin({ kind: 'position', position: '5-10' }, '5-9', false)).toBe(true);
    expect(isWithin({ kind: 'position', position: '5-10' }, '5-11', false)).toBe(false);
  });
});

describe('an entry', () => {
  it('keeps bytes that are no text', () => {
    for (const bytes of [Buffer.from('plain'), Buffer.from('größe 🦉'), Buffer.from([0xff, 0, 0x80]), Buffer.alloc(0)]) {
      expect(Buffer.from(fromWire(toWire(bytes)))).toEqual(bytes);
    }
  });
  it('has a chain that depends on the log, the order, the place and every field', () => {
    const [a, b] = [
      { position: '1-0', fields: ['id', 'a'] },
      { position: '2-0', fields: ['id', 'b'] },
    ];
    const of = (logId: string, ...entries: { position: string; fields: string[] }[]): string => entries.reduce(chained, chainStart(logId));
    const chains = [
      of('l', a, b),
      of('m', a, b),
      of('l', b, a),
      of('l', a),
      of('l', a, { ...b, position: '3-0' }),
      of('l', a, { ...b, fields: ['id', 'c'] }),
    ];
    expect(new Set(chains).size).toBe(chains.length);
  });
  it('with a version that is no number has none', () =>
    expect(factsOf({ fields: ['subject', 's', 'n', '1e3', 'type', 'T'] })).toMatchObject({ subject: 's', n: undefined, type: 'T' }));
});

it('damage says the kind, the part and that nothing was changed', () => {
  const error = new BackupDamaged('torn', '000002.payloads', 'why');
  expect(error.message).toMatch(/000002\.payloads.*\(torn\): why/);
  expect(error).toMatchObject({ code: 'CONFLICT', hint: expect.stringMatching(/Nothing was changed/) });
});
