import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearNames } from '../../../domain/project/near-names.js';

describe('names that may be one project', () => {
  it.each([
    ['OmniMem', 'omnimem'],
    ['omni-mem', 'omnimem'],
    ['omni_mem', 'Omni Mem'],
    ['omni.mem', 'omni-mem'],
    ['shop.git', 'shop'],
    ['shop-worktree', 'shop'],
    ['shop-worktree-2', 'shop'],
    ['shop_wt', 'Shop'],
    ['shop-wt3', 'shop-worktrees'],
    ['biling', 'billing'],
    ['bililng-api', 'billing-api'],
    ['customer-portal', 'custmer-portl'],
    ['web-frontend', 'webfrontned'],
  ])('%s is like %s, both ways', (a, b) => {
    expect(nearNames(a, [b])).toEqual([b]);
    expect(nearNames(b, [a])).toEqual([a]);
  });

  it.each([
    ['service-1', 'service-2'],
    ['budget-2025', 'budget-2026'],
    ['v1', 'v2'],
    ['web', 'wed'],
    ['shop-api', 'shop-app'],
    ['omnimem', 'omnimem-ts'],
    ['frontend', 'backend'],
    ['billing-api', 'billing-worker'],
    ['git', 'wt'],
    ['client', 'clinic'],
  ])('%s and %s are two', (a, b) => {
    expect(nearNames(a, [b])).toEqual([]);
    expect(nearNames(b, [a])).toEqual([]);
  });

  it('names the nearest first, at most three, never itself', () => {
    const known = ['billing', 'bilxing', 'Billing', 'biling', 'bllling', 'other'];
    expect(nearNames('billing', known)).toEqual(['Billing', 'biling', 'bilxing']);
    expect(nearNames('billing', ['billing'])).toEqual([]);
  });

  it('is the same in whatever order the names are known, and both ways round', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_. -]{1,14}$/);
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 6 }), (one, known) => {
        expect(nearNames(one, [...known].reverse())).toEqual(nearNames(one, known));
        for (const other of nearNames(one, known)) expect(nearNames(other, [one])).toEqual([one]);
      }),
    );
  });
});
