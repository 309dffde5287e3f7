import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meetsHint, readHint } from '../../../domain/graveyard/hint.js';
import { readQuery } from '../../../domain/graveyard/match.js';
import { HintIndex } from '../../../projections/recall/hint-index.js';

const meets = (query: string, hint: string): boolean => meetsHint(readQuery(query), readHint(hint));

describe('a hint is met', () => {
  it.each([
    // By the same words, and by a question that is a part of it or holds it.
    ['tzdata', 'tzdata'],
    ['TZDATA', ' tzdata '],
    ['graphql', 'moving to GraphQL'],
    ['should we try graphql again', 'GraphQL'],
    ['time zone database upgrade', 'time zone database'],
    ['time zone', 'the time zone database'],
    ['what is our time zone database', 'time zone database'],
    // In any order, with any ending.
    ['Foopay announced webhooks', 'webhooks for foopay'],
    ['a webhook by foopay', 'webhooks for foopay'],
    ['we are migrating the databases', 'database migrations'],
    // Apart and joined.
    ['pgboss 10 is out', 'pg-boss'],
    ['is pg boss worth it', 'pgboss'],
    ['Redis Streams for jobs', 'redis-streams'],
    // A common word that is written as a name, or is all that is asked.
    ['rewrite the worker in Go', 'Go'],
    ['what does `go` vet say', 'go'],
    ['Go', 'go'],
    ['next release?', 'the next release'],
    ['plan the next release', 'next release'],
    // Scripts without blanks.
    ['我们应该升级时区数据库吗', '时区数据库'],
    ['时区数据库', '升级时区数据库'],
  ])('by %j: %j', (query, hint) => expect(meets(query, hint)).toBe(true));
});

describe('a hint is not met', () => {
  it.each([
    ['where do log files go?', 'Go'],
    ['where do log files go?', 'go'],
    ['the catalogue is stale', 'log'],
    ['log', 'the catalogue'],
    ['restart the worker', 'REST'],
    ['graphql', 'REST'],
    ['google it', 'Go'],
    ['webhooks of stripe', 'webhooks for foopay'],
    ['the release is not the next thing', 'next release'],
    ['the', 'when the vendor ships it'],
    ['it', 'use it'],
    ['time', 'time zone database'],
    // Hazard 11: nothing is met by nothing.
    ['graphql', ''],
    ['graphql', '  '],
    ['graphql', '?!'],
    [' ', 'graphql'],
    ['', ''],
    ['?', '?'],
  ])('by %j: %j', (query, hint) => expect(meets(query, hint)).toBe(false));
});

const WORDS = ['time', 'zone', 'next', 'go', 'Go', 'pg', 'boss', 'js', 'the', 'use', 'webhooks', 'webhook', '时', '区'];
const phrase = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', '-', '.', '', ', ')), { minLength: 1, maxLength: 5 })
  .map((words) => words.map(([word, joint]) => word + joint).join(''));
const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), hints: fc.array(phrase, { maxLength: 3 }) });

describe('the index of hints', () => {
  it('finds exactly what holding the question against every hint finds, in the order of keys', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), phrase, (steps, question) => {
        const index = new HintIndex();
        const held = new Map<string, readonly string[]>();
        for (const { key, hints } of steps) {
          index.set(key, hints);
          held.set(key, hints);
        }
        const expected = [...held].filter(([, hints]) => hints.some((hint) => meets(question, hint))).map(([key]) => key);
        expect([...index.met(question)]).toEqual(expected.sort());
      }),
    ));

  it.each([
    // A question whose words are cut at other places than the hint's.
    ['gowebhook Go', 'go webhooks go time'],
    ['nextwebhooks', 'time next webhooks'],
    ['webhook', 'next webhooks'],
  ])('finds by %j: %j', (question, hint) => {
    const index = new HintIndex();
    index.set('mem:a', [hint]);
    expect([...index.met(question)]).toEqual(['mem:a']);
  });

  it('forgets what is taken out', () => {
    const index = new HintIndex();
    index.set('mem:a', ['tzdata']);
    index.set('mem:b', ['tzdata', 'time zone database']);
    expect([...index.met('the tzdata release')]).toEqual(['mem:a', 'mem:b']);
    index.set('mem:b', ['time zone database']);
    index.remove('mem:a');
    expect([...index.met('the tzdata release')]).toEqual([]);
    expect([...index.met('time zone database')]).toEqual(['mem:b']);
    expect(index.size).toBe(1);
  });

  it('takes any text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (query, hint) => {
        const index = new HintIndex();
        index.set('a', [hint]);
        expect(index.met(query).has('a')).toBe(meets(query, hint));
      }),
    ));
});
