import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeDigests } from '../../../services/backup/digests.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { restore, take, temporaryFolder } from '../../support/backup.js';
import { eventsTold, keysHolding, openTestLog } from '../../support/eventlog.js';
import { viewsServe } from '../../support/views.js';

let test: TestApp;
const keys: Record<string, string> = {};
beforeAll(async () => {
  test = await openTestApp();
  await viewsServe(test);
  for (const project of ['shop', 'blog', 'billing', 'attic', undefined]) {
    const answer = await test.app.commands.remember(
      { content: `The retry limit of ${project ?? 'nothing'} is seven.`, project, force: true },
      test.call,
    );
    if (answer.status === 'stored') keys[project ?? 'none'] = answer.key;
  }
  await declare('shop', 'python', 'css');
  await declare('blog', 'css');
  await declare('attic', 'cobol');
  await test.app.commands.archive({ key_or_query: keys.attic ?? '' }, test.call);
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const declare = (project_name: string, ...domains: string[]) =>
  test.app.commands.compileProjectDomains({ project_name, domains }, test.call);
const compile = (project_name: string, more: object = {}) => test.app.commands.compileProjectDomains({ project_name, ...more }, test.call);
const recall = (more: object) => test.app.queries.recall({ query: 'retry limit', ...more }, test.call);
const projectsOf = async (more: object): Promise<readonly (string | undefined)[]> =>
  (await recall(more)).results.map(({ project }) => project).sort();

describe('domain_filter', () => {
  it('leads to the projects that declare a domain, and to nothing else', async () => {
    expect(await projectsOf({ domain_filter: ['css'] })).toEqual(['blog', 'shop']);
    expect(await projectsOf({ domain_filter: 'py' })).toEqual(['shop']);
    expect(await recall({ domain_filter: ['py'] })).toMatchObject({
      domain_filter: { matched: { python: ['shop'] }, unmatched: [], aliased: { py: 'python' } },
    });
    expect(await recall({ domain_filter: ['css'] })).not.toHaveProperty('domain_filter_notice');
    const index = await test.app.queries.recallIndex({ query: 'retry limit', domain_filter: ['css'] }, test.call);
    expect(index.results.map(({ project }) => project).sort()).toEqual(['blog', 'shop']);
  });

  it('never labels: a memory says nothing of the domains of its project', async () => {
    const { results } = await recall({ domain_filter: ['python'] });
    expect(JSON.stringify(results)).not.toContain('python');
  });

  it('goes by the domains that are declared and says which are not', async () => {
    const answer = await recall({ domain_filter: ['python', 'haskell'] });
    expect(answer.results.map(({ project }) => project)).toEqual(['shop']);
    expect(answer.domain_filter_notice).toContain('No project declares haskell');
    expect(Object.keys(answer)[0]).toBe('domain_filter_notice');
  });

  it('is left aside, and says so first, when no project declares any of them', async () => {
    const answer = await recall({ domain_filter: ['haskell'] });
    expect(Object.keys(answer)[0]).toBe('domain_filter_notice');
    expect(await projectsOf({ domain_filter: ['haskell'] })).toEqual(['billing', 'blog', 'shop', undefined]);
    expect(await projectsOf({ domain_filter: ['haskell'], project_filter: 'billing' })).toEqual(['billing']);
  });

  it('with a project_filter leaves what is in both, and nothing when nothing is', async () => {
    expect(await projectsOf({ domain_filter: ['css'], project_filter: ['blog', 'billing'] })).toEqual(['blog']);
    const answer = await recall({ domain_filter: ['python'], project_filter: ['blog', 'billing'] });
    expect(answer).toMatchObject({ results: [], domain_filter_notice: expect.stringContaining('nothing was searched') });
  });

  it('never leads to an archived project, nor to a deleted one', async () => {
    expect((await recall({ domain_filter: ['cobol'] })).domain_filter).toEqual({ matched: {}, unmatched: ['cobol'] });
    await test.app.commands.setProjectContext(
      { project_name: 'gone', description: 'd', stack: 'Fortran', goals: 'g', current_state: 'c' },
      test.call,
    );
    await declare('gone', 'fortran');
    expect((await recall({ domain_filter: ['fortran'] })).domain_filter?.matched).toEqual({ fortran: ['gone'] });
    await test.app.commands.deleteProject({ project_name: 'gone', confirm: true, include_context: true }, test.call);
    expect((await recall({ domain_filter: ['fortran'] })).domain_filter?.unmatched).toEqual(['fortran']);
  });

  it('goes by what was declared at an earlier moment', async () => {
    const before = (await test.log.head())?.position ?? '';
    await declare('billing', 'sql');
    expect(await projectsOf({ domain_filter: ['sql'] })).toEqual(['billing']);
    expect((await recall({ domain_filter: ['sql'], as_of: before })).domain_filter?.unmatched).toEqual(['sql']);
    const now = (await test.log.head())?.position ?? '';
    expect(await projectsOf({ domain_filter: ['sql'], as_of: now })).toEqual(['billing']);
  });
});

describe('compile_project_domains', () => {
  it('suggests from the stack and from recurring tags, with evidence, and writes only when told to', async () => {
    for (let i = 0; i < 3; i++) {
      await test.app.commands.remember(
        {
          content: `Garden note ${i} of its own kind.`,
          project: 'garden',
          tags: i < 2 ? ['valkey', 'py', 'decision'] : ['rare'],
          force: true,
        },
        test.call,
      );
    }
    await test.app.commands.setProjectContext(
      { project_name: 'garden', description: 'd', stack: 'Python 3.12 with FastAPI', goals: 'g', current_state: 'c' },
      test.call,
    );
    const before = await eventsTold(test.log);
    const draft = await compile('garden');
    expect(draft).toMatchObject({
      status: 'draft',
      suggested: ['python', 'fastapi', 'valkey'],
      merged: ['python', 'fastapi', 'valkey'],
      evidence: { python: { stack: 'Python', tagged: 2 }, fastapi: { stack: 'FastAPI' }, valkey: { tagged: 2 } },
      memories_read: 3,
      note: expect.stringContaining('Nothing was written'),
    });
    expect(draft).not.toHaveProperty('existing');
    expect(await eventsTold(test.log)).toBe(before);

    const once = { ...test.call, commandId: ulid() };
    const save = () => test.app.commands.compileProjectDomains({ project_name: 'garden', auto_save: true }, once);
    const saved = await save();
    expect(saved).toMatchObject({ status: 'saved', merged: ['python', 'fastapi', 'valkey'], evidence: { valkey: { tagged: 2 } } });
    expect(await save()).toEqual(saved);
    expect(await compile('garden', { auto_save: true })).toMatchObject({
      status: 'unchanged',
      existing: ['python', 'fastapi', 'valkey'],
      suggested: [],
    });
    expect(await test.app.queries.getProjectContext({ project_name: 'garden' }, test.call)).toMatchObject({
      domains: ['python', 'fastapi', 'valkey'],
    });
  });

  it('declares exactly what it is given, reports what it took and what it did not, and can be undone', async () => {
    const action = ulid();
    const answer = await test.app.commands.compileProjectDomains(
      { project_name: 'garden', domains: 'k8s, c#, css' },
      { ...test.call, commandId: action },
    );
    expect(answer).toMatchObject({ status: 'saved', merged: ['kubernetes', 'css'], aliased: { k8s: 'kubernetes' }, rejected: ['c#'] });
    expect(await test.app.commands.undo({ correlation: action }, test.call)).toMatchObject({
      status: 'undone',
      restored: [{ key: 'mem:project:garden', fields: ['domains'] }],
    });
    expect(test.index.projects.domainsOf('garden')).toEqual(['python', 'fastapi', 'valkey']);
  });

  it('tells considered and empty from never considered', async () => {
    await test.app.commands.remember({ content: 'A bare project has a note.', project: 'bare', force: true }, test.call);
    expect(await compile('bare')).not.toHaveProperty('existing');
    expect(await compile('bare', { auto_save: true })).toMatchObject({ status: 'saved', merged: [] });
    expect(await compile('bare')).toMatchObject({ status: 'draft', existing: [] });
  });

  it('refuses what names no domain, and more than twenty', async () => {
    await expect(declare('garden', 'c#', '!!')).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(declare('garden', ...Array.from({ length: 21 }, (_, i) => `d${i}`))).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(await compile('never-heard-of')).toMatchObject({ status: 'not_found', project_name: 'never-heard-of' });
  });
});

describe('undo of what was set on a project', () => {
  const act = () => ({ ...test.call, commandId: ulid() });
  const context = { description: 'A mill.', stack: 'Rust', goals: 'Grind.', current_state: 'Built.' };
  const state = async () => {
    const answer = await test.app.queries.getProjectContext({ project_name: 'mill' }, test.call);
    return answer.status === 'found' ? answer.current_state : answer.status;
  };

  it('puts a state and a context back, and the first context away again', async () => {
    const [set, update, reset] = [act(), act(), act()];
    await test.app.commands.setProjectContext({ project_name: 'mill', ...context }, set);
    await test.app.commands.updateProjectState({ project_name: 'mill', current_state: 'Grinding.' }, update);
    expect(await test.app.commands.undo({ correlation: set.commandId }, test.call)).toMatchObject({ kept: [{ fields: ['context'] }] });
    const back = act();
    await test.app.commands.undo({ correlation: update.commandId }, back);
    expect(await state()).toBe('Built.');
    await test.app.commands.undo({ correlation: back.commandId }, test.call);
    expect(await state()).toBe('Grinding.');
    await test.app.commands.setProjectContext({ project_name: 'mill', ...context, current_state: 'Idle.' }, reset);
    await test.app.commands.undo({ correlation: reset.commandId }, test.call);
    expect(await state()).toBe('Grinding.');

    const first = act();
    await test.app.commands.setProjectContext({ project_name: 'mill-2', ...context }, first);
    const away = act();
    expect(await test.app.commands.undo({ correlation: first.commandId }, away)).toMatchObject({ status: 'undone' });
    expect(await test.app.queries.getProjectContext({ project_name: 'mill-2' }, test.call)).toMatchObject({ status: 'not_found' });
    expect(await test.app.commands.undo({ correlation: away.commandId }, test.call)).toMatchObject({ status: 'undone' });
    expect(await test.app.queries.getProjectContext({ project_name: 'mill-2' }, test.call)).toMatchObject({ current_state: 'Built.' });
  });

  it('erases nothing, so a backup brings the text back too, until the project is deleted', async () => {
    const set = act();
    await test.app.commands.setProjectContext({ project_name: 'kiln', ...context, goals: 'Fire the celadon.' }, set);
    await test.app.commands.undo({ correlation: set.commandId }, test.call);
    using folder = temporaryFolder();
    const { head } = await take(test, folder.path);
    await using target = await openTestLog({ valkey: test.valkey });
    const { digests } = await restore(target, folder.path, { standby: true });
    expect(digests).toEqual(await storeDigests(test.redis, test.keys, test.log.logId, head ?? ''));

    expect(await keysHolding(test.redis, test.keys, 'celadon')).not.toEqual([]);
    await test.app.commands.deleteProject({ project_name: 'kiln', confirm: true, include_context: true }, test.call);
    expect(await keysHolding(test.redis, test.keys, 'celadon')).toEqual([]);
  });

  it('cannot bring back what was deleted', async () => {
    const deletion = act();
    await test.app.commands.deleteProject({ project_name: 'mill', confirm: true, include_context: true }, deletion);
    expect(await test.app.commands.undo({ correlation: deletion.commandId }, test.call)).toMatchObject({
      status: 'unchanged',
      irreversible: [{ key: 'mem:project:mill' }],
    });
  });
});

describe('set_project_context with domains', () => {
  const context = { project_name: 'brewery', description: 'A brewery.', stack: 'Go', goals: 'Brew.', current_state: 'Begun.' };

  it('declares them with the context, in one action, and finds the context by its vector', async () => {
    const answer = await test.app.commands.setProjectContext({ ...context, domains: 'golang, c#' }, test.call);
    expect(answer).toMatchObject({
      status: 'stored',
      version: 2,
      embedding: 'stored',
      domains: ['go'],
      aliased: { golang: 'go' },
      rejected: ['c#'],
    });
    expect(await projectsOf({ query: 'brewery', domain_filter: ['go'] })).toEqual(['brewery']);
    expect(test.index.serving?.missing.has('mem:project:brewery')).toBe(false);
    expect(await test.app.commands.setProjectContext({ ...context, domains: ['go'] }, test.call)).toMatchObject({ status: 'unchanged' });
    const more = await test.app.commands.setProjectContext({ ...context, domains: ['go', 'sql'] }, test.call);
    expect(more).toMatchObject({ status: 'stored', version: 3, domains: ['go', 'sql'] });
    expect(more).not.toHaveProperty('replaced');
    await test.app.commands.setProjectContext({ ...context, goals: 'Brew well.' }, test.call);
    expect(test.index.projects.domainsOf('brewery')).toEqual(['go', 'sql']);
    expect(
      await test.app.commands.updateProjectState({ project_name: 'brewery', current_state: 'Done.', version: 4 }, test.call),
    ).toMatchObject({
      status: 'updated',
    });
  });

  it('writes nothing when a domain list is no list of domains', async () => {
    const before = await eventsTold(test.log);
    await expect(test.app.commands.setProjectContext({ ...context, domains: ['##'] }, test.call)).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    expect(await eventsTold(test.log)).toBe(before);
  });
});
