import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectKey } from '../../../domain/project/key.js';
import type { Call, GetProjectContextResult } from '../../../services/api.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold, keysHolding } from '../../support/eventlog.js';

const TEXTS = {
  description: 'Bills customers of the marmalade shop.',
  stack: 'TypeScript, Valkey',
  goals: 'No invoice is lost.',
  current_state: 'Webhooks retry seven times.',
};

describe('the context of a project', () => {
  let test: TestApp;
  let name: string;
  let count = 0;
  beforeAll(async () => {
    test = await openTestApp();
    await test.app.commands.setProjectContext({ project_name: 'the first', ...TEXTS }, test.call);
    await caughtUp();
  });
  beforeEach(() => {
    name = `billing-${String.fromCharCode(97 + count++)}${'x'.repeat(count)}`;
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  /** On a busy machine a view may be late; who wrote is told by one. */
  const caughtUp = () => vi.waitFor(async () => expect(await test.queryParts.fresh()).toBeUndefined(), 20_000);
  const call = (session?: string, actor = 'mcp:test/1'): Call => ({ actor, session });
  const set = (more: object = {}, by: Call = call()) => test.app.commands.setProjectContext({ project_name: name, ...TEXTS, ...more }, by);
  const update = (current_state: string, more: object = {}, by: Call = call()) =>
    test.app.commands.updateProjectState({ project_name: name, current_state, ...more }, by);
  const found = async (by: Call = call()): Promise<Extract<GetProjectContextResult, { status: 'found' }>> => {
    const context = await test.app.queries.getProjectContext({ project_name: name }, by);
    if (context.status !== 'found') throw new Error('not found');
    return context;
  };
  const remember = async (content: string, more: object = {}): Promise<string> => {
    const answer = await test.app.commands.remember({ content, project: name, force: true, mode: 'raw', ...more }, test.call);
    if (answer.status !== 'stored') throw new Error('not stored');
    return answer.key;
  };

  it('is read as it was set, with its version', async () => {
    expect(await test.app.queries.getProjectContext({ project_name: name }, call())).toEqual({ status: 'not_found', project_name: name });
    expect(await set({ notes: 'Ask Ada.' })).toMatchObject({ status: 'stored', key: projectKey(name), version: 1, embedding: 'stored' });
    expect(await found()).toMatchObject({
      project_name: name,
      version: 1,
      ...TEXTS,
      notes: 'Ask Ada.',
      state: 'active',
      licence: 'own',
      provenance: 'asserted',
    });
  });

  it('keeps when it was made, and notes that are left out, when it is set again', async () => {
    await set({ notes: 'Ask Ada.' });
    const before = await found();
    await caughtUp();
    expect(await set({ goals: 'Faster.' })).toMatchObject({
      version: 2,
      replaced: { current_state: TEXTS.current_state, notes: 'Ask Ada.', by: 'mcp:test/1', updated_at: before.updated_at },
    });
    expect(await found()).toMatchObject({ goals: 'Faster.', notes: 'Ask Ada.', created_at: before.created_at, version: 2 });
    expect(await set({ goals: 'Faster.' })).toMatchObject({ status: 'unchanged', version: 2 });
  });

  it('refuses credentials, an empty context and names that cannot be', async () => {
    await expect(set({ notes: `key AKIA${'Q7XW3ZP9LK2MVB8N'}` })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(set({ description: ' ', stack: '', goals: '', current_state: '' })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(set({ project_name: 'a/b' })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(set({ goals: 'x'.repeat(10_001) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await test.app.queries.getProjectContext({ project_name: name }, call())).toMatchObject({ status: 'not_found' });
  });

  it('an update says what it replaced, and needs a context', async () => {
    expect(await update('Refunds work.')).toEqual({ status: 'not_found', project_name: name });
    await set({ notes: 'Ask Ada.' });
    await caughtUp();
    expect(await update('Refunds work.')).toMatchObject({
      status: 'updated',
      version: 2,
      replaced: { current_state: TEXTS.current_state, notes: 'Ask Ada.', by: 'mcp:test/1' },
    });
    expect(await found()).toMatchObject({ ...TEXTS, current_state: 'Refunds work.', notes: 'Ask Ada.', version: 2 });
  });

  it('an update on an older version is refused with the newer text, who wrote it and when; nothing is written', async () => {
    await set();
    const { version } = await found();
    await update('Refunds work.', {}, call(undefined, 'mcp:other/2'));
    await caughtUp();
    const newer = await found();
    const events = await eventsTold(test.log);
    const refused = update('Taxes work.', { version });
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('version: 2') });
    for (const part of ['Refunds work.', 'mcp:other/2', newer.updated_at]) {
      await expect(refused).rejects.toThrow(part);
    }
    expect(await eventsTold(test.log)).toBe(events);
    expect(await update('Refunds and taxes work.', { version: 2 })).toMatchObject({ status: 'updated', version: 3 });
    await expect(update('x', { version: 9 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('a session that has read an older state is refused without naming a version, one that has read nothing is not', async () => {
    await set({}, call('writer'));
    await found(call('one'));
    await found(call('two'));
    expect(await update('One was here.', {}, call('one'))).toMatchObject({ status: 'updated' });
    await expect(update('Two was here.', {}, call('two'))).rejects.toThrow('One was here.');
    await expect(set({ current_state: 'Two was here.' }, call('two'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await update('One again.', {}, call('one'))).toMatchObject({ status: 'updated' });
    expect(await update('A stranger.', {}, call('three'))).toMatchObject({ replaced: { current_state: 'One again.' } });
    await found(call('two'));
    expect(await update('Two at last.', {}, call('two'))).toMatchObject({ status: 'updated' });
  });

  it('of two updates at once on one version one is refused', async () => {
    await set();
    const outcomes = await Promise.allSettled(['Left.', 'Right.'].map((state) => update(state, { version: 1 })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('a repeated command answers the first result, though others wrote meanwhile', async () => {
    await set();
    const commandId = '01JZZZZZZZZZZZZZZZZZZZZZZ1';
    const first = await update('Refunds work.', { version: 1 }, { ...call(), commandId });
    await update('Taxes work.');
    expect(await update('Refunds work.', { version: 1 }, { ...call(), commandId })).toMatchObject({ status: 'updated', version: 2 });
    expect(first).toMatchObject({ version: 2 });
    expect(await found()).toMatchObject({ current_state: 'Taxes work.' });
  });

  it('is found by recall by its own words and its vector, and by words that an update brought', async () => {
    await set();
    const ask = (query: string) => test.app.queries.recall({ query, project_filter: [name] }, test.call);
    const [hit] = (await ask('marmalade shop')).results;
    expect(hit).toMatchObject({ key: projectKey(name), namespace: 'project', project: name, provenance: 'asserted' });
    expect(hit?.content).toContain(TEXTS.goals);
    await update('The quince ledger is being migrated.');
    expect((await ask('quince ledger')).results[0]).toMatchObject({ key: projectKey(name) });
    expect((await ask('webhooks retry seven')).results[0]?.content ?? '').not.toContain('retry seven');
    expect(test.index.serving?.missing.size).toBe(0);
    const detail = await test.app.queries.recallDetail({ keys: [projectKey(name)] }, test.call);
    expect(detail.results[0]).toMatchObject({ key: projectKey(name), content: expect.stringContaining('quince ledger') });
    expect((await test.app.queries.recall({ query: 'quince ledger', project_filter: ['other'] }, test.call)).results).toEqual([]);
  });

  it('tells its history', async () => {
    await set();
    await update('Refunds work.');
    const explained = await test.app.queries.explainMemory({ key: projectKey(name) }, test.call);
    expect(explained).toMatchObject({
      status: 'found',
      key: projectKey(name),
      timeline: [
        { n: 1, event: 'ProjectContextSet', actor: 'mcp:test/1' },
        { n: 2, event: 'ProjectStateUpdated', changed: { content: { to: expect.stringContaining('Refunds work.') } } },
      ],
    });
  });

  it('stays with a project that is given a new name, and is one context under both', async () => {
    await set();
    const renamed = `${name}-renamed`;
    await test.app.commands.mergeProjects({ from: name, into: renamed, into_is_new: true }, test.call);
    const get = (project_name: string) => test.app.queries.getProjectContext({ project_name }, call());
    expect(await get(renamed)).toMatchObject({ status: 'found', project_name: renamed, also_called: [name], ...TEXTS });
    const { commands } = test.app;
    const state = { current_state: 'Under its new name.' };
    expect(await commands.updateProjectState({ project_name: renamed, ...state }, call())).toMatchObject({ status: 'updated' });
    expect(await get(name)).toMatchObject({ project_name: renamed, ...state });
    const { projects } = await test.app.queries.listProjects({}, call());
    expect(projects.filter(({ project_name }) => project_name.startsWith(name))).toMatchObject([
      { project_name: renamed, has_context: true, description: TEXTS.description },
    ]);
    expect(await commands.deleteProject({ project_name: renamed, confirm: true, include_context: true }, call())).toMatchObject({
      status: 'deleted',
      deleted: { context: 1 },
    });
    expect(await get(name)).toMatchObject({ status: 'not_found' });
  });

  it('can be read as it was', async () => {
    await set();
    const before = await test.log.head();
    await update('Refunds work.');
    const then = await test.app.queries.recall({ query: 'marmalade shop', project_filter: [name], as_of: before?.position }, test.call);
    expect(then.results[0]?.content).toContain('retry seven times');
  });

  it('is no memory: it is not audited, not found again on writing, and the tools of memories name its own', async () => {
    await set();
    const audit = await test.app.queries.memoryAudit({ project: name }, test.call);
    expect(audit).toMatchObject({ total: 0, entries: [] });
    await remember(`Project ${name}\n${TEXTS.description}\nStack: ${TEXTS.stack}`, { namespace: 'project', force: false });
    const key = projectKey(name);
    const { commands } = test.app;
    for (const refused of [
      commands.archive({ key_or_query: key }, test.call),
      commands.deprioritise({ key_or_query: key, reason: 'over' }, test.call),
      commands.reinstate({ key_or_query: key }, test.call),
      commands.forget({ key_or_query: key }, test.call),
      commands.revise({ key, content: 'new' }, test.call),
      commands.retag({ key, add: ['x'] }, test.call),
      commands.setLicence({ keys: [key], licence: 'open' }, test.call),
      commands.setProvenance({ keys: [key], provenance: 'concluded' }, test.call),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: 'VALIDATION', hint: expect.stringContaining('update_project_state') });
    }
    const preview = await commands.forget({ project: name }, test.call);
    expect(preview).toMatchObject({ status: 'preview', total: 1 });
    expect((await test.app.queries.health()).issues.map(({ code }) => code)).not.toContain('INDEX_DRIFT');
  });

  it('a draft of its memories is kept as references and loses what is forgotten', async () => {
    const kept = await remember('The saffron importer reads CSV files.', { tags: ['import', 'csv'] });
    const gone = await remember('The vault password rotates on Mondays, said cardamom.', { tags: ['import'] });
    const drafted = await test.app.commands.compileProjectContext({ project_name: name, max_tokens: 4_000 }, call());
    expect(drafted).toMatchObject({ memory_count: 2, top_tags: ['import', 'csv'], draft: { stack: 'import, csv' } });
    expect(drafted.draft.current_state).toMatch(/cardamom\.\n---\nThe saffron importer/);
    expect(drafted).not.toHaveProperty('auto_saved');
    const saved = await test.app.commands.compileProjectContext({ project_name: name, auto_save: true, max_tokens: 4_000 }, call());
    expect(saved).toMatchObject({ auto_saved: true, version: 1 });
    expect(await found()).toMatchObject({
      provenance: 'concluded',
      compiled: ['stack', 'current_state'],
      current_state: expect.stringContaining('cardamom'),
    });
    await test.app.commands.forget({ keys: [gone], confirm: true }, test.call);
    const { current_state } = await found();
    expect(current_state).toBe('The saffron importer reads CSV files.');
    expect(await keysHolding(test.redis, test.keys, 'cardamom')).toEqual([]);
    expect(kept).toMatch(/^mem:/);
  });

  it('a draft keeps what was written by hand, and who said it', async () => {
    await set({ notes: 'By hand.' });
    await remember('The saffron importer reads CSV files.');
    const saved = await test.app.commands.compileProjectContext({ project_name: name, auto_save: true, max_tokens: 4_000 }, call());
    expect(saved).toMatchObject({
      existing_context: { ...TEXTS, notes: 'By hand.' },
      replaced: { current_state: TEXTS.current_state },
      draft: { description: TEXTS.description, goals: TEXTS.goals, stack: TEXTS.stack },
    });
    expect(await found()).toMatchObject({
      description: TEXTS.description,
      notes: 'By hand.',
      provenance: 'asserted',
      current_state: 'The saffron importer reads CSV files.',
    });
  });

  it('a draft of a large project stays within the bound, and names what was cut', async () => {
    for (let i = 0; i < 30; i++) await remember(`Note number ${i}. ${'Saffron is weighed in grams. '.repeat(20)}`);
    const draft = await test.app.commands.compileProjectContext({ project_name: name, max_tokens: 1_500 }, call());
    expect(JSON.stringify(draft).length / 3.5).toBeLessThan(3_000);
    const shown = draft.memories?.length ?? 0;
    expect(draft.memories_cut).toMatchObject({ shown, total: 30 });
    expect(draft.memories_cut?.keys.length).toBe(30 - shown);
  });
});
