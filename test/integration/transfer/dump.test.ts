import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportTo } from '../../../services/transfer/export/export.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { allRows, bring, fixture, folder, importedEvents } from './support.js';

const DUMP = fixture('omnimem-6.6.json');
const key = (namespace: string, end: string): string => `mem:${namespace}:01HZX3V0000000000000000${end}`;

describe('import of an OmniMem 6.x dump', () => {
  let test: TestApp;
  const aside = folder();
  const setAside = aside.in('aside.json');
  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
    aside[Symbol.dispose]();
  });

  it('says in a dry run what would happen, and writes nothing', async () => {
    const report = await bring(test, DUMP, { dryRun: true, setAside });
    expect(report).toMatchObject({ status: 'dry_run', memories: 9, imported: 9, topics: { imported: 2 }, projects: { imported: 1 } });
    expect(await importedEvents(test)).toEqual([]);
    expect(() => statSync(setAside)).toThrow();
  });

  it('maps every namespace, state, time and right, and tells what it did', async () => {
    const report = await bring(test, DUMP, { setAside });
    expect(report).toMatchObject({
      status: 'imported',
      from: 'omnimem',
      imported: 9,
      imported_by_namespace: { episodic: 5, project: 1, preference: 1, knowledge: 2 },
      projects: { imported: 1, existing: 0 },
      refused: [],
      dropped: [
        { what: 'recall log', count: 1 },
        { what: 'tool figure', count: 1 },
      ],
    });
    const rows = await allRows(test);
    expect(rows.size).toBe(9 + 1);
    expect(rows.get('mem:project:harbour')).toMatchObject({
      updated_at: '2024-05-27T08:53:20.000Z',
      licence: 'own',
      provenance: 'asserted',
    });
    expect(rows.get(key('episodic', 'A01'))).toMatchObject({
      content: 'The harbour crane controller speaks Modbus on unit 17.\r\nIts watchdog is 900 ms.',
      state: 'active',
      tags: ['crane', 'modbus'],
      project: 'harbour',
      created_at: '2024-05-28T12:40:00.123Z',
      licence: 'own',
      provenance: 'asserted',
      mode: 'raw',
      updated_at: '2024-05-29T13:40:00.500Z',
      effort_score: 5,
      outcome: 'succeeded',
      iterations: 3,
      breakthrough: 'Writing the watchdog register first.',
      gotchas: 'Unit ids count from 1.',
      abandoned_approaches: [
        { name: 'polling loop', type: 'approach', reason: 'starved the watchdog', attempted_at: '2024-05-29T13:40:00.500Z' },
      ],
    });
    expect(rows.get(key('episodic', 'A02'))).toMatchObject({
      content: '  Use basalt ballast on the outer berth 🚢 مرحبا\n',
      state: 'deprioritised',
      deprioritised_reason: 'granite since May',
      reinstate_hints: ['ballast', 'outer berth'],
      created_at: '2024-05-28T12:41:40.000Z',
      updated_at: '2024-05-29T16:26:39.250Z',
      provenance: 'concluded',
    });
    expect(rows.get(key('episodic', 'A03'))).toMatchObject({ state: 'archived', updated_at: '2024-05-28T12:45:00.000Z' });
    expect(rows.get(key('episodic', 'D02'))).toMatchObject({ chunk_index: 2, chunk_strategy: 'paragraphs', licence_note: 'OGL v3.0' });
    expect(rows.get(key('project', 'B01'))).toMatchObject({ namespace: 'project', project: 'harbour', licence: 'own' });
    expect(rows.get(key('preference', 'C01'))).toMatchObject({ provenance: 'asserted', project: undefined });
    expect(rows.get(key('knowledge', 'E01'))).toMatchObject({
      licence: 'open',
      licence_note: 'OGL v3.0',
      provenance: 'concluded',
      enriched_from: key('episodic', 'D01'),
      event_date: '2024-05-03T00:00:00.000Z',
      base_surface: 0.5,
    });
    expect(rows.get(key('knowledge', 'E02'))).toMatchObject({ licence: 'unknown', provenance: 'concluded' });
    const events = await importedEvents(test);
    expect(events).toHaveLength(9 + 2 + 2 + 1 + 2);
    expect(new Set(events.map(({ envelope }) => envelope.correlation))).toEqual(new Set([report.correlation]));
  });

  it('sets aside what has no place yet, whole, in a file of its own', () => {
    const { data, why } = JSON.parse(readFileSync(setAside, 'utf8'));
    const { data: source } = JSON.parse(readFileSync(DUMP, 'utf8'));
    for (const whole of ['mem:knowledge:0123456789abcdef', 'mem:skill:gen:harbour-local', 'meta:feed:influence'])
      expect(data[whole]).toEqual(source[whole]);
    const { recall_count, last_recalled } = source[key('episodic', 'A01')];
    expect(data[key('episodic', 'A01')]).toEqual({ recall_count, last_recalled });
    expect(Object.keys(data[key('knowledge', 'E02')]).sort()).toEqual(['imported_at', 'promoted_at', 'skill_domains']);
    expect(why['meta:feed:influence']).toEqual({ 'feed influence': expect.stringContaining('no events') });
    expect(data['mem:project:harbour']).toBeUndefined();
    expect(statSync(setAside).mode & 0o777).toBe(0o600);
  });

  it('accounts for every field of every record', async () => {
    const { data: source } = JSON.parse(readFileSync(DUMP, 'utf8')) as { data: Record<string, Record<string, string>> };
    const { data: kept } = JSON.parse(readFileSync(setAside, 'utf8')) as { data: Record<string, Record<string, string>> };
    const rows = await allRows(test);
    const derived = new Set(['surface_score', 'experience_weight', 'project_name', 'created_at', 'updated_at', 'state', 'event_date']);
    for (const [name, fields] of Object.entries(source)) {
      const row = rows.get(name) as Record<string, unknown> | undefined;
      if (!row) continue;
      for (const [field, value] of Object.entries(fields)) {
        if (kept[name]?.[field] !== undefined || derived.has(field)) continue;
        // The text of a context is made of its parts.
        if (row.context !== undefined && field === 'content') continue;
        const stored = (row.context as Record<string, unknown> | undefined)?.[field] ?? row[field];
        // A dead end that had no time has one here.
        if (Array.isArray(stored)) expect([field, stored]).toMatchObject([field, JSON.parse(value)]);
        else expect([field, String(stored)]).toEqual([field, value]);
      }
    }
  });

  it('sets the contexts of projects, with the kinds of work that their stack names', async () => {
    expect(await test.app.queries.getProjectContext({ project_name: 'harbour' }, test.call)).toMatchObject({
      status: 'found',
      description: 'Crane control',
      stack: 'rust, modbus',
      goals: 'safe lifts',
      current_state: 'commissioning',
      domains: ['rust', 'modbus'],
    });
    const { results } = await test.app.queries.recall({ query: 'crane watchdog Modbus', domain_filter: ['modbus'] }, test.call);
    expect(results.map((found) => found.key)).toContain(key('episodic', 'A01'));
  });

  it('warns of what was given up there, and weighs the memory by its experience', async () => {
    expect(await test.app.queries.warnIfAbandoned({ query: 'use a polling loop?' }, test.call)).toMatchObject({
      status: 'warning',
      matches: [{ memory_key: key('episodic', 'A01'), effort_score: 5, project: 'harbour', reason: 'starved the watchdog' }],
    });
    const { results } = await test.app.queries.recall({ query: 'crane watchdog Modbus', score_breakdown: true }, test.call);
    expect(results[0]).toMatchObject({ key: key('episodic', 'A01'), effort_score: 5, score_breakdown: { experience: 1.8 } });
  });

  it('is found by recall, and suppresses the topics', async () => {
    const { results } = await test.app.queries.recall({ query: 'crane watchdog Modbus' }, test.call);
    expect(results[0]?.key).toBe(key('episodic', 'A01'));
    expect((await test.app.queries.listSuppressions({}, test.call)).suppressed_topics).toEqual(['kubernetes', 'old crm']);
  });

  it('changes nothing the second time, and says so', async () => {
    const [events, before] = [await importedEvents(test), readFileSync(setAside, 'utf8')];
    const report = await bring(test, DUMP, { setAside });
    expect(report).toMatchObject({
      status: 'unchanged',
      imported: 0,
      existing: 9,
      differing: [],
      topics: { imported: 0, existing: 2 },
      projects: { imported: 0, existing: 1 },
    });
    expect(report.correlation).toBeUndefined();
    expect(await importedEvents(test)).toEqual(events);
    expect(readFileSync(setAside, 'utf8')).toBe(before);
  });

  it('leaves alone what was changed, forgotten or let back in here since', async () => {
    const { commands } = test.app;
    await commands.revise({ key: key('episodic', 'A01'), content: 'The controller speaks CAN.' }, test.call);
    await commands.unsuppressTopic({ topic: 'kubernetes' }, test.call);
    for (const input of [{ key_or_query: key('episodic', 'D01') }, { key_or_query: key('episodic', 'A03') }, { topic: 'old crm' }]) {
      const preview = await commands.forget(input, test.call);
      if (preview.status !== 'preview') throw new Error(preview.status);
      await commands.forget({ preview_id: preview.preview_id, confirm: true }, test.call);
    }
    const events = await importedEvents(test);
    const report = await bring(test, DUMP, { setAside });
    expect(report).toMatchObject({ status: 'unchanged', differing: [key('episodic', 'A01')], topics: { imported: 0, existing: 2 } });
    expect([...report.forgotten].sort()).toEqual([key('episodic', 'A03'), key('episodic', 'D01'), key('knowledge', 'E01')]);
    expect(await importedEvents(test)).toHaveLength(events.length);
    expect((await test.app.queries.listSuppressions({}, test.call)).suppressed_topics).toEqual([]);
  });

  it('does not bring a fact whose source was forgotten here before the fact ever was', async () => {
    using place = folder();
    const { data, metadata } = JSON.parse(readFileSync(DUMP, 'utf8'));
    const fact = data[key('knowledge', 'E01')];
    writeFileSync(place.in('fact.json'), JSON.stringify({ metadata, data: { [key('knowledge', 'F01')]: fact } }));
    expect(await bring(test, place.in('fact.json'))).toMatchObject({ status: 'unchanged', forgotten: [key('knowledge', 'F01')] });
  });
});

describe('project contexts of a dump', () => {
  it('keep what they declare, what they are set aside for and what is recorded here, and stay deleted', async () => {
    using place = folder();
    const test = await openTestApp();
    const { commands, queries } = test.app;
    const { metadata } = JSON.parse(readFileSync(DUMP, 'utf8'));
    const record = (fields: object) => ({
      description: 'Of the harbour.',
      stack: 'go, htmx',
      created_at: '1716800000',
      state: 'active',
      ...fields,
    });
    const data = {
      'mem:project:declared': record({ domains: 'rust,k8s', notes: 'Mind the tide.' }),
      'mem:project:aside': record({ state: 'deprioritised', deprioritised_reason: 'sold' }),
      'mem:project:plain': record({ stack: 'a custom app' }),
      'mem:project:here': record({}),
      'mem:project:gone': record({}),
      'mem:project:leaky': record({ goals: `rotate AKIA${'Q2W3E4R5T6Y7U8I9'}` }),
    };
    const set = { description: 'Ours.', stack: 'c', goals: '', current_state: '' };
    await commands.setProjectContext({ project_name: 'here', ...set }, test.call);
    await commands.setProjectContext({ project_name: 'gone', ...set }, test.call);
    await commands.setProjectContext({ project_name: 'undeclared', ...set, stack: 'node' }, test.call);
    await commands.deleteProject({ project_name: 'gone', confirm: true, include_context: true }, test.call);
    writeFileSync(place.in('contexts.json'), JSON.stringify({ metadata, data }));
    const report = await bring(test, place.in('contexts.json'));
    expect(report).toMatchObject({ status: 'imported', projects: { imported: 3, existing: 2 }, refused: [{ place: 'mem:project:leaky' }] });
    const read = (project_name: string) => queries.getProjectContext({ project_name }, test.call);
    expect(await read('declared')).toMatchObject({ domains: ['rust', 'kubernetes'], notes: 'Mind the tide.' });
    expect(await read('aside')).toMatchObject({ state: 'deprioritised', deprioritised_reason: 'sold', domains: ['go', 'htmx'] });
    expect(await read('plain')).toMatchObject({ domains: [] });
    expect(await read('here')).toMatchObject({ description: 'Ours.' });
    expect(await read('gone')).toMatchObject({ status: 'not_found' });
    await test.verifyAll();

    const other = await openTestApp({ valkey: test.valkey });
    await exportTo(test, { format: 'json', to: place.in('out.json') });
    expect(await bring(other, place.in('out.json'))).toMatchObject({ status: 'imported', projects: { imported: 5 }, refused: [] });
    const { metadata: told, data: out } = JSON.parse(readFileSync(place.in('out.json'), 'utf8'));
    expect([told.domains, out['mem:project:plain'].domains, out['mem:project:undeclared'].domains]).toEqual([
      'as declared',
      '[]',
      undefined,
    ]);
    for (const project_name of ['declared', 'aside', 'plain', 'undeclared']) {
      expect(await other.app.queries.getProjectContext({ project_name }, test.call)).toEqual({
        ...(await read(project_name)),
        version: expect.any(Number),
      });
    }
    const vault = place.in('vault');
    expect(await exportTo(test, { format: 'markdown', to: vault })).toMatchObject({ memories: 0, projects: 0 });
    expect(await bring(other, vault)).toMatchObject({ refused: [] });
    await other.end();
    await test.end();
  });
});

describe('an import that was not wanted', () => {
  it('is taken back by its correlation', async () => {
    using place = folder();
    const test = await openTestApp();
    const { correlation = '' } = await bring(test, DUMP, { setAside: place.in('aside.json') });
    expect(await test.app.commands.undo({ correlation }, test.call)).toMatchObject({ status: 'undone', kept: [] });
    expect([...(await allRows(test)).values()].map(({ state }) => state)).toEqual(Array(9).fill('archived'));
    expect(await test.app.queries.getProjectContext({ project_name: 'harbour' }, test.call)).toMatchObject({ status: 'not_found' });
    expect((await test.app.queries.listSuppressions({}, test.call)).suppressed_topics).toEqual([]);
    await test.verifyAll();
    await test.end();
  });
});
