import { readdirSync, readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryKey } from '../../../domain/memory/key.js';
import type { RememberInput } from '../../../services/api.js';
import { type ExportFormat, exportTo } from '../../../services/transfer/export/export.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';
import { allRows, bring, folder, portable } from './support.js';

const HOUR = 3_600_000;

/** A store on which every command that changes something was used, an hour apart. */
const changed = async (test: TestApp, pass: (ms: number) => string): Promise<void> => {
  const { commands, queries } = test.app;
  const { call } = test;
  const remember = async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
    pass(HOUR);
    const stored = await commands.remember({ content, force: true, ...more }, call);
    if (stored.status !== 'stored') throw new Error(stored.status);
    return stored.key;
  };
  const lastAction = async (key: string): Promise<string> => {
    const told = await queries.explainMemory({ key }, call);
    return (told.status === 'not_found' ? undefined : told.timeline.at(-1)?.correlation) ?? '';
  };
  const DEAD_END = { name: 'paper tape', type: 'library', reason: 'it tore' } as const;
  const later = <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    pass(HOUR);
    return act();
  };
  const revise = (key: string, content: string) => later(() => commands.revise({ key, content }, call));
  const retag = (key: string, ...add: string[]) => later(() => commands.retag({ key, add }, call));
  const setAside = (key: string, ...reinstate_hints: string[]) =>
    later(() => commands.deprioritise({ key_or_query: key, reason: 'low', reinstate_hints }, call));
  const archive = (key: string, reason?: string) => later(() => commands.archive({ key_or_query: key, reason }, call));
  const reinstate = (key: string) => later(() => commands.reinstate({ key_or_query: key }, call));
  const undoLast = async (key: string) => {
    const correlation = await lastAction(key);
    return later(() => commands.undo({ correlation }, call));
  };

  await remember('never touched again');
  await revise(await remember('the first wording', { project: 'quay' }), 'the second wording');
  await revise(await remember('a rule of old', { namespace: 'preference', project: 'quay' }), 'a rule of now');
  await revise(await remember('a fact of old', { namespace: 'knowledge' }), 'a fact of now');
  await retag(await remember('tagged later', { namespace: 'project', project: 'quay' }), 'late', 'later');
  const classified = await remember('classified, then revised', { namespace: 'knowledge' });
  await commands.setLicence({ keys: [classified], licence: 'restricted', licence_note: 'by contract' }, call);
  await commands.setProvenance({ keys: [classified], provenance: 'asserted' }, call);
  await retag(classified, 'licensed');
  await setAside(await remember('set aside'), 'ballast');
  await archive(await remember('archived'), 'done');
  const both = await remember('set aside, then archived');
  await setAside(both, 'keel');
  await archive(both);
  const back = await remember('set aside and brought back');
  await setAside(back, 'rudder');
  await reinstate(back);
  const hard = await remember('hard work, retagged after it', { project: 'quay' });
  pass(HOUR);
  await commands.recordExperience({ key: hard, effort_score: 4, outcome: 'succeeded', breakthrough: 'a wider slot' }, call);
  await retag(hard, 'crane');
  const lifted = await remember('a dead end that was lifted', { project: 'quay' });
  pass(HOUR);
  await commands.logAbandoned({ key: lifted, ...DEAD_END }, call);
  pass(HOUR);
  await commands.liftDeadEnd({ key: lifted, ...DEAD_END, reason: 'it holds again' }, call);
  await commands.logAbandoned({ key: await remember('a dead end that stands', { project: 'quay' }), ...DEAD_END, name: 'wax' }, call);
  const undone = await remember('revised and taken back');
  await revise(undone, 'a wording nobody wanted');
  await undoLast(undone);
  const expiry = { namespace: 'knowledge' as const, expires_at: new Date(Date.parse(pass(0)) + 12 * HOUR).toISOString() };
  const expired = await remember('expired, archived, and that taken back', expiry);
  await setAside(expired, 'anchor');
  await reinstate(expired);
  pass(24 * HOUR);
  await archive(expired);
  await undoLast(expired);
  const wanted = await remember('expired and brought back', {
    ...expiry,
    expires_at: new Date(Date.parse(pass(0)) + 2 * HOUR).toISOString(),
  });
  pass(24 * HOUR);
  await archive(wanted);
  await reinstate(wanted);
  pass(HOUR);
  const { keys } = await commands.rememberDocument({ content: 'Part one of it.\n\nPart two of it.', project: 'harbour' }, call);
  await revise(keys[0] ?? '', 'Part one, mended.');
  const fact = memoryKey('knowledge', ulid());
  const drawn = { namespace: 'knowledge', content: 'The rudder was mended.', mode: 'raw', licence: 'own' } as const;
  const data = { ...drawn, tags: [], provenance: 'concluded' as const, enriched_from: back };
  await test.log.append({
    commandId: ulid(),
    actor: 'job:enrichment',
    at: pass(HOUR),
    writes: [{ subject: fact, expected: 0, events: [{ type: 'MemoryRemembered', data }] }],
    result: {},
  });
  await retag(fact, 'drawn');
  await archive(await remember('the port is 8081 on the quay server'), 'gone');

  const parts = { description: 'A quay.', stack: 'TypeScript, Valkey', goals: 'Ships.', current_state: 'Open.' };
  for (const project_name of ['quay', 'pier', 'mole']) {
    pass(HOUR);
    await commands.setProjectContext({ project_name, ...parts, domains: ['go'] }, call);
  }
  pass(HOUR);
  await commands.updateProjectState({ project_name: 'quay', current_state: 'Closed.', notes: 'For the winter.' }, call);
  pass(HOUR);
  await commands.deprioritiseProject({ project_name: 'pier', reason: 'rotten' }, call);
  await commands.suppressTopic({ topic: 'old crm', reason: 'it is gone' }, call);
};

describe.each(['json', 'markdown'] satisfies ExportFormat[])('a store with every kind of change, exported as %s', (format) => {
  let valkey: TestValkey;
  let test: TestApp;
  let other: TestApp;
  let time = Date.parse('2026-03-01T00:00:00Z');
  const pass = (ms: number): string => {
    time += ms;
    return new Date(time).toISOString();
  };
  const place = folder();
  const [first, second] = ['one', 'two'].map((name) => place.in(format === 'json' ? `${name}.json` : name)) as [string, string];

  beforeAll(async () => {
    valkey = await startValkey();
    const options = { now: () => time };
    test = await openTestApp({ valkey, options });
    other = await openTestApp({ valkey, options });
    await changed(test, pass);
  });
  afterAll(async () => {
    await other.verifyAll();
    await Promise.all([test.end(), other.end()]);
    await valkey.stop();
    place[Symbol.dispose]();
  });

  it('comes back equal, its times and their order too, and nothing of its own is reported', async () => {
    const before = [...(await allRows(test)).values()].filter(({ context }) => format === 'json' || context === undefined);
    expect(before.filter(({ state, created_at, updated_at }) => state === 'active' && updated_at > created_at).length).toBeGreaterThan(10);
    await exportTo(test, { format, to: first });
    const report = await bring(other, first, { now: () => time });
    expect(report).toMatchObject({ status: 'imported', refused: [], repeated: [], notes: [], dropped: [] });
    expect(report.set_aside).toBeUndefined();
    expect(portable(await allRows(other))).toEqual(portable(new Map(before.map((row) => [row.key, row]))));
    const sections = async ({ app }: TestApp) => {
      const { recent_memories, preferences, reinstate_candidates } = await app.queries.briefing({}, test.call);
      return { recent_memories, preferences, reinstate_candidates };
    };
    expect(await sections(other)).toEqual(await sections(test));
  });

  it('and its export is the same', async () => {
    await exportTo(other, { format, to: second });
    expect(textsIn(second, format)).toEqual(textsIn(first, format));
  });
});

/** Texts by name; of a dump all but the moment of the export. */
const textsIn = (path: string, format: ExportFormat): unknown => {
  if (format === 'json') {
    const { data, metadata } = JSON.parse(readFileSync(path, 'utf8'));
    return { data, metadata: { ...metadata, exported_at: undefined } };
  }
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [`${parentPath.slice(path.length)}/${name}`, readFileSync(`${parentPath}/${name}`, 'utf8')]),
  );
};
