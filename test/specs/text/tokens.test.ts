import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentTerms, endingOf, queryTerms } from '../../../domain/text/tokens.js';

const terms = (text: string) => documentTerms(text).terms;
const query = (text: string) => queryTerms(text).map(({ term }) => term);

describe('identifiers are kept whole and split', () => {
  it.each([
    ['ERR_MODULE_NOT_FOUND', ['err_module_not_found', 'err', 'modul', 'found']],
    ['@scope/pkg', ['scope/pkg', 'scope', 'pkg']],
    ['snake_case_name', ['snake_case_name', 'snake', 'case', 'name']],
    ['getUserById', ['getuserbyid', 'get', 'user', 'id']],
    ['HTTPServerError', ['httpservererror', 'http', 'server', 'error']],
    ['--no-verify', ['no-verify', 'verifi']],
    ['localhost:6379', ['localhost:6379', 'localhost', '6379']],
    ['src/billing/invoice.spec.ts', ['src/billing/invoice.spec.ts', 'invoice.spec.ts', 'src', 'bill', 'invoic', 'spec', 'ts']],
    ['v1.2.3', ['v1.2.3', '1.2', '1.2.3']],
    ['C++', ['c++', 'c']],
    ['C#', ['c#', 'c']],
    ['api.getUser', ['api.getuser', 'getuser', 'api', 'get', 'user']],
  ])('%s', (text, expected) => expect(terms(text)).toEqual(expected));

  it.each([
    ['the version is v20.11.1 now', '20.11.1'],
    ['listens on 127.0.0.1:8765.', '8765'],
    ['see "docs/Guide.md", please', 'guide.md'],
    ['call fetchData()', 'fetchdata'],
    ['(process.env.NODE_ENV)', 'node_env'],
    ['std::vector', 'vector'],
    ['https://example.org/a/b?c=d', 'example.org'],
  ])('%s is found by %s', (text, wanted) => expect(terms(text)).toContain(wanted));

  it('leaves plurals of abbreviations whole', () => expect(terms('APIs URLs')).toEqual(['api', 'url']));

  it('weighs an identifier as much as all its parts together', () => {
    const weights = new Map(queryTerms('parse_json_file').map(({ term, weight }) => [term, weight]));
    expect(weights.get('parse_json_file')).toBe(1);
    expect(weights.get('json')).toBeCloseTo(1 / 3);
  });
});

describe('what an identifier is also written as', () => {
  it.each([
    ['ERR_MODULE_NOT_FOUND', 'errmodulenotfound'],
    ['src/get_user.ts', 'getuser'],
    ['PROJ-4711', 'proj4711'],
    ['PROJ_4711', 'proj4711'],
  ])('%s can be found as %s, and is no longer for it', (text, other) => {
    const { terms, silent } = documentTerms(text);
    expect(silent).toContain(other);
    expect(terms).not.toContain(other);
  });
  it('a number in hex is found without its 0x', () => expect(terms('0x80070005')).toEqual(['0x80070005', '80070005']));
  it('words that a hyphen joins are found apart and in one', () => {
    expect(documentTerms('a well-known way').silent).toEqual(['a', 'wellknown']);
    expect(terms('a well-known way')).toEqual(['well-known', 'well', 'know', 'wai']);
  });
});

describe('emoji and symbols', () => {
  const silent = (text: string) => documentTerms(text).silent;
  it('are terms of which no document is longer', () =>
    expect(documentTerms('🚀 deploy ✓')).toEqual({ terms: ['deploi'], silent: ['🚀', '✓'] }));
  it.each([
    ['❤️', '❤'],
    ['👍🏽', '👍'],
    ['👩🏽‍🚀', '👩‍🚀'],
    ['☀️☀', '☀'],
  ])('%s is found by %s', (text, other) => expect(silent(text)).toContain(query(other)[0]));
  it('that were put together are found by what they show', () => expect(silent('👩🏽‍🚀')).toEqual(['👩\u200d🚀', '👩', '🚀']));
  it('two flags are two, and each is one', () => expect(silent('🇩🇪🇫🇷')).toEqual(['🇩🇪', '🇫🇷']));
  it('weigh half a word in a query', () =>
    expect(queryTerms('🚀 deploy')).toEqual([
      { term: '🚀', weight: 0.5 },
      { term: 'deploi', weight: 1 },
    ]));
  it('but not what pictures are drawn with, nor a lost character', () => expect(silent('├── src │ █ ⠋ \ufffd')).toEqual([]));
});

describe('how a query ends', () => {
  it.each([
    ['why --no-verif', { whole: 'no-verif', isWord: false, tails: ['verif'] }],
    ['src/getUs', { whole: 'src/getus', isWord: false, tails: ['getus', 'us'] }],
    ['the Größ', { whole: 'gross', isWord: true, tails: [] }],
    ['src/app/', { whole: 'src/app', isWord: false, tails: ['app'] }],
    ['is it deployed?', undefined],
    ['what is that', undefined],
    ['接続', undefined],
    ['deploy 🚀', undefined],
    ['', undefined],
  ])('%s', (text, expected) => expect(endingOf(text)).toEqual(expected));
});

describe('words', () => {
  it('are lower-cased and stemmed', () => expect(terms('Connections Connected connecting')).toEqual(['connect', 'connect', 'connect']));

  it('lose accents and ligatures', () =>
    expect(terms('Café naïve Straße STRAẞE Æther ﬁne Łódź')).toEqual(['cafe', 'naiv', 'strass', 'strass', 'aether', 'fine', 'lodz']));

  it('of other scripts stay whole', () => expect(terms('Привет мир, नमस्ते')).toEqual(['привет', 'мир', 'नमस्ते']));

  it('end at an apostrophe', () => expect(terms("Caroline's l’école")).toEqual(['carolin', 'l', 'ecol']));
});

describe('stop words', () => {
  it('do not count in a document but stay findable', () => {
    expect(documentTerms('who is it')).toEqual({ terms: [], silent: ['who', 'is', 'it'] });
  });
  it('are dropped from a query', () => expect(query('what is the deploy target')).toEqual(['deploi', 'target']));
  it('are the query when there is nothing else', () => expect(query('who is it')).toEqual(['who', 'is', 'it']));
});

describe('scripts without blanks', () => {
  it('are cut into pairs, single characters stay findable', () => {
    expect(documentTerms('日本語')).toEqual({ terms: ['日本', '本語'], silent: ['日', '本', '語'] });
    expect(query('日本')).toEqual(['日本']);
    expect(query('語')).toEqual(['語']);
  });
  it('keep the voicing marks of Japanese apart', () => expect(query('が')).not.toEqual(query('か')));
  it('know full and half width as the same', () => expect(query('ｶﾀｶﾅ')).toEqual(query('カタカナ')));
  it('are told from the words around them', () => expect(terms('Redis接続error')).toEqual(['redi', '接続', 'error']));
  it('pair Korean syllables, not letters', () => expect(terms('한국어')).toEqual(['한국', '국어']));
  it('pair characters outside the basic plane', () => expect(terms('𠀀𠀁𠀂')).toEqual(['𠀀𠀁', '𠀁𠀂']));
});

describe('any text', () => {
  it('is accepted, and gives well-formed terms that are found again by themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const { terms: found, silent } = documentTerms(text);
        for (const term of [...found, ...silent]) {
          expect(term).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(128);
        }
        const known = new Set([...found, ...silent]);
        for (const term of query(text)) expect(known).toContain(term);
      }),
    );
  });

  it('gives the same terms with lone surrogates as without', () => expect(terms('good\ud800 word \udfff')).toEqual(['good', 'word']));

  it('cuts endless names on both sides alike', () => {
    const name = 'x'.repeat(5000);
    expect(query(name)).toEqual(terms(name));
  });
});

describe('names that a query spells out', () => {
  const names = (text: string) => queryTerms(text).flatMap(({ term, name }) => (name ? [term] : []));

  it.each([
    ['what did we write down about ticket-17x last time', ['ticket-17x']],
    ['why does ERR_MODULE_NOT_FOUND come up in src/app/main.ts', ['err_module_not_found', 'src/app/main.ts']],
    ['the ECONNREFUSED thing', ['econnrefus']],
    ['where is getUser called', ['getuser']],
    ['is @scope/pkg still used', ['scope/pkg']],
    ['a well-known and up-to-date note', []],
    ['WHY DOES THIS ALWAYS HAPPEN', []],
  ])('%s', (query, expected) => expect(names(query).map((name) => name.replace(/econnrefused?/, 'econnrefus'))).toEqual(expected));
});
