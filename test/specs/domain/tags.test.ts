import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyTagEdit, parseTags } from '../../../domain/tags.js';

const refused = expect.objectContaining({ code: 'VALIDATION' });
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `tag-${n}`);

describe('tags', () => {
  it('are trimmed, without empties and repeats, in the order given', () => {
    expect(parseTags([' b ', '', 'a', '  ', 'b', 'B', 'a b'])).toEqual(['b', 'a', 'B', 'a b']);
  });
  it('are 20 at most, counted after repeats went', () => {
    expect(parseTags(numbered(20))).toHaveLength(20);
    expect(parseTags([...numbered(20), 'tag-3', ' '])).toHaveLength(20);
    expect(() => parseTags(numbered(21))).toThrow(refused);
  });
  it('have 100 characters at most, after trimming', () => {
    expect(parseTags([` ${'x'.repeat(100)} `])).toEqual(['x'.repeat(100)]);
    expect(() => parseTags(['x'.repeat(101)])).toThrow(refused);
  });
  it.each(['a\u0000b', 'a\nb', 'a\tb', 'a\u007Fb', 'a\u2028b', 'a\uD800b'])('%j is refused', (tag) =>
    expect(() => parseTags([tag])).toThrow(refused),
  );
  it('stay the same when parsed again', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ maxLength: 30 }).filter((tag) => !/\p{Cc}/u.test(tag)),
          { maxLength: 20 },
        ),
        (tags) => {
          expect(parseTags(parseTags(tags))).toEqual(parseTags(tags));
        },
      ),
    );
  });
});

describe('an edit of tags', () => {
  it('replaces, or clears', () => {
    expect(applyTagEdit(['a'], { tags: ['b', 'b'] })).toEqual({ tags: ['b'], changed: true });
    expect(applyTagEdit(['a'], { tags: [] })).toEqual({ tags: [], changed: true });
  });
  it('removes before it adds, by exact match', () => {
    expect(applyTagEdit(['a', 'b'], { remove: ['a'], add: ['a', 'c'] })).toEqual({ tags: ['b', 'a', 'c'], changed: true });
    expect(applyTagEdit(['Hot'], { remove: ['hot'] })).toEqual({ tags: ['Hot'], changed: false });
  });
  it('says when nothing changes', () => {
    expect(applyTagEdit(['a', 'b'], { tags: ['a', ' b'] })).toEqual({ tags: ['a', 'b'], changed: false });
    expect(applyTagEdit(['a'], { add: ['a'] })).toEqual({ tags: ['a'], changed: false });
    expect(applyTagEdit(['a', 'b'], { tags: ['b', 'a'] }).changed).toBe(true);
  });
  it('is refused when it says both or nothing, or goes over the limit', () => {
    expect(() => applyTagEdit([], { tags: ['a'], add: ['b'] })).toThrow(refused);
    expect(() => applyTagEdit([], { tags: [], remove: ['b'] })).toThrow(refused);
    expect(() => applyTagEdit(['a'], {})).toThrow(refused);
    expect(() => applyTagEdit(numbered(20), { add: ['one more'] })).toThrow(refused);
    expect(applyTagEdit(numbered(20), { remove: ['tag-0'], add: ['one more'] }).tags).toHaveLength(20);
  });
});
