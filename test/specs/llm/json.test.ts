import { describe, expect, it } from 'vitest';
import { jsonIn } from '../../../services/llm/json.js';
import { quoted } from '../../../services/llm/quote.js';

describe('the JSON of an answer', () => {
  it.each([
    ['[1]', [1]],
    [' {"a":[1]} \n', { a: [1] }],
    ['```json\n[1, 2]\n```', [1, 2]],
    ['```\n[]\n```', []],
    ['Sure! Here is the list: [{"text": "a [b]"}] Hope that helps.', [{ text: 'a [b]' }]],
    ['no JSON', undefined],
    ['[1, 2', undefined],
    ['', undefined],
  ])('%j', (answer, json) => expect(jsonIn(answer)).toEqual(json));
});

describe('quoted text', () => {
  it('stands between fences that it cannot end, cut to a length', () => {
    expect(quoted('Text', 'a ``` b ```` c', 100)).toBe('Text:\n`````\na ``` b ```` c\n`````');
    expect(quoted('Text', 'abcdef', 3)).toBe('Text:\n```\nabc\n```');
  });
});
