import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readMarkdown } from '../../../services/transfer/markdown/read.js';
import { readDump } from '../../../services/transfer/omnimem/dump.js';
import { planImport } from '../../../services/transfer/plan.js';
import { readServerMemory } from '../../../services/transfer/server-memory.js';
import { sideFileText } from '../../../services/transfer/side-file.js';
import type { Source } from '../../../services/transfer/source.js';
import { DUMP_FIELDS, ODD_TEXTS } from '../../support/odd-texts.js';

const now = Date.parse('2026-11-30T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'omt-odd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is imported, and what is said of the rest. Nothing may throw, the side file neither. */
const planned = (source: Source) => {
  const plan = planImport(source, { now, force: false });
  sideFileText('odd', plan.setAside, plan.refused);
  return { texts: plan.items.map(({ born }) => born.data.content), refused: plan.refused.map(({ place }) => place) };
};

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 30 }));
const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: oddText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({ toString: 1 }, { valueOf: null, toString: null }, [[[]]], -0, true) },
);

const GOOD = 'mem:episodic:01HZX3V0000000000000000A01';
const good = { content: 'The good one.', state: 'active', created_at: '1716900000' };
const KEYS = [
  'mem:episodic:8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  'mem:episodic:01HZX3V0000000000000000A02',
  'mem:knowledge:01HZX3V0000000000000000A03',
  'mem:preference:ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
  'mem:project:shop',
  'mem:project:',
  'mem:skill:x',
  'topics:suppressed',
  'meta:suppression_details',
  'meta:x',
  '__proto__',
  '',
];
const own = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);
const record = fc.array(fc.tuple(fc.constantFrom(...DUMP_FIELDS), odd), { maxLength: 6 }).map(own);
const set = fc.array(odd, { maxLength: 4 }).map((members) => ({ _type: 'set', members }));
const dumped = (data: object): string => JSON.stringify({ metadata: {}, data });

describe('whatever one record holds', () => {
  it('of a dump, the others are imported', () => {
    const others = fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.oneof({ weight: 4, arbitrary: record }, set, odd)), { maxLength: 4 });
    fc.assert(
      fc.property(others, fc.boolean(), (entries, content) => {
        const data = own([...entries.map(([key, value]) => [key, content && isPlain(value) ? { ...good, ...value } : value] as const)]);
        const { texts } = planned(readDump(dumped({ ...data, [GOOD]: good }), 'odd.json', { now }));
        expect(texts).toContain(good.content);
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['a key whose time is beyond a ULID', '"mem:episodic:8ZZZZZZZZZZZZZZZZZZZZZZZZZ":{"content":"Bad."}', /beyond all that a ULID/],
    ['a field that is nested too deeply', `"mem:episodic:01HZX3V0000000000000000A02":{"content":"Bad.","x":${deep(100_000)}}`, /cannot be/],
    ['a field that stands in it twice', '"mem:episodic:01HZX3V0000000000000000A02":{"content":"One.","content":"Two."}', /content .*twice/],
  ])('of a dump, %s is refused by its key', (_what, json, why) => {
    const source = readDump(`{"metadata":{},"data":{${json},"${GOOD}":${JSON.stringify(good)}}}`, 'odd.json', { now });
    const plan = planImport(source, { now, force: false });
    expect(plan.items.map(({ key }) => key)).toEqual([GOOD]);
    expect(plan.refused).toEqual([{ place: expect.stringMatching(/^mem:episodic:/), code: 'VALIDATION', why: expect.stringMatching(why) }]);
    expect(() => sideFileText('odd', plan.setAside, plan.refused)).not.toThrow();
  });

  it('of a graph, the other lines are imported', () => {
    const names = ['type', 'name', 'entityType', 'observations', 'from', 'to', 'relationType', '__proto__', 'other'];
    const line = fc
      .tuple(fc.constantFrom('entity', 'relation'), fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 6 }))
      .map(([type, entries]) => JSON.stringify(own([['name', 'n'], ['entityType', 't'], ...entries, ['type', type]])));
    const last = '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}';
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            line,
            odd.map((value) => JSON.stringify(value)),
            oddText,
          ),
          { maxLength: 4 },
        ),
        (lines) => {
          const source = readServerMemory([...lines.map((text) => text.replaceAll('\n', ' ')), last].join('\n'), now, { now });
          expect(planned(source).texts).toContain('Ada (person): likes tea');
        },
      ),
      { numRuns: 1_000 },
    );
    const twice = '{"type":"entity","name":"Bob","entityType":"person","observations":["a"],"observations":["b"]}';
    expect(planned(readServerMemory(`${twice}\n${last}`, now, { now }))).toEqual({
      texts: ['Ada (person): likes tea'],
      refused: ['line 1'],
    });
  });

  it('of a vault, the other files are imported', async () => {
    const fields =
      'key tags project namespace licence license licence_note provenance created date updated modified title source_url event_date state reason reinstate_hints chunk_index doc_id effort_score outcome abandoned_approaches suppressed_topics expires_at other'.split(
        ' ',
      );
    const fixed = ['&a [*a]', `${deep(30_000)}`, '!!binary aGk=', '!!set {a, b}', '2024-05-03', '.nan', '{? [a]: b}', '*nowhere', '|'];
    const value = fc.oneof(
      fc.constantFrom(...fixed),
      odd.map((one) => JSON.stringify(one) ?? '~'),
      oddText,
    );
    const front = fc.array(fc.tuple(fc.constantFrom(...fields), value), { minLength: 1, maxLength: 4 });
    writeFileSync(join(folder, 'zz.md'), 'The good note.');
    await fc.assert(
      fc.asyncProperty(front, fc.boolean(), async (entries, ours) => {
        const lines = [...(ours ? ['key: mem:episodic:01HZX3V0000000000000000A09'] : []), ...entries.map((entry) => entry.join(': '))];
        writeFileSync(join(folder, 'odd.md'), `---\n${lines.join('\n')}\n---\nOdd.`);
        expect(planned(await readMarkdown(folder, { now, split: 'headings' })).texts).toContain('The good note.');
      }),
      { numRuns: 300 },
    );
    writeFileSync(join(folder, 'odd.md'), '---\na: &a [*a]\n---\nOdd.');
    expect(planned(await readMarkdown(folder, { now, split: 'headings' }))).toEqual({ texts: ['The good note.'], refused: ['odd.md'] });
  });
});

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

describe('a key that stands twice in a dump', () => {
  it('has its last record taken, and each other refused by its name and set aside', () => {
    const text = `{"metadata":{},"data":{"${GOOD}":{"content":"First \\" { \\\\","tags":"[]"},
      "mem:episodic:01HZX3V0000000000000000A02" : {"content":"Alone."}, "${GOOD.replace('e', '\\u0065')}": {"content":"Second."} ,"${GOOD}":${JSON.stringify(good)}}}`;
    const plan = planImport(readDump(text, 'odd.json', { now }), { now, force: false });
    expect(plan.items.map(({ born }) => born.data.content)).toEqual([good.content, 'Alone.']);
    const refusal = { place: GOOD, code: 'CONFLICT', why: expect.stringContaining('again') };
    expect(plan.refused).toEqual([refusal, refusal]);
    const { data } = JSON.parse(sideFileText('odd', plan.setAside, plan.refused));
    expect(data).toEqual({ [`${GOOD} (1)`]: { content: 'First " { \\', tags: '[]' }, [`${GOOD} (2)`]: { content: 'Second.' } });
  });

  it('is no key of two records, and none within a value', () => {
    const text = dumped({ [GOOD]: { ...good, other: { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] } } });
    expect(planImport(readDump(text, 'odd.json', { now }), { now, force: false }).refused).toEqual([]);
    expect(() => readDump('{"metadata":{},"data":{},"data":{}}', 'odd.json', { now })).toThrow(/data twice/);
  });
});
