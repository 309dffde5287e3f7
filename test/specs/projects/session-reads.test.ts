import { describe, expect, it } from 'vitest';
import { createSessionReads } from '../../../services/session-reads.js';

describe('what sessions have read', () => {
  it('is known for each session and project', () => {
    const reads = createSessionReads();
    reads.note('one', 'billing', 3);
    reads.note('two', 'billing', 5);
    expect(reads.seen('one', 'billing')).toBe(3);
    expect(reads.seen('two', 'billing')).toBe(5);
    expect(reads.seen('one', 'other')).toBeUndefined();
  });
  it('only grows', () => {
    const reads = createSessionReads();
    reads.note('one', 'billing', 5);
    reads.note('one', 'billing', 3);
    expect(reads.seen('one', 'billing')).toBe(5);
  });
  it('is nothing without a session', () => {
    const reads = createSessionReads();
    reads.note(undefined, 'billing', 5);
    expect(reads.seen(undefined, 'billing')).toBeUndefined();
  });
  it('is bounded: the session that was silent longest is forgotten, and the project', () => {
    const reads = createSessionReads();
    reads.note('first', 'billing', 1);
    reads.note('second', 'billing', 1);
    for (let i = 0; i < 998; i++) reads.note(`s${i}`, 'billing', 1);
    reads.note('first', 'billing', 2);
    reads.note('one more', 'billing', 1);
    expect(reads.seen('first', 'billing')).toBe(2);
    expect(reads.seen('second', 'billing')).toBeUndefined();
    for (let i = 0; i < 200; i++) reads.note('first', `p${i}`, 1);
    expect(reads.seen('first', 'billing')).toBeUndefined();
    expect(reads.seen('first', 'p0')).toBe(1);
  });
});
