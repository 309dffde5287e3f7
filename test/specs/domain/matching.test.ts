import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from '../../../domain/fusion.js';
import { type Bar, type Candidate, isByTagAlone, matchesAmong, nearestAmong, scoreOf, TAGGED_SCORE } from '../../../domain/matching.js';

const BAR: Bar = { fused: 0.36, lexical: 0.36, isForeign: false, isExact: false, isHalfRead: false };
type Named = Candidate & { readonly key: string };

const of = (key: string, hit: Partial<Candidate['hit']>, more: Partial<Omit<Candidate, 'hit'>> = {}): Named => ({
  key,
  hit: { score: 0, relevance: 0, lexical: 0, coverage: 0, cosine: 0, ...hit },
  isUnread: false,
  tagged: 'nothing',
  ...more,
});
const matching = (candidates: readonly Named[], bar: Partial<Bar> = {}): readonly string[] =>
  [...matchesAmong(candidates, { ...BAR, ...bar })].map(({ key }) => key).sort();

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.double({ min: -0.2, max: 1, noNaN: true });
/** What one namespace answers. */
const namespace = fc
  .uniqueArray(fc.record({ key: fc.string({ minLength: 1, maxLength: 3 }), cosine, words: fc.boolean(), score: share, coverage: share }), {
    selector: ({ key }) => key,
    maxLength: 12,
  })
  .map((memories) =>
    fuse(
      memories.map(({ key, cosine: similarity }) => ({ key, similarity, window: 0 })),
      memories.filter(({ words }) => words).map(({ key, score, coverage }) => ({ key, score, coverage })),
    ),
  );
const candidates = fc.array(namespace, { minLength: 1, maxLength: 4 }).chain((found) =>
  fc.tuple(
    ...found.flat().map((hit) =>
      fc.record({
        key: fc.constant(hit.key),
        hit: fc.constant(hit),
        isUnread: fc.boolean(),
        tagged: fc.constantFrom('nothing' as const, 'nothing' as const, 'some' as const, 'all' as const),
      }),
    ),
  ),
);
const bars = fc.record({ isForeign: fc.boolean(), isExact: fc.boolean(), isHalfRead: fc.boolean() }).map((kind) => ({ ...BAR, ...kind }));

describe('matches', () => {
  it('hide nothing that shares a word and scores above what is shown and shares one, in whatever namespaces', () =>
    fc.assert(
      fc.property(candidates, bars, (all, bar) => {
        const shown = matchesAmong(all, bar);
        const sharing = all.filter((one) => one.hit.lexical > 0 || one.tagged !== 'nothing');
        const hidden = sharing.filter((one) => !shown.has(one));
        for (const one of sharing.filter((one) => shown.has(one)))
          for (const other of hidden) expect(scoreOf(other)).toBeLessThan(scoreOf(one));
      }),
    ));

  it('are none where nothing reaches the floor by itself', () =>
    fc.assert(
      fc.property(candidates, bars, (all, bar) => {
        const low = all.map(({ hit, ...one }) => ({
          ...one,
          tagged: 'nothing' as const,
          hit: { ...hit, relevance: 0.3, coverage: 0, lexical: 0.05 },
        }));
        expect(matchesAmong(low, bar).size).toBe(0);
      }),
    ));

  it('of a question that one memory answers by words and another is near to by chance, are both', () => {
    const answer = of('answer', { score: 0.24, relevance: 0.31, lexical: 0.17, coverage: 0.55, cosine: 0.15 });
    const chance = of('chance', { score: 0.17, relevance: 0.45, cosine: 0.35 });
    expect(matching([answer, chance])).toEqual(['answer', 'chance']);
    expect(matching([answer])).toEqual([]);
    expect(matching([of('wordless', { ...answer.hit, lexical: 0, coverage: 0 }), chance])).toEqual(['chance']);
  });

  it('are not all that share some word with a question that another memory is near to by chance', () => {
    const chance = of('chance', { score: 0.16, relevance: 0.41, cosine: 0.31 });
    const word = of('word', { score: 0.2, relevance: 0.24, lexical: 0.28, coverage: 0.44 });
    expect(matching([chance, word])).toEqual(['chance']);
    const found = of('found', { score: 0.19, relevance: 0.4, lexical: 0.2, coverage: 0.4, cosine: 0.2 });
    expect(matching([chance, word, found, of('below', { ...word.hit, score: 0.18 })])).toEqual(['chance', 'found', 'word']);
  });

  it('take a memory in a script that the model does not read only for a word of it, or a cosine beyond chance', () => {
    const near = { score: 0.16, relevance: 0.42, cosine: 0.32 };
    expect(matching([of('read', near), of('unread', near, { isUnread: true })])).toEqual(['read']);
    expect(matching([of('word', { ...near, lexical: 0.1 }, { isUnread: true })])).toEqual(['word']);
    expect(matching([of('very near', { ...near, cosine: 0.6 }, { isUnread: true })])).toEqual(['very near']);
  });

  it('take a memory whose tags are all that is asked, below what its text says, and one that some name for sharing a word', () => {
    const tagged = of('tagged', { score: -0.02, relevance: 0.07 }, { tagged: 'all' });
    expect(matching([tagged])).toEqual(['tagged']);
    expect(scoreOf(tagged)).toBe(TAGGED_SCORE);
    expect(isByTagAlone(tagged, BAR)).toBe(true);
    expect(isByTagAlone(of('told as well', { score: 0.3, relevance: 0.5, lexical: 0.3 }, { tagged: 'all' }), BAR)).toBe(false);
    expect(isByTagAlone(of('a word of it', { relevance: 0.1, lexical: 0.1 }, { tagged: 'all' }), BAR)).toBe(false);
    expect(isByTagAlone(of('some', {}, { tagged: 'some' }), BAR)).toBe(false);
    expect(matching([of('some', { relevance: 0.3 }, { tagged: 'some' })])).toEqual([]);
    expect(matching([of('some', { relevance: 0.4 }, { tagged: 'some' })], { isForeign: true })).toEqual(['some']);
    expect(matching([of('none', { relevance: 0.4 })], { isForeign: true })).toEqual([]);
    expect(matching([of('sounds alike', { relevance: 0.5, cosine: 0.5 })], { isExact: true })).toEqual([]);
  });

  it('are found by their words alone where the model did not read the whole question', () => {
    const spelt = of('spelt', { relevance: 0.1, lexical: 0.4, coverage: 0.3 });
    expect(matching([spelt])).toEqual([]);
    expect(matching([spelt], { isHalfRead: true })).toEqual(['spelt']);
    expect(matching([of('a word', { relevance: 0.1, lexical: 0.2, coverage: 0.1 })], { isHalfRead: true })).toEqual([]);
  });
});

describe('what is nearest where nothing matches', () => {
  const nearest = (all: readonly Named[], bar: Partial<Bar> = {}) => nearestAmong(all, { ...BAR, ...bar }).map(({ key }) => key);

  it('is within 0.08 of the floor, the most relevant first', () =>
    expect(
      nearest([
        of('far', { relevance: 0.27 }),
        of('b', { relevance: 0.29, cosine: 0.2 }),
        of('a', { relevance: 0.29, cosine: 0.24 }),
        of('top', { relevance: 0.34 }),
      ]),
    ).toEqual(['top', 'a', 'b']));

  it('is nothing that only sounds like an identifier or is in a script unread', () => {
    expect(nearest([of('sounds', { relevance: 0.34 })], { isExact: true })).toEqual([]);
    expect(nearest([of('unread', { relevance: 0.34 }, { isUnread: true })])).toEqual([]);
  });

  it('is for a question in a language read badly what has a cosine of 0.4', () =>
    expect(
      nearest([of('near', { relevance: 0.5, cosine: 0.42 }), of('chance', { relevance: 0.44, cosine: 0.38 })], { isForeign: true }),
    ).toEqual(['near']));
});
