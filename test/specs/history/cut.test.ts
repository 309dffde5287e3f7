import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionOf } from '../../../domain/envelope.js';
import { boundedLog } from '../../../projections/history/bounded-log.js';
import { covers, cutAtPlace, cutAtTime, millisOf, nameOf } from '../../../projections/history/cut.js';
import { Ledger } from '../../../projections/history/ledger.js';
import { type Entry, type EventEntry, erased, eventAt, faultAt, histories, KEYS, positionAt } from '../projections/histories.js';
import { fakeLog, readToTheEnd } from './fake-log.js';

const unexpected = (error: unknown): never => {
  throw error;
};

const readAtCut = async (log: readonly Entry[], cut: ReturnType<typeof cutAtPlace>, count: number) => {
  const ledger = new Ledger();
  return { ledger, read: await readToTheEnd(boundedLog(fakeLog(log), cut, ledger, unexpected), count) };
};

describe('a log that ends at a moment', () => {
  it('gives what stood there then, page by page, and nothing later', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(60), fc.integer({ min: 1, max: 9 }), async (log, end, count) => {
        const place = positionAt(end);
        const { read } = await readAtCut(log, cutAtPlace(place, millisOf(place)), count);
        expect(read).toEqual(log.slice(0, end));
      }),
    ));

  it('knows what has been forgotten since, and what already had been', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(60), async (log, end) => {
        const place = positionAt(end);
        const { ledger } = await readAtCut(erased(log), cutAtPlace(place, millisOf(place)), 7);
        const then = keysAlive(log.slice(0, end));
        const now = new Set(log.flatMap(({ event }) => (event.type === 'MemoryForgotten' ? [event.envelope.subject] : [])));
        expect(ledger.forgottenSince).toBe([...then].filter((key) => now.has(key)).length);
        expect(ledger.forgotten).toEqual(forgottenIn(log.slice(0, end)));
      }),
    ));

  it('stands still at an event that cannot be read, but lets go what is forgotten', async () => {
    const [key = ''] = KEYS;
    const log = [event(1, key, 1), faultAt(2, key), event(3, key, 3), eventAt(4, { type: 'MemoryForgotten', data: {} }, key, 4)];
    const upTo = (place: number) => readAtCut(log, cutAtPlace(positionAt(place), 0), 2);
    expect((await upTo(3)).read).toEqual(log.slice(0, 2));
    expect([...(await upTo(3)).ledger.degraded]).toEqual([key]);
    expect((await upTo(4)).read).toEqual([log[0], log[1], log[3]]);
  });
});

describe('a time, with events that were merged from another log', () => {
  const [here = '', there = ''] = KEYS;
  // Two events of this log, and then a merge of two that happened elsewhere: one before, one between and one after.
  const log = [event(10, here, 1), event(20, here, 2), event(30, there, 1), event(31, there, 2), event(32, there, 3)];
  const merged = new Map([
    [positionAt(30), positionAt(5)],
    [positionAt(31), positionAt(15)],
    [positionAt(32), positionAt(25)],
  ]);
  const at = (time: number) => {
    const last = log.findLast((entry) => millisOf(positionOf(entry)) <= millisOf(positionAt(time)));
    return cutAtTime(last ? positionOf(last) : '0-0', millisOf(positionAt(time)), merged);
  };

  it.each([
    [4, []],
    [5, [30]],
    [12, [10, 30]],
    [15, [10, 30, 31]],
    [22, [10, 20, 30, 31]],
    [28, [10, 20, 30, 31, 32]],
    [40, [10, 20, 30, 31, 32]],
  ])('%i holds what had happened by then, wherever', async (time, places) => {
    const { read } = await readAtCut(log, at(time), 2);
    expect(read.map(positionOf)).toEqual(places.map(positionAt));
    expect(log.map(positionOf).filter((place) => covers(at(time), place))).toEqual(places.map(positionAt));
  });

  it('an event before which one is missing waits for it', async () => {
    const skewed = new Map([
      [positionAt(30), positionAt(50)],
      [positionAt(31), positionAt(5)],
    ]);
    const cut = cutAtTime(positionAt(31), millisOf(positionAt(31)), skewed);
    const { read } = await readAtCut(log, cut, 10);
    expect(read.map(positionOf)).toEqual([positionAt(10), positionAt(20)]);
  });

  it('has another name when a merge brings more of it', () => {
    const without = cutAtTime(positionAt(20), millisOf(positionAt(22)), new Map());
    expect(nameOf(at(22))).not.toBe(nameOf(without));
    expect(nameOf(at(22))).toBe(nameOf(at(22)));
  });
});

function event(place: number, subject: string, n: number): EventEntry {
  return eventAt(place, { type: 'MemoryReinstated', data: {} }, subject, n);
}

const forgottenIn = (log: readonly EventEntry[]): Set<string> =>
  new Set(log.flatMap(({ event }) => (event.type === 'MemoryForgotten' ? [event.envelope.subject] : [])));

const keysAlive = (log: readonly EventEntry[]): Set<string> => {
  const forgotten = forgottenIn(log);
  return new Set(
    log.flatMap(({ event: { envelope } }) =>
      KEYS.includes(envelope.subject) && !forgotten.has(envelope.subject) ? [envelope.subject] : [],
    ),
  );
};
