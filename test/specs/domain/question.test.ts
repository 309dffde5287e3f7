import { describe, expect, it } from 'vitest';
import { asksNothing, saysNothing } from '../../../domain/question.js';

describe('a question of function words only', () => {
  it.each([
    'the and of to',
    'what is it',
    'What is it?',
    'who are you',
    'is',
    'WHAT IS IT',
    'I',
    'was ist das',
    'Was ist das?',
    'où est il',
    '¿Qué es esto?',
  ])('%j says nothing', (query) => expect(saysNothing(query)).toBe(true));

  it.each([
    'what is Redis',
    'die',
    'war',
    'D',
    'R',
    'C++',
    't.is()',
    '--is',
    'it_is',
    'is 5',
    '?',
    '',
    '本',
    'was ist Redis',
    'man page',
    'COMMENT ON',
    'comment on',
    'SES comment',
    'US',
    'US?',
    'IT',
    'WHO IT US',
  ])('%j says something, or is no prose', (query) => expect(saysNothing(query)).toBe(false));
});

describe('a query that names nothing to look for', () => {
  it.each(['の', 'から', '的', '는', '「の」', '-1', '- 1', '\u22127', '0', '?', '...', '', '=>', 'was ist das', 'what is it'])(
    '%j',
    (query) => expect(asksNothing(query)).toBe(true),
  );
  it.each(['本', '設定', '-12', '5', '7?', '#1', '7412', 'WHO', 'v1', 'D', '🦄', 'C++', 'war', 'IT_IS', 'のり'])('%j does', (query) =>
    expect(asksNothing(query)).toBe(false),
  );
});
