import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryReader, BinaryWriter } from '../../../projections/search/binary.js';
import { TermDictionary } from '../../../projections/search/term-dictionary.js';

const reloaded = (dictionary: TermDictionary): TermDictionary => {
  const writer = new BinaryWriter();
  dictionary.dump(writer);
  return TermDictionary.load(new BinaryReader(Buffer.concat(writer.chunks())));
};

/** The shortest first, ties by the alphabet, by looking at every term. */
const naive = (terms: Iterable<string>, start: string, most: number): string[] =>
  [...terms]
    .filter((term) => term.startsWith(start))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, most);

const term = fc.stringMatching(/^[ab]{1,9}$/);
const changes = fc.array(fc.record({ term, added: fc.boolean() }), { maxLength: 80 });

describe('the terms that begin with a word', () => {
  it('are those that a look at every term finds, after any coming and going', () => {
    fc.assert(
      fc.property(changes, fc.stringMatching(/^[ab]{3,8}$/), fc.integer({ min: 1, max: 5 }), (steps, start, most) => {
        const dictionary = new TermDictionary();
        const present = new Set<string>();
        for (const { term, added } of steps) {
          const id = dictionary.find(term);
          if (added) {
            dictionary.findOrAdd(term);
            present.add(term);
          } else if (id !== undefined) {
            dictionary.remove(id);
            present.delete(term);
          }
        }
        expect(dictionary.beginningWith(start, most)).toEqual(naive(present, start, most));
        expect(reloaded(dictionary).beginningWith(start, most)).toEqual(naive(present, start, most));
      }),
    );
  });

  it('are found after tens of thousands came and went under one number', () => {
    const dictionary = new TermDictionary();
    for (const kept of ['lease', 'leased', 'leaseholder', 'le']) dictionary.findOrAdd(kept);
    for (let i = 0; i < 30_000; i++) dictionary.remove(dictionary.findOrAdd(`lease${i}`));
    dictionary.findOrAdd('leasing');
    expect(dictionary.beginningWith('lea', 3)).toEqual(['lease', 'leased', 'leasing']);
    expect(dictionary.beginningWith('lease1', 3)).toEqual([]);
  });
});
