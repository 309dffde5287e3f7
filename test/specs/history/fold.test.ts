import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRow } from '../../../projections/history/fold.js';
import { memories } from '../../../projections/memories.js';
import { remembered } from '../../support/eventlog.js';
import { type Entry, erased, eventAt, faultAt, histories, KEYS } from '../projections/histories.js';
import { viewOf } from '../projections/view.js';

const rowsOf = (log: readonly Entry[]): ReadonlyMap<string, unknown> =>
  new Map(viewOf(memories, log).hashes.map(([row, fields]) => [row, Object.fromEntries(fields)]));

const subjectOf = (entry: Entry): string | undefined => {
  if (entry.kind === 'fault') return entry.fault.subject;
  return entry.kind === 'event' ? entry.event.envelope.subject : entry.husk.envelope.subject;
};

const expectFoldsEqualRows = (log: readonly Entry[]): void => {
  const rows = rowsOf(log);
  for (const key of KEYS) expect(foldRow(log.filter((entry) => subjectOf(entry) === key))).toEqual(rows.get(key) ?? {});
};

describe('the fold of a memory’s timeline is its row', () => {
  it('for every memory of any history', () => fc.assert(fc.property(histories, (log) => expectFoldsEqualRows(log))));

  it('at every moment of it', () =>
    fc.assert(
      fc.property(histories, fc.nat(60), (log, end) => expectFoldsEqualRows(log.slice(0, end))),
      { numRuns: 50 },
    ));

  it('after the forgotten was erased', () => fc.assert(fc.property(histories, (log) => expectFoldsEqualRows(erased(log)))));

  it('where an event cannot be read', () => {
    const [key = ''] = KEYS;
    const born = eventAt(1, remembered('first'), key, 1);
    const later = eventAt(3, { type: 'MemoryRetagged', data: { tags: ['late'], previous_tags: [] } }, key, 3);
    expectFoldsEqualRows([born, faultAt(2, key), later]);
    expectFoldsEqualRows([born, faultAt(2, key), later, eventAt(4, { type: 'MemoryForgotten', data: {} }, key, 4)]);
  });
});
