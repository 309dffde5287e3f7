import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTopics, isSuppressed } from '../../../domain/suppression.js';

describe('a suppressed topic', () => {
  it('[D] does not hide words that merely contain it: "go" leaves "google" alone', () => {
    expect(isSuppressed('Ask google about cargo and go_mod', ['go'])).toBe(false);
    expect(isSuppressed('We moved to Go.', ['go'])).toBe(true);
  });

  it.each([
    ['KUBERNETES rollout', 'kubernetes'],
    ['Über den Café-Dienst', 'uber'],
    ['le café', 'CAFÉ'],
    ['cafe\u0301', 'café'],
    ['Straße', 'STRASSE'],
    ['on machine  learning', 'machine learning'],
    ['a machine-learning job', 'machine learning'],
    ['state of the art', 'state-of-the-art'],
    ['line\nbreak in machine\nlearning', 'machine learning'],
    ['We use C++ here', 'c++'],
    ['the .net runtime', '.net'],
    ['node.js', 'node'],
    ['我们使用数据库', '数据库'],
    ['서버를 재시작했다', '서버'],
    ['データベースの設定', 'データベース'],
    ['Ｇｏ is wide', 'go'],
    ['Привет, МИР', 'мир'],
  ])('%j is hidden by %j', (text, topic) => expect(isSuppressed(text, [topic])).toBe(true));

  it.each([
    ['C++ and C# code', 'c'],
    ['machine for learning', 'machine learning'],
    ['machinelearning', 'machine learning'],
    ['axbxc', 'a.b.c'],
    ['anything', '.*'],
    ['anything', 'any|thing'],
    ['anything', ''],
    ['anything', '  '],
    ['か', 'が'],
    ['мирный', 'мир'],
  ])('%j is not hidden by %j', (text, topic) => expect(isSuppressed(text, [topic])).toBe(false));

  it('is named by the matcher as it was given', () => {
    const matches = compileTopics(['Go', 'Machine Learning', 'learning']);
    expect(matches('a machine_learning paper')).toBe('Machine Learning');
    expect(matches('learning go')).toBe('learning');
    expect(matches('nothing here')).toBeUndefined();
  });

  it('is text and never a pattern: every topic with a letter hides itself', () => {
    const topic = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => /^[\p{L}\p{N}].*[\p{L}\p{N}]$/u.test(text) && !/\p{M}/u.test(text));
    fc.assert(
      fc.property(topic, (text) => {
        expect(isSuppressed(`about ${text} again`, [text])).toBe(true);
      }),
    );
  });

  it('compiles whatever it is given', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 50 }), fc.string({ unit: 'binary' }), (topics, text) => {
        const found = compileTopics(topics)(text);
        expect(found === undefined || topics.includes(found)).toBe(true);
      }),
    );
  });
});
