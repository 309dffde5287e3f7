import { describe, expect, it } from 'vitest';
import { tagsAsked } from '../../../domain/tags-asked.js';

describe('the tags that a query names', () => {
  it.each([
    ['style', ['style', 'lint'], 'all'],
    ['Styles', ['style'], 'all'],
    ['the style', ['STYLE'], 'all'],
    ['code style', ['code-style'], 'all'],
    ['code style', ['code', 'style'], 'all'],
    ['設定', ['設定'], 'all'],
    ['entscheidung größe', ['GRÖSSE', 'entscheidung'], 'all'],
    ['decision database', ['decision'], 'some'],
    ['decision database', ['decision-log'], 'nothing'],
    ['style', ['stylesheet'], 'nothing'],
    ['style', [], 'nothing'],
    ['the of', ['the'], 'nothing'],
    ['設定方法', ['設定'], 'nothing'],
    [`style ${'word '.repeat(2)}a b c d e f g h i j k l m n o p`, ['style'], 'nothing'],
  ] as const)('%j, of %j: %s', (query, tags, tagged) => expect(tagsAsked(query)(tags)).toBe(tagged));
});
