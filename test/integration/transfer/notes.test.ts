import { cpSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryRow } from '../../../projections/memories.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { allRows, bring, fixture, folder, importedEvents } from './support.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const holding = async (text: string): Promise<readonly MemoryRow[]> =>
  [...(await allRows(test)).values()].filter(({ content }) => content.includes(text));

describe('import of the server-memory file', () => {
  it('makes a memory of each observation, relation and bare entity, that can be understood alone', async () => {
    const report = await bring(test, fixture('memory.jsonl'), { project: 'lock' });
    expect(report).toMatchObject({ status: 'imported', from: 'server-memory', imported: 4, refused: [] });
    const rows = [...(await allRows(test)).values()].filter(({ project }) => project === 'lock');
    expect(rows.map(({ content, tags }) => [content, tags]).sort()).toEqual([
      ['Ines_Halvorsen (person): Prefers radio over chat', ['Ines_Halvorsen', 'person']],
      ['Ines_Halvorsen (person): Runs the night shift at the lock', ['Ines_Halvorsen', 'person']],
      ['Ines_Halvorsen operates Lock 4', ['Ines_Halvorsen', 'Lock 4', 'operates']],
      ['Lock 4 (place)', ['Lock 4', 'place']],
    ]);
  });

  it('is the same memories whenever the file was written, and does not bring back what was forgotten', async () => {
    using place = folder();
    const [gone] = await holding('Prefers radio');
    const preview = await test.app.commands.forget({ key_or_query: gone?.key }, test.call);
    if (preview.status !== 'preview') throw new Error(preview.status);
    await test.app.commands.forget({ preview_id: preview.preview_id, confirm: true }, test.call);
    const events = await importedEvents(test);
    writeFileSync(place.in('copy.jsonl'), `${readFileSync(fixture('memory.jsonl'), 'utf8')}\n`);
    utimesSync(place.in('copy.jsonl'), 1_000_000, 1_000_000);
    expect(await bring(test, place.in('copy.jsonl'), { project: 'lock' })).toMatchObject({
      status: 'unchanged',
      existing: 3,
      forgotten: [gone?.key],
    });
    expect(await importedEvents(test)).toEqual(events);
  });

  it('names a broken line in the middle and takes the others', async () => {
    using place = folder();
    const lines = [
      '{"type":"entity","name":"Pilot","entityType":"boat","observations":["Draws 2 m"],"colour":"red"}',
      '{"type":"entity","name":"Tug","entityTy',
      '[1]',
      '{"type":"relation","from":"Pilot","to":"Tug"}',
      '{"type":"relation","from":"Pilot","to":"Tug","relationType":"follows"}',
    ];
    writeFileSync(place.in('graph.jsonl'), lines.join('\r\n'));
    const report = await bring(test, place.in('graph.jsonl'));
    expect(report).toMatchObject({ status: 'imported', imported: 2 });
    expect(report.refused.map(({ place, why }) => [place, why])).toEqual([
      ['line 2', 'The line is no JSON'],
      ['line 3', 'The line is neither an entity nor a relation'],
      ['line 4', 'The line has no relationType'],
    ]);
    const { data } = JSON.parse(readFileSync(place.in('graph.set-aside.json'), 'utf8'));
    expect(data).toEqual({
      'line 1': { colour: 'red' },
      ...Object.fromEntries([2, 3, 4].map((n) => [`line ${n}`, { line: `${lines[n - 1]}\r` }])),
    });
  });
});

describe('import of a folder of Markdown', () => {
  it('makes a memory of each section, with what the front matter says, and loses no line', async () => {
    using place = folder();
    cpSync(fixture('notes'), place.in('notes'), { recursive: true });
    mkdirSync(place.in('notes/node_modules'));
    writeFileSync(place.in('notes/node_modules/README.md'), 'somebody else');
    symlinkSync('/etc/hostname', place.in('notes/link.md'));
    const report = await bring(test, place.in('notes'), { project: 'fallback' });
    expect(report).toMatchObject({ status: 'imported', from: 'markdown', imported: 4, refused: [] });
    expect(report.notes).toEqual(['1 file that is no Markdown passed over.', '1 symbolic link not followed.']);
    const [commands] = await holding('make crane');
    const [rules] = await holding('Never restart');
    expect(commands).toMatchObject({
      content: '# Harbour\n\n## Commands\n\nBuild with `make crane`.\n\n```sh\n# not a heading\nmake test\n```',
      title: 'CLAUDE.md > Harbour > Commands',
      project: 'fallback',
      chunk_index: 0,
    });
    expect(rules).toMatchObject({
      content: '## Rules\n\n- Never restart the crane during a lift.\n\n## Open',
      title: 'CLAUDE.md > Harbour > Rules',
      chunk_index: 1,
    });
    expect(rules?.doc_id).toBe(commands?.doc_id);
    expect((await holding('High water'))[0]).toMatchObject({
      content: 'High water at 14:20.\r\nThe gauge reads 3 cm low.',
      tags: ['tides', 'journal'],
      project: 'harbour',
      licence: 'open',
      licence_note: 'CC BY 4.0',
      provenance: 'asserted',
      created_at: '2024-05-03T06:00:00.000Z',
      title: 'journal/2024-05-03.md',
      doc_id: undefined,
    });
    expect(await holding('Name berths by number')).toHaveLength(1);
    expect(await holding('somebody else')).toEqual([]);
    const { data } = JSON.parse(readFileSync(place.in('notes.set-aside.json'), 'utf8'));
    expect(data).toEqual({ 'journal/2024-05-03.md': { mood: 'calm', state: 'draft' } });
  });

  it('changes nothing the second time, wherever the folder is and whenever it was copied', async () => {
    using place = folder();
    cpSync(fixture('notes'), place.in('elsewhere'), { recursive: true });
    const events = await importedEvents(test);
    expect(await bring(test, place.in('elsewhere'), { project: 'fallback' })).toMatchObject({ status: 'unchanged', existing: 4 });
    expect(await importedEvents(test)).toEqual(events);
  });

  it('takes files whole when asked, and only the section that changed the next time', async () => {
    using place = folder();
    writeFileSync(place.in('a.md'), '# One\nfirst whole\n# Two\nsecond whole\n');
    expect(await bring(test, place.in('a.md'), { split: 'files' })).toMatchObject({ imported: 1 });
    expect((await holding('first whole'))[0]?.content).toBe('# One\nfirst whole\n# Two\nsecond whole');
    writeFileSync(place.in('b.md'), '# One\nfirst part\n# Two\nsecond part\n');
    expect(await bring(test, place.in('b.md'))).toMatchObject({ imported: 2 });
    writeFileSync(place.in('b.md'), '# One\nfirst part\n# Two\nsecond part, changed\n');
    expect(await bring(test, place.in('b.md'))).toMatchObject({ imported: 1, existing: 1 });
  });

  it('cuts a section of 60 KB into parts of one document, in order, and loses nothing', async () => {
    using place = folder();
    const long = Array.from({ length: 1_200 }, (_, i) => `Paragraph ${i} of the long tale of the lighthouse.`).join('\n\n');
    writeFileSync(place.in('long.md'), long);
    expect(await bring(test, place.in('long.md'))).toMatchObject({ imported: 2, refused: [] });
    const rows = [...(await holding('the long tale'))].sort((a, b) => (a.chunk_index ?? 0) - (b.chunk_index ?? 0));
    expect(rows.map(({ content }) => content).join('')).toBe(long);
    expect(new Set(rows.map(({ doc_id }) => doc_id)).size).toBe(1);
  });

  it('takes a file whatever it is called, and headings whatever is in them', async () => {
    using place = folder();
    mkdirSync(place.in('odd'));
    writeFileSync(place.in('odd/two\nlines\u2028of\u0007name.md'), '# Tab\there\u0085\nThe ferry has two names.\n');
    writeFileSync(place.in('odd/block.md'), '---\ntitle: |\n  Ferry\n  lines\n---\nThe ferry has a title of two lines.\n');
    writeFileSync(Buffer.concat([Buffer.from(place.in('odd/caf')), Buffer.from([0xe9]), Buffer.from('.md')]), 'The ferry has a cafe.\n');
    const report = await bring(test, place.in('odd'));
    expect(report).toMatchObject({ imported: 2, notes: [] });
    expect(report.set_aside).toBeUndefined();
    expect(report.refused).toEqual([{ place: 'caf\ufffd.md', code: 'VALIDATION', why: expect.stringContaining('not UTF-8') }]);
    expect((await holding('two names'))[0]?.title).toBe('two\\u000alines\\u2028of\\u0007name.md > Tab here');
    expect((await holding('a title of two lines'))[0]?.title).toBe('Ferry lines');
    const single = await bring(test, place.in('odd/two\nlines\u2028of\u0007name.md'), { project: 'ferry' });
    expect(single).toMatchObject({ imported: 1, refused: [] });
  });

  it('keeps when a note was last changed, and takes it for its birth where it names no other', async () => {
    using place = folder();
    mkdirSync(place.in('dated'));
    writeFileSync(place.in('dated/a.md'), '---\ncreated: 2024-05-03\nmodified: 2024-06-07\n---\nThe buoy was painted.\n');
    writeFileSync(place.in('dated/b.md'), '---\nupdated: 2024-06-08\n---\nThe buoy was moved.\n');
    writeFileSync(place.in('dated/.gitattributes'), '*.md -text\n');
    const report = await bring(test, place.in('dated'));
    expect(report).toMatchObject({ imported: 2, notes: [] });
    expect(report.set_aside).toBeUndefined();
    const [created_at, updated_at] = ['2024-05-03T00:00:00.000Z', '2024-06-07T00:00:00.000Z'];
    expect((await holding('buoy was painted'))[0]).toMatchObject({ created_at, updated_at });
    const moved = '2024-06-08T00:00:00.000Z';
    expect((await holding('buoy was moved'))[0]).toMatchObject({ created_at: moved, updated_at: moved });
  });

  it('says which text is here already, or stands there twice', async () => {
    using place = folder();
    const stored = await test.app.commands.remember({ content: 'The pilot boat is moored at berth nine.' }, test.call);
    expect(stored.status).toBe('stored');
    mkdirSync(place.in('n'));
    writeFileSync(place.in('n/a.md'), 'The pilot boat is moored at  berth NINE.\n');
    writeFileSync(place.in('n/b.md'), 'Twice told.\n');
    writeFileSync(place.in('n/c.md'), 'twice told.\n');
    expect(await bring(test, place.in('n'))).toMatchObject({ imported: 1, known_texts: 1, repeated: ['c.md, line 1'] });
  });
});
