import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { keysHolding } from '../../support/eventlog.js';
import { DUMP_FIELDS, ODD_TEXTS } from '../../support/odd-texts.js';
import { allRows, bring, fixture, folder, importedEvents } from './support.js';

let test: TestApp;
const place = folder();
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
  place[Symbol.dispose]();
});

const dump = (data: object): string => JSON.stringify({ metadata: { version: '6.6.2' }, data });
const written = (name: string, text: string | Buffer): string => {
  writeFileSync(place.in(name), text);
  return place.in(name);
};
const memory = (fields: object = {}) => ({ content: 'Some text.', state: 'active', created_at: '1716900000', tags: '[]', ...fields });
const key = (end: string, namespace = 'episodic'): string => `mem:${namespace}:01HZX3V0000000000000000${end}`;
const project = (fields: object) => ({ 'mem:project:shop': { description: 'A shop.', stack: 'node', goals: 'Sell.', ...fields } });
/** Made up: no issuer ever gave it out. */
const CREDENTIAL = `gh${'p'}_Zq8Lw3Xv7Rt2Yb9Nk4Md6Hc1Js5Fg0PaTuWe`;
/** Without capital letters, so that a topic keeps it as it is. */
const UNFORCED = `gh${'p'}_mk3qp9td5ls7yb9nk4vd6hc1js5fg0patuwe`;

describe('a file that is none', () => {
  it('that is cut short is named with the place, and nothing is imported', async () => {
    const whole = readFileSync(fixture('omnimem-6.6.json'), 'utf8');
    const cut = whole.slice(0, whole.indexOf('"mem:episodic:01HZX3V0000000000000000A03"') + 60);
    await expect(bring(test, written('cut.json', cut))).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/cut\.json ends too early, at line \d+, column \d+/),
    });
    const broken = whole.replace('"tags": "[]"', '"tags" "[]"');
    await expect(bring(test, written('broken.json', broken))).rejects.toThrow(/broken\.json is no JSON/);
    expect(await importedEvents(test)).toEqual([]);
  });

  it.each([
    ['foreign.json', '{"name":"package","version":"1.0.0"}', /no OmniMem dump/],
    ['list.json', '[1,2]', /is none of/],
    ['empty.json', '', /is none of/],
    ['notes.txt', 'just words', /is none of/],
    ['latin.json', Buffer.from('{"metadata":{},"data":{"a":"caf\u00e9"}}', 'latin1'), /not UTF-8: byte 31/],
  ])('%s is refused', async (name, text, message) => {
    await expect(bring(test, written(name, text))).rejects.toThrow(message);
  });

  it('that is not there, or is a folder where a file is meant, is refused', async () => {
    await expect(bring(test, place.in('nowhere.json'))).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(bring(test, place.path, { from: 'omnimem' })).rejects.toThrow(/folder/);
  });
});

describe('a record that breaks the rules', () => {
  it('is named with its key and why, set aside whole, and the others are imported', async () => {
    const path = written(
      'bad.json',
      dump({
        ...JSON.parse('{"__proto__":{"name":"constructor"}}'),
        [key('A01')]: memory({ content: 'Good one.' }),
        [key('A02')]: memory({ content: 'x'.repeat(60_000) }),
        [key('A03')]: memory({ created_at: '4102444800' }),
        [key('A04')]: memory({ content: 'NUL\u0000' }),
        [key('A05')]: memory({ tags: 'not a list' }),
        [key('A06')]: memory({ project: 'a/b' }),
        [key('A07')]: memory({ content: '  ' }),
        [key('A08')]: { state: 'active' },
        [key('A09')]: memory({ state: 'deleted' }),
        [key('A10')]: 'no object',
        'mem:episodic:short': memory(),
        'user:42': { name: 'Ada' },
        'topics:suppressed': { _type: 'set', members: ['fine', '  ', 'x'.repeat(201)] },
      }),
    );
    const report = await bring(test, path);
    expect(report).toMatchObject({ status: 'imported', imported: 1, topics: { imported: 1 } });
    expect(
      Object.fromEntries(report.refused.map(({ place, code, why }) => [place.slice(-21, 60), `${code} ${why}`.slice(0, 70)])),
    ).toMatchObject({
      [key('A02').slice(-21)]: expect.stringMatching(/^TOO_LARGE .*60000 characters/),
      [key('A03').slice(-21)]: expect.stringMatching(/future \(2100-01-01/),
      [key('A04').slice(-21)]: expect.stringMatching(/NUL/),
      [key('A05').slice(-21)]: expect.stringMatching(/tags is no JSON list/),
      [key('A06').slice(-21)]: expect.stringMatching(/project name/),
      [key('A07').slice(-21)]: expect.stringMatching(/empty/),
      [key('A08').slice(-21)]: expect.stringMatching(/no content/),
      [key('A09').slice(-21)]: expect.stringMatching(/deleted/),
      [key('A10').slice(-21)]: expect.stringMatching(/no object/),
      'mem:episodic:short': expect.stringMatching(/No key of a dump/),
      'user:42': expect.stringMatching(/No key of a dump/),
    });
    expect(report.refused).toHaveLength(14);
    const { data } = JSON.parse(readFileSync(place.in('bad.set-aside.json'), 'utf8'));
    expect(data[key('A02')].content).toHaveLength(60_000);
    expect(data['user:42']).toEqual({ name: 'Ada' });
    expect(Object.getOwnPropertyDescriptor(data, '__proto__')?.value).toEqual({ name: 'constructor' });
    expect([...(await allRows(test)).keys()]).toEqual([key('A01')]);
  });

  it('is all that is lost, whatever one of its fields holds', async () => {
    const values = DUMP_FIELDS.flatMap((field) => ODD_TEXTS.map((value) => [field, value] as const));
    const records = values.map(([field, value], i) => {
      const own = `mem:${i % 2 ? 'episodic' : 'knowledge'}:01HZX4V00000000000000${String(i).padStart(5, '0')}`;
      return [own, memory({ content: `Record ${i}.`, gotchas: 'mind', state: i % 3 ? 'active' : 'archived', [field]: value })] as const;
    });
    const good = `mem:episodic:01HZX4V0000000000000099999`;
    const report = await bring(
      test,
      written('odd.json', dump(Object.fromEntries([...records, [good, memory({ content: 'The good one.' })]]))),
    );
    expect(report.imported + report.refused.length + report.forgotten.length).toBe(records.length + 1);
    expect((await allRows(test)).has(good)).toBe(true);
    expect(report.imported).toBeGreaterThan(records.length / 2);
  });

  it('a time that is none costs the time and not the memory', async () => {
    const path = written(
      'times.json',
      dump({ 'mem:episodic:01HZX3V0000000000000000B01': memory({ content: 'Odd time.', created_at: 'soon' }) }),
    );
    const report = await bring(test, path);
    expect(report).toMatchObject({ imported: 1, notes: [expect.stringContaining('created_at')] });
    expect((await allRows(test)).get(key('B01'))?.created_at).toMatch(/^2024-06-08T/);
    expect(JSON.parse(readFileSync(place.in('times.set-aside.json'), 'utf8')).data[key('B01')]).toEqual({ created_at: 'soon' });
  });

  it('a Markdown file is named with its line; a key that two files have is taken once', async () => {
    mkdirSync(place.in('vault'));
    const front = (name: string, lines: string, body = 'text of it'): void =>
      writeFileSync(place.in(`vault/${name}`), `---\n${lines}\n---\n${body}`);
    front('a.md', `key: ${key('C01')}\ncreated: 2024-05-03`, 'first');
    front('b.md', `key: ${key('C01')}\ncreated: 2024-05-03`, 'second');
    front('c.md', 'tags: [open');
    front('d.md', 'created: 2999-01-01', 'from the future');
    front('e.md', 'license: my-own-2.0');
    front('f.md', `key: ${key('C02', 'knowledge')}\nnamespace: episodic`);
    const report = await bring(test, place.in('vault'));
    expect(report.refused.map(({ place, why }) => `${place}: ${why}`).sort()).toEqual([
      `b.md: Its key has another text at a.md`,
      expect.stringMatching(/^c\.md: The front matter is no YAML \(line \d, column \d+\)$/),
      expect.stringMatching(/^d\.md, line 4: It was created in the future/),
      expect.stringMatching(/^e\.md: The licence is not one of/),
      expect.stringMatching(/^f\.md: The key does not fit the namespace episodic/),
    ]);
    expect(report.imported).toBe(1);
  });
});

describe('a time', () => {
  it('may be epoch seconds, epoch milliseconds as text or number, or ISO', async () => {
    const times = ['1716900000.123', '1716900000123', 1_716_900_000_123, '2024-05-28T12:40:00.123Z'];
    const records = times.map((created_at, i) => [key(`G0${i}`), memory({ content: `Time ${i}.`, created_at })]);
    const report = await bring(test, written('iso.json', dump(Object.fromEntries(records))));
    expect(report).toMatchObject({ imported: times.length, notes: [], refused: [] });
    const rows = await allRows(test);
    for (const [i] of times.entries()) expect(rows.get(key(`G0${i}`))?.created_at).toBe('2024-05-28T12:40:00.123Z');
  });
});

describe('what was refused before', () => {
  it('is told from what is refused for the first time, in every kind of source', async () => {
    const good = { [key('H01')]: memory({ content: 'Comes in.' }), [key('H02')]: memory({ content: 'x'.repeat(60_000) }) };
    const path = written('again.json', dump(good));
    expect((await bring(test, path)).refused_before).toBeUndefined();
    expect(await bring(test, path)).toMatchObject({ status: 'unchanged', refused: [{}], refused_before: 1 });
    written('again.json', dump({ ...good, [key('H03')]: memory({ content: 'NUL\u0000' }) }));
    expect(await bring(test, path)).toMatchObject({ refused: [{}, {}], refused_before: 1 });
    mkdirSync(place.in('again'));
    writeFileSync(place.in('again/c.md'), '---\ntags: [open\n---\ntext');
    expect((await bring(test, place.in('again'))).refused_before).toBeUndefined();
    expect((await bring(test, place.in('again'))).refused_before).toBe(1);
  });
});

describe('what looks like a live credential', () => {
  let cases = 10;
  it('is reported without its text and imported only with force', async () => {
    const path = written('secret.json', dump({ [key('D01')]: memory({ content: `The deploy token is ${CREDENTIAL}.` }) }));
    const report = await bring(test, path);
    expect(report).toMatchObject({ status: 'unchanged', imported: 0, refused: [{ place: key('D01') }] });
    expect(JSON.stringify(report)).not.toContain(CREDENTIAL);
    expect(readFileSync(place.in('secret.set-aside.json'), 'utf8')).not.toContain(CREDENTIAL);
    expect(await bring(test, path, { force: true })).toMatchObject({ imported: 1, refused: [] });
    expect((await allRows(test)).get(key('D01'))?.content).toContain(CREDENTIAL);
  });

  it('does not get into the side file by another field either', async () => {
    const path = written('field.json', dump({ [key('D02')]: memory({ content: 'Fine.', some_note: `Use ${CREDENTIAL}` }) }));
    expect(await bring(test, path)).toMatchObject({ imported: 1 });
    expect(readFileSync(place.in('field.set-aside.json'), 'utf8')).not.toContain(CREDENTIAL);
  });

  it('is refused in experience too', async () => {
    const approach = JSON.stringify([{ name: 'vault', type: 'tool', reason: `needs ${CREDENTIAL}` }]);
    const records = { [key('D03')]: memory({ gotchas: `Use ${CREDENTIAL}` }), [key('D04')]: memory({ abandoned_approaches: approach }) };
    const path = written('experience.json', dump(records));
    expect(await bring(test, path)).toMatchObject({ imported: 0, refused: [{ code: 'VALIDATION' }, { code: 'VALIDATION' }] });
    expect(readFileSync(place.in('experience.set-aside.json'), 'utf8')).not.toContain(CREDENTIAL);
  });

  it.each<[string, string, object]>([
    ['a topic', 'the topic looks', { 'topics:suppressed': { _type: 'set', members: [`the token ${UNFORCED}`, 'gossip'] } }],
    [
      'a topic in capital letters',
      'the topic looks',
      { 'topics:suppressed': { _type: 'set', members: [`AK${'IA'}Z7Q4TLWX2BNC5RVM`, 'gossip'] } },
    ],
    [
      'the reason for a topic',
      'the reason for the topic looks',
      {
        'topics:suppressed': { _type: 'set', members: ['vaults', 'gossip'] },
        'meta:suppression_details': { vaults: JSON.stringify({ reason: `it says ${UNFORCED}`, since: '2024-05-03' }) },
      },
    ],
    ['the name of a project', 'the project name looks', { [`mem:project:${UNFORCED}`]: { description: 'x', stack: 'y', goals: 'z' } }],
    ['why a project was set aside', 'reason looks', project({ state: 'deprioritised', deprioritised_reason: UNFORCED })],
    ['a part of a context', 'goals looks', project({ goals: `Use ${UNFORCED}` })],
    ...['project', 'doc_id', 'source_doc_id', 'title', 'source_url', 'licence_note', 'enriched_from', 'deprioritised_reason'].map(
      (field): [string, string, object] => [
        `the field ${field} of a memory`,
        `${field.replace('deprioritised_', '')} looks`,
        { [key('D05')]: memory({ [field]: UNFORCED, licence: 'own' }) },
      ],
    ),
  ])('is refused in %s, which the report names with the way out, and leaves no byte', async (what, said, records) => {
    const name = what.replaceAll(' ', '-');
    const path = written(
      `${name}.json`,
      dump({ ...records, [key(`E${cases++}`)]: memory({ content: `Beside ${what}.`, state: UNFORCED }) }),
    );
    const report = await bring(test, path, { dryRun: true });
    expect(report).toMatchObject({ imported: 1, projects: { imported: 0 } });
    expect(report.refused).toMatchObject([
      { code: 'VALIDATION', why: expect.stringMatching(new RegExp(`^${said}.*; --force imports it`)) },
    ]);
    expect(report.topics.imported + report.topics.existing).toBe('topics:suppressed' in records ? 1 : 0);
    expect(JSON.stringify(report)).not.toContain(UNFORCED.slice(0, 20));
    await bring(test, path);
    expect(readFileSync(place.in(`${name}.set-aside.json`), 'utf8')).not.toContain(UNFORCED.slice(0, 20));
    expect(await keysHolding(test.redis, test.keys, UNFORCED)).toEqual([]);
    expect(await bring(test, path, { dryRun: true, force: true })).toMatchObject({ refused: [] });
  });

  it('in experience that cannot be understood is set aside, and the rest comes in', async () => {
    const odd = [
      ['effort_score', '9'],
      ['outcome', 'fine'],
      ['iterations', 'many'],
      ['abandoned_approaches', '[{"name": "x", "type": "idea", "reason": "y"}]'],
      ['abandoned_approaches', 'not json'],
    ] as const;
    const records = odd.map(([field, value], i) => [key(`F0${i}`), memory({ gotchas: 'mind the gap', [field]: value })]);
    const path = written('odd.json', dump(Object.fromEntries(records)));
    const report = await bring(test, path);
    expect(report).toMatchObject({ imported: odd.length, refused: [] });
    expect(report.set_aside?.what.map(({ what, count }) => [what, count]).sort()).toEqual([
      ['field abandoned_approaches', 2],
      ['field effort_score', 1],
      ['field iterations', 1],
      ['field outcome', 1],
    ]);
    const rows = await allRows(test);
    for (const [i] of odd.entries()) expect(rows.get(key(`F0${i}`))).toMatchObject({ gotchas: 'mind the gap', abandoned_approaches: [] });
  });
});

describe('the side file', () => {
  it('is written before anything is imported, and does not replace a file of somebody else', async () => {
    const path = written('aside.json', dump({ [key('E01')]: memory({ content: 'With a field.', blessed: '1' }) }));
    written('aside.set-aside.json', 'my own notes');
    await expect(bring(test, path)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(bring(test, path, { setAside: place.in('no/such/folder.json') })).rejects.toMatchObject({
      code: 'VALIDATION',
      hint: expect.stringContaining('--set-aside'),
    });
    expect((await allRows(test)).has(key('E01'))).toBe(false);
    expect(readFileSync(place.in('aside.set-aside.json'), 'utf8')).toBe('my own notes');
  });
});
