import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedLists } from '../../../projections/search/posting-lists.js';

const valuesOf = (lists: SortedLists, list: number) =>
  lists.length(list) === 0 ? [] : [...lists.data.subarray(lists.start(list), lists.start(list) + lists.length(list))];

describe('sorted lists in one array', () => {
  it('hold what sets would, in order', () => {
    const step = fc.record({ list: fc.nat(5), value: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const lists = new SortedLists();
        const sets = new Map<number, Set<number>>();
        for (const { list, value } of steps) {
          const set = sets.get(list) ?? new Set();
          sets.set(list, set);
          if (set.delete(value)) lists.removeWithin(list, value);
          else {
            set.add(value);
            lists.insert(list, value);
          }
        }
        for (const [list, set] of sets) expect(valuesOf(lists, list)).toEqual([...set].sort((a, b) => a - b));
      }),
    );
  });

  it('take up no more room however long they come and go', () => {
    const lists = new SortedLists();
    const churn = () => {
      for (let list = 0; list < 40; list++) for (let value = 0; value < 33; value++) lists.insert(list, value);
      for (let list = 0; list < 40; list++) for (let value = 0; value < 33; value++) lists.removeWithin(list, value);
    };
    churn();
    const before = lists.data.length;
    for (let round = 0; round < 20; round++) churn();
    expect(lists.data.length).toBe(before);
  });
});
