import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ExportFormat, exportText, exportTo } from '../../../services/transfer/export/export.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';
import { allRows, bring, folder, portable } from './support.js';

const TEXTS = [
  'Line one\r\nline two\r\n',
  '  a leading blank and a trailing newline\n',
  'مرحبا بالعالم \u200f(right to left)',
  'A ship 🚢 and a family 👨‍👩‍👧',
  '---\ntitle: not front matter\n---\n# heading\n```\ncode\n```',
  'tab\tand a lone\rcarriage return',
  'quotes " \' and \\ and {{ braces }} : # & * ! | > %',
  'key: value\n- list\n\u0085next line \u2028 separator',
  '\ufeffbegins with a byte order mark',
  'Ünïcödé, NFC é and NFD é',
  'x'.repeat(50_000),
];

const DEAD_END = { name: 'pg-boss: "v9"', type: 'library', reason: 'lost jobs\non failover' } as const;

describe.each(['json', 'markdown'] satisfies ExportFormat[])('export as %s', (format) => {
  let valkey: TestValkey;
  let test: TestApp;
  let other: TestApp;
  const place = folder();
  const out = place.in(format === 'json' ? 'out.json' : 'vault');

  beforeAll(async () => {
    valkey = await startValkey();
    test = await openTestApp({ valkey });
    other = await openTestApp({ valkey });
    const keys: string[] = [];
    const options = [
      { tags: ['two words', 'a, b', '"quoted"'], project: 'My-Project 1.0' },
      { namespace: 'preference' as const },
      { namespace: 'knowledge' as const, licence: 'cc-by-nc', mode: 'raw' as const },
      { namespace: 'project' as const, project: 'harbour', licence: 'restricted', licence_note: "Crown's “own” note: #1" },
      { event_date: '2024-05-03T01:02:03.004Z', provenance: 'asserted' },
    ];
    for (const [i, content] of TEXTS.entries()) {
      const stored = await test.app.commands.remember({ content, force: true, ...options[i % options.length] }, test.call);
      if (stored.status === 'stored') keys.push(stored.key);
    }
    const [a = '', b = '', c = '', d = ''] = keys;
    const hints = ['ballast', 'a: "colon" hint', 'مرحبا'];
    await test.app.commands.deprioritise({ key_or_query: a, reason: 'old:\nsince "May"', reinstate_hints: hints }, test.call);
    await test.app.commands.deprioritise({ key_or_query: b, reason: 'was low', reinstate_hints: hints }, test.call);
    await test.app.commands.reinstate({ key_or_query: b }, test.call);
    await test.app.commands.archive({ key_or_query: c, reason: 'done' }, test.call);
    await test.app.commands.deprioritise({ key_or_query: d, reason: 'low', reinstate_hints: hints }, test.call);
    await test.app.commands.archive({ key_or_query: d }, test.call);
    await test.app.commands.rememberDocument({ content: 'Part one of it.\n\nPart two of it.', project: 'harbour' }, test.call);
    const experience = {
      effort_score: 4,
      outcome: 'succeeded',
      iterations: 3,
      breakthrough: 'a "pool":\nof one',
      gotchas: '# not a heading',
    } as const;
    await test.app.commands.recordExperience({ key: a, ...experience, abandoned_approaches: [DEAD_END] }, test.call);
    await test.app.commands.recordExperience({ key: c, effort_score: 1, outcome: 'pivoted' }, test.call);
    await test.app.commands.logAbandoned({ key: b, ...DEAD_END }, test.call);
    await test.app.commands.logAbandoned({ key: b, ...DEAD_END, name: '消息队列', reason: 'مرحبا' }, test.call);
    await test.app.commands.suppressTopic({ topic: 'old crm', reason: 'it: is gone' }, test.call);
    await test.app.commands.suppressTopic({ topic: '#1 topic' }, test.call);
  });
  afterAll(async () => {
    await other.verifyAll();
    await Promise.all([test.end(), other.end()]);
    await valkey.stop();
    place[Symbol.dispose]();
  });

  it('imports back equal, field by field', async () => {
    expect(await exportTo(test, { format, to: out })).toMatchObject({ memories: TEXTS.length + 2, topics: 2 });
    const report = await bring(other, out);
    expect(report).toMatchObject({ status: 'imported', imported: TEXTS.length + 2, refused: [], repeated: [], topics: { imported: 2 } });
    expect(report.set_aside).toBeUndefined();
    expect(portable(await allRows(other))).toEqual(portable(await allRows(test)));
    const asked = { query: 'should we use pg-boss: "v9"' };
    const warned = await test.app.queries.warnIfAbandoned(asked, test.call);
    expect(warned).toMatchObject({ status: 'warning', total: 2 });
    expect(await other.app.queries.warnIfAbandoned(asked, test.call)).toEqual(warned);
    const summary = ({ app }: TestApp) => vi.waitFor(() => app.queries.experienceSummary({}, test.call), { timeout: 30_000 });
    expect(await summary(other)).toEqual(await summary(test));
    expect(await other.app.queries.listSuppressions({}, test.call)).toEqual(await test.app.queries.listSuppressions({}, test.call));
  });

  it('gives the same export again, and importing it changes nothing', async () => {
    const again = `${out}.2`;
    await exportTo(other, { format, to: again });
    expect(textsIn(again)).toEqual(textsIn(out));
    expect(await bring(other, again)).toMatchObject({ status: 'unchanged', imported: 0, existing: TEXTS.length + 2 });
    expect(await bring(test, out)).toMatchObject({ status: 'unchanged', existing: TEXTS.length + 2, differing: [] });
  });

  it('does not write over what is there', async () => {
    const before = textsIn(out);
    await expect(exportTo(test, { format, to: out })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(textsIn(out)).toEqual(before);
    expect(readdirSync(place.path).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});

/** Texts by name, without the moment of the export. */
const textsIn = (path: string): Readonly<Record<string, string>> => {
  try {
    const names = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = names.map((entry) => [
      `${entry.parentPath.slice(path.length)}/${entry.name}`,
      readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'),
    ]);
    return Object.fromEntries(files.map(([name = '', text = '']) => [name, name.includes('suppressed') ? '' : text]));
  } catch {
    const { data } = JSON.parse(readFileSync(path, 'utf8'));
    return { data: JSON.stringify({ ...data, 'meta:suppression_details': undefined }) };
  }
};

describe('an export to standard output', () => {
  it('is a dump with true figures, of a store that holds nothing too', async () => {
    using place = folder();
    const test = await openTestApp();
    expect(JSON.parse(await exportText(test, {}))).toMatchObject({ data: {}, metadata: { total_keys: 0 } });
    await test.app.commands.remember({ content: 'The quay is 400 m long.', namespace: 'knowledge' }, test.call);
    const text = await exportText(test, { now: () => Date.UTC(2026, 4, 3) });
    expect(JSON.parse(text).metadata).toMatchObject({
      exported_at: '2026-05-03T00:00:00.000Z',
      total_keys: 1,
      namespaces: { episodic: 0, knowledge: 1, skill: 0 },
    });
    writeFileSync(place.in('out.json'), text);
    expect(await bring(test, place.in('out.json'))).toMatchObject({ status: 'unchanged', existing: 1 });
    await test.end();
  });
});
