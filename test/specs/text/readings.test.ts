import { describe, expect, it } from 'vitest';
import { isQueryRead } from '../../../domain/legibility.js';
import { datesIn } from '../../../domain/text/dates.js';
import { foreignLanguage } from '../../../domain/text/languages.js';
import { quantitiesIn } from '../../../domain/text/quantities.js';
import { runTerms } from '../../../domain/text/runs.js';
import { stemOf } from '../../../domain/text/tokens.js';
import { slips } from '../../../projections/search/near-terms.js';

describe('a date', () => {
  it.each([
    ['2025-03-11', '@2025-03-11'],
    ['at 2025-03-11T04:00', '@2025-03-11'],
    ['the eleventh of March', '@03-11'],
    ['March 11th, 2025', '@2025-03-11'],
    ['am 9. Mai 2025', '@2025-05-09'],
    ['bis 15.10.', '@10-15'],
    ['11.3.2025', '@2025-03-11'],
    ['3月11日', '@03-11'],
    ['June 2026', '@2026-06'],
    ['in May', '@05'],
    ['since February', '@02'],
  ])('%s is %s before anything looser', (text, term) => expect(datesIn(text)[0]?.terms[0]).toBe(term));
  it.each(['you may go', 'march on', 'v1.2.3', '99-13-45', '2025-13-01', '32. Mai', 'marching 5 miles'])('is not in %s', (text) =>
    expect(datesIn(text)).toEqual([]),
  );
});

describe('a quantity', () => {
  it.each([
    ['8GB', '#8gb'],
    ['8 GB', '#8gb'],
    ['8 gigabytes', '#8gb'],
    ['1.5 s', '#1.5s'],
    ['900 milliseconds', '#900ms'],
    ['two weeks', '#2w'],
    ['zehn Minuten', '#10min'],
    ['512Mi', '#512mib'],
    ['65,536', '65536'],
    ['1.204.551', '1204551'],
    ['500k', '500000'],
  ])('%s is %s', (text, term) => expect(quantitiesIn(text).flatMap(({ terms }) => terms)).toContain(term));
  it.each(['v8 is fast', 'port 8080', 'a second try', 'db-8 sleeps', '1.2.3', 'ids 1,2,3'])('is not in %s', (text) =>
    expect(quantitiesIn(text)).toEqual([]),
  );
});

describe('the language of a query', () => {
  it.each([
    ['Wie hoch ist der Mount Everest?', 'German'],
    ['fehlgeschlagene Zahlungen', 'German'],
    ['Was ist das?', 'German'],
    ['où est le tableau de bord', 'French'],
    ['cómo se despliega el servicio', 'Spanish'],
  ])('%s is %s, and asked by its words', (query, language) => {
    expect(foreignLanguage(query)).toBe(language);
    expect(isQueryRead(query)).toBe(false);
  });
  it.each([
    'how do we deploy the service',
    'what was the war about',
    'die in the man page',
    'who is Jürgen',
    'Zeitgeist of the build',
    'docker compose up db mail',
    'la',
    'npm i -D vite',
    'When was Sam in the ER?',
    'what is in the MIT dir',
    '',
  ])('%s is not foreign', (query) => expect(foreignLanguage(query)).toBeUndefined());
});

describe('a word', () => {
  it.each([
    ['anonymised', 'anonymizing'],
    ['behaviour', 'behaviors'],
    ['cancelled', 'canceled'],
    ['catalogue', 'catalog'],
    ['chose', 'choose'],
    ['rebuilt', 'rebuild'],
  ])('%s and %s are one', (one, other) => expect(stemOf(one)).toBe(stemOf(other)));
  it.each([
    ['lastsenat', 'lastseenat', 1],
    ['plugin_laoder', 'plugin_loader', 1],
    ['abc', 'abc', 0],
    ['kitten', 'sitting', 3],
    ['', 'ab', 2],
  ])('%s and %s are %i slips apart', (one, other, apart) => expect(slips(one, other, 9)).toBe(apart));
});

describe('a stretch of Japanese', () => {
  it('is looked for by what is not grammar', () => {
    const weights = new Map(runTerms([...'猫の首都はどこですか']).map(({ term, weight }) => [term, weight]));
    expect(weights.get('首都')).toBe(1);
    expect(weights.get('猫')).toBe(0.5);
    expect(weights.get('です')).toBe(0.1);
    expect(weights.has('の首')).toBe(false);
  });
  it('of grammar only is looked for as it stands', () => expect(runTerms([...'どこで']).map(({ weight }) => weight)).toEqual([1, 1]));
});
