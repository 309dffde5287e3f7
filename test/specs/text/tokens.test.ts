import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOfLog, tellsOfTrouble } from '../../../domain/text/pasted.js';
import { documentTerms, endingOf, queryTerms, sayingsOf } from '../../../domain/text/tokens.js';

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
    ['the PROJ4711 thing', ['proj4711']],
    ['where is getUser called', ['getuser']],
    ['is @scope/pkg still used', ['scope/pkg']],
    ['a well-known and up-to-date note', []],
    ['WHY DOES THIS ALWAYS HAPPEN', []],
  ])('%s', (query, expected) => expect(names(query)).toEqual(expected));

  it('in capitals are terms of their own, where they are not shouted', () => {
    const inCapitals = (text: string) => queryTerms(text).flatMap(({ capitals }) => capitals ?? []);
    expect(inCapitals('the ECONNREFUSED thing')).toEqual(['ECONNREFUSED']);
    expect(documentTerms('ECONNREFUSED, and ERROR twice').silent).toEqual(['ECONNREFUSED', 'and']);
    expect(inCapitals('ERROR, DEBUG, SELECT this WHERE it is, DELETE it, FIXME, WARNING')).toEqual([]);
    expect(inCapitals('BEFORE you go')).toEqual([]);
    expect(inCapitals('WHY DOES THIS EVEN HAPPEN')).toEqual([]);
  });

  it('are no days, times and decimals in a pasted text', () => {
    const asked = 'at 2026-06-01T06:35:37Z and 2026-06-02 it was 0.42 in v1.2.3 on 10.40.0.5, GH-13';
    expect(names(asked)).toEqual(['2026-06-01t06:35:37z', '2026-06-02', '0.42', 'v1.2.3', '10.40.0.5', 'gh-13']);
    expect(names(`${asked} ${'and more '.repeat(60)}`)).toEqual(['v1.2.3', '10.40.0.5', 'gh-13']);
    expect(sayingsOf(asked).flatMap(({ day }) => day?.mayName ?? [])).toEqual([true, true]);
    expect(sayingsOf(`${asked} ${'and more '.repeat(60)}`).flatMap(({ day }) => day?.mayName ?? [])).toEqual([false, false]);
  });
});

describe('a log', () => {
  const noise = (level: string, i: number) => `2026-06-01T06:35:${10 + i}Z ${level} [cache] eviction rate req=${i}f3a8`;
  const log = (last: string) => [...Array.from({ length: 9 }, (_, i) => noise('INFO ', i)), last].join(' ');
  const weights = (text: string) => new Map(queryTerms(text).map(({ term, weight }) => [term, weight]));

  it('is what its stamps show, in one line too', () => {
    expect(linesOfLog(log('and then some'))).toHaveLength(9);
    expect(linesOfLog('Jun 12 04:12:55 a Jun 12 04:12:56 b Jun  2 04:12:57 c Jun 12 04:13:55 d')).toHaveLength(4);
    expect(linesOfLog('[ 12.345678] a\n[ 12.345679] b\n[ 13.345678] c\n04:12:55 d\n04:12:56 e')).toHaveLength(5);
    expect(linesOfLog('from 09:00:00 to 10:00:00 we met')).toBeUndefined();
    expect(linesOfLog(`2026-06-01T06:35:37Z ${'prose '.repeat(600)}`)).toBeUndefined();
  });
  it('says less in what its lines share', () => {
    const terms = weights(log('parquet footer missing'));
    expect([terms.get('parquet'), terms.get('evict')]).toEqual([1, 1 / 9]);
  });
  it('says as much in trouble, however often it was met', () => {
    const terms = weights([log('x'), ...[30, 31, 32, 33].map((i) => noise('ERROR parquet footer missing', i))].join(' '));
    expect(terms.get('parquet')).toBe(1);
    expect(terms.get('evict')).toBeCloseTo(4 / 13);
  });
  it.each([
    ['ERROR it broke', true],
    ['java.lang.IllegalStateException: no', true],
    ['panic: nil', true],
    ['run failed', true],
    ['done errors=0', false],
    ['"error": null', false],
    ['terror', false],
  ])('tells of trouble: %s, %s', (line, expected) => expect(tellsOfTrouble(line)).toBe(expected));
});

describe('what is not shown', () => {
  it.each([
    ['Daten\u00adbank', 'Datenbank'],
    ['Wire\u200bGuard', 'WireGuard'],
    ['ERR\u2060_\ufeffX', 'ERR_X'],
    ['re\u200dtry', 'retry'],
    ['ＷｉｒｅＧｕａｒｄ', 'WireGuard'],
    ['ｓｅｃｒｅｔ', 'secret'],
  ])('is not read: %j is %s', (written, plain) => {
    expect(documentTerms(written)).toEqual(documentTerms(plain));
    expect(queryTerms(written)).toEqual(queryTerms(plain));
  });
});
