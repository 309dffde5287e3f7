import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readName, readQuery, speaksOf } from '../../../domain/graveyard/match.js';
import type { Abandoned } from '../../../domain/memory/events.js';
import { GraveyardIndex } from '../../../projections/recall/graveyard-index.js';

const at = (n: number): string => new Date(1_700_000_000_000 + n * 1000).toISOString();
const deadEnd = (name: string, n = 0, type: Abandoned['type'] = 'library'): Abandoned => ({
  name,
  type,
  reason: 'why',
  attempted_at: at(n),
});

const WORDS = ['redis', 'streams', 'consumer', 'groups', 'pg', 'boss', 'next', 'js', 'kafka', 'on', 'the', 'use', '队', '列'];
const phrase = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', '-', '.', '', ', ')), { minLength: 1, maxLength: 5 })
  .map((words) => words.map(([word, joint]) => word + joint).join(''));
const step = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  names: fc.array(fc.tuple(phrase, fc.constantFrom<Abandoned['type'][]>('library', 'approach')), { maxLength: 3 }),
});

describe('the index of dead ends', () => {
  it('finds exactly what holding the question against every name finds', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), phrase, (steps, question) => {
        const index = new GraveyardIndex();
        const held = new Map<string, readonly Abandoned[]>();
        for (const [i, { key, names }] of steps.entries()) {
          const approaches = names.map(([name, type], j) => deadEnd(name, i * 10 + j, type));
          index.set(key, approaches);
          held.set(key, approaches);
        }
        const expected = [...held].flatMap(([key, approaches]) =>
          approaches.filter(({ name, type }) => speaksOf(readQuery(question), readName(name, type))).map((approach) => ({ key, approach })),
        );
        const byTime = (a: { approach: Abandoned }, b: { approach: Abandoned }) =>
          a.approach.attempted_at < b.approach.attempted_at ? 1 : -1;
        expect([...index.find(question)].sort(byTime)).toEqual(expected.sort(byTime));
      }),
    ));

  it('finds a name by its first words, written as one, common ones too', () => {
    const index = new GraveyardIndex();
    index.set('mem:a', [deadEnd('groups pg redis', 1, 'library')]);
    index.set('mem:b', [deadEnd('groups pg redis', 2, 'approach')]);
    expect(index.find('groupspg').map(({ key }) => key)).toEqual(['mem:a']);
    expect(index.find('pgredis').map(({ key }) => key)).toEqual(['mem:b']);
  });

  it('answers newest first, and forgets what is taken out', () => {
    const index = new GraveyardIndex();
    index.set('mem:a', [deadEnd('kafka', 1)]);
    index.set('mem:b', [deadEnd('Kafka', 3), deadEnd('pg-boss', 2)]);
    expect(index.find('kafka or pgboss').map(({ key, approach }) => [key, approach.name])).toEqual([
      ['mem:b', 'Kafka'],
      ['mem:b', 'pg-boss'],
      ['mem:a', 'kafka'],
    ]);
    index.set('mem:b', [deadEnd('pg-boss', 2)]);
    expect(index.find('kafka').map(({ key }) => key)).toEqual(['mem:a']);
    index.remove('mem:a');
    index.remove('mem:b');
    expect(index.find('kafka or pgboss')).toEqual([]);
    expect(index.size).toBe(0);
  });
});
