import { describe, expect, it } from 'vitest';
import { isQueryRead, isScriptRead } from '../../../domain/legibility.js';
import { datesIn } from '../../../domain/text/dates.js';
import { pairsIn, phrasalPairsIn } from '../../../domain/text/joins.js';
import { foreignLanguage, functionWordsIn } from '../../../domain/text/languages.js';
import { quantitiesIn } from '../../../domain/text/quantities.js';
import { runTerms } from '../../../domain/text/runs.js';
import { documentTerms, queryTerms, stemOf } from '../../../domain/text/tokens.js';
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
    ['2025年3月11日', '@2025-03-11'],
    ['3 mars 2025', '@2025-03-03'],
    ['3/11/2025', '@2025-03-11'],
    ['13/11/2025', '@2025-11-13'],
    ['2025/03/11', '@2025-03-11'],
    ['the retro of June 20th.', '@06-20'],
    ['was bis zum Montag, den 7.4. nicht entschieden ist', '@04-07'],
    ['what changed on 5 may', '@05-05'],
    ['May 5 was the day', '@05-05'],
    ['June 2026', '@2026-06'],
    ['in May', '@05'],
    ['since February', '@02'],
  ])('%s is %s before anything looser', (text, term) => expect(datesIn(text)[0]?.terms[0]).toBe(term));
  it('of a year is indexed apart from one without', () => {
    expect(datesIn('2025-03-11')[0]?.terms).toEqual(['@2025-03-11', '@*03-11', '@2025-03', '@03']);
    expect(datesIn('March 11')[0]?.terms).toEqual(['@03-11', '@03']);
  });
  it.each([
    'We run Node 20.11. It stays',
    'at 7.4.',
    'Wir nutzen Node 20.11. und bleiben dabei',
    'may 5 times',
    'May 5 times',
    'may 3 seconds',
    'option 2 may fail',
    'you may first check',
    'logs/2025/03/11/x',
  ])('is not in %s', (text) => expect(datesIn(text)).toEqual([]));
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
    ['Was ist mit den fehlgeschlagenen Zahlungen der Kunden?', 'German'],
    ['Verschlüsselung der Kennwörter', 'German'],
    ['Wohin geht es, wenn der Bauhof nicht antwortet?', 'German'],
    ['wo wir bauen', 'German'],
    ['Pourquoi le ciel est bleu ?', 'French'],
    ['où est le tableau de bord', 'French'],
    ['cómo se despliega el servicio', 'Spanish'],
  ])('%s is %s, and its vector is no evidence by itself', (query, language) => {
    expect(foreignLanguage(query)).toBe(language);
    expect([isScriptRead(query), isQueryRead(query)]).toEqual([true, false]);
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
    'SES approval',
    'comment persistence',
    'sa credentials storage',
    'IM protocol',
    'von Neumann architecture',
    'IST timezone cron',
    'ALS async context',
    'LDAP OU structure',
    'COMMENT ON TABLE',
    'Samsung drive broken',
    'the Nicht Sein Wird team',
    'das array',
    'DAS UND NICHT',
    'du bin dir',
    'an über fast build',
    'à la carte menu',
    'fehlgeschlagene Zahlungen',
  ])('%s is not shown to be foreign, and every word of it is looked for', (query) => {
    expect(foreignLanguage(query)).toBeUndefined();
    expect(functionWordsIn(query).size).toBe(0);
  });
  it('says which of its words say nothing, and leaves what is written as a name', () => {
    expect([...functionWordsIn('Wie lange gilt ein Gutschein?')]).toEqual(['wie', 'lange', 'gilt', 'ein']);
    expect([...functionWordsIn('où est le sujet SES de la poste')]).toEqual(['où', 'est', 'le', 'de', 'la']);
    expect(queryTerms('où est le sujet SES de la poste').map(({ term }) => term)).toContain(stemOf('ses'));
  });
  it('of function words only is looked for by them as memories are indexed', () => {
    const wanted = queryTerms('lange steht das nicht').map(({ term }) => term);
    expect(wanted).toEqual(documentTerms('lange steht das nicht').terms);
  });
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
    ['led', 'lead'],
    ['stuck', 'stick'],
    ['spoke', 'speak'],
    ['criteria', 'criterion'],
    ['went', 'go'],
    ['met', 'meet'],
    ['driven', 'drive'],
  ])('%s and %s are two', (one, other) => expect(stemOf(one)).not.toBe(stemOf(other)));
  it.each([
    ['lastsenat', 'lastseenat', 1],
    ['plugin_laoder', 'plugin_loader', 1],
    ['abc', 'abc', 0],
    ['kitten', 'sitting', 3],
    ['', 'ab', 2],
    ['x'.repeat(100), 'x'.repeat(99), 1],
  ])('%s and %s are %i slips apart', (one, other, apart) => expect(slips(one, other, 9)).toBe(apart));
});

describe('a verb with its particle', () => {
  it.each(['We fail over at night, log in and roll\nback.', 'Größe fällt back off; sign/in, in out', 'over and out.by', 'a log in.js'])(
    'is found by its particle as among all pairs: %s',
    (text) => expect(phrasalPairsIn(text)).toEqual(pairsIn(text).filter(({ phrasal }) => phrasal)),
  );
});

describe('a long text without blanks', () => {
  it('is taken whole', () => expect(documentTerms('ก'.repeat(1_000_000)).terms).toHaveLength(999_999));
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
