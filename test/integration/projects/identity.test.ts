import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectKey } from '../../../domain/project/key.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { viewsServe } from '../../support/views.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await viewsServe(test);
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const act = (commandId = ulid()) => ({ ...test.call, commandId });
const remember = async (project: string | undefined, content: string, more: object = {}) => {
  const answer = await test.app.commands.remember({ content, project, force: true, ...more }, test.call);
  if (answer.status !== 'stored') throw new Error('not stored');
  return answer;
};
const recall = (query: string, more: object = {}) => test.app.queries.recall({ query, ...more }, test.call);
const found = async (query: string, more: object = {}): Promise<readonly string[]> =>
  (await recall(query, more)).results.map(({ key }) => key);
const declare = (project_name: string, ...domains: string[]) =>
  test.app.commands.compileProjectDomains({ project_name, domains }, test.call);

describe('two names of one project', () => {
  it('are merged in every read and write, and parted by undo', async () => {
    const old = await remember('lantern-old', 'The lantern beacon blinks twice a minute.');
    const fresh = await remember('lantern', 'The lantern beacon is painted red.');
    const merge = ulid();
    expect(await test.app.commands.mergeProjects({ from: 'lantern-old', into: 'lantern' }, act(merge))).toEqual({
      status: 'merged',
      from: 'lantern-old',
      into: 'lantern',
      names: ['lantern', 'lantern-old'],
      memories: { active: 2, deprioritised: 0, archived: 0 },
      correlation: merge,
    });
    const both = [old.key, fresh.key].sort();
    for (const project_filter of ['lantern', 'lantern-old']) {
      const { results } = await recall('lantern beacon', { project_filter });
      expect(results.map(({ key }) => key).sort()).toEqual(both);
      expect(results.map(({ project }) => project)).toEqual(['lantern', 'lantern']);
    }
    for (const project of ['lantern', 'lantern-old']) {
      const audit = await test.app.queries.memoryAudit({ project }, test.call);
      expect(audit.entries.map((entry) => [entry.key, entry.project])).toEqual(both.map((key) => [key, 'lantern']));
      expect(audit).toMatchObject({ summary: { active: 2 }, matching_total: 2 });
      expect(await test.app.commands.forget({ project }, test.call)).toMatchObject({
        status: 'preview',
        total: 2,
        project_names: ['lantern', 'lantern-old'],
      });
    }
    const first = await test.app.queries.memoryAudit({ project: 'lantern', limit: 1 }, test.call);
    const second = await test.app.queries.memoryAudit({ project: 'lantern', limit: 1, offset: 1 }, test.call);
    expect([...first.entries, ...second.entries].map(({ key }) => key)).toEqual(both);
    const detail = await test.app.queries.recallDetail({ keys: [old.key] }, test.call);
    expect(detail.results[0]).toMatchObject({ project: 'lantern' });
    expect(await test.app.queries.explainMemory({ key: old.key }, test.call)).toMatchObject({ project: 'lantern' });

    const written = await remember('lantern-old', 'The lantern beacon got a new bulb.');
    expect(written.project).toBe('lantern');
    expect(written).not.toHaveProperty('project_suggestion');
    expect(
      await test.app.commands.remember({ content: 'The lantern beacon blinks twice a minute.', project: 'lantern' }, test.call),
    ).toMatchObject({
      status: 'duplicate_found',
      existing_key: old.key,
    });
    expect(await test.app.commands.mergeProjects({ from: 'lantern-old', into: 'lantern' }, test.call)).toMatchObject({
      status: 'unchanged',
      memories: { active: 3 },
    });

    expect(await test.app.commands.undo({ correlation: merge }, test.call)).toMatchObject({
      status: 'undone',
      restored: expect.arrayContaining(['lantern-old', 'lantern'].map((name) => ({ key: projectKey(name), fields: ['merge'] }))),
    });
    expect(await found('lantern beacon', { project_filter: 'lantern-old' })).toEqual([old.key]);
    expect(new Set(await found('lantern beacon', { project_filter: 'lantern' }))).toEqual(new Set([fresh.key, written.key]));
  });

  it('are two at an earlier moment, and one since', async () => {
    const one = await remember('harbour', 'The harbour crane lifts forty tonnes.');
    const before = (await test.log.head())?.position ?? '';
    await remember('port', 'The port office opens at seven.');
    await test.app.commands.mergeProjects({ from: 'harbour', into: 'port' }, test.call);
    const after = (await test.log.head())?.position ?? '';
    expect(await found('harbour crane', { project_filter: 'port' })).toContain(one.key);
    const then = await recall('harbour crane', { project_filter: 'harbour', as_of: before });
    expect(then.results.map(({ key, project }) => [key, project])).toEqual([[one.key, 'harbour']]);
    expect(await found('harbour crane', { project_filter: 'port', as_of: before })).toEqual([]);
    const since = await recall('harbour crane', { project_filter: 'port', as_of: after });
    expect(since.results.map(({ key, project }) => [key, project])).toContainEqual([one.key, 'port']);
    const audit = await test.app.queries.memoryAudit({ project: 'port', as_of: after }, test.call);
    expect(audit.entries.map(({ project }) => project)).toEqual(['port', 'port']);
    expect((await test.app.queries.memoryAudit({ project: 'port', as_of: before }, test.call)).entries).toEqual([]);
    const named = async (as_of?: string) =>
      (await test.app.queries.explainMemory({ key: one.key, as_of }, test.call)) as { project?: string };
    expect([(await named()).project, (await named(after)).project, (await named(before)).project]).toEqual(['port', 'port', 'harbour']);
  });

  it('take the vocabulary of both, and circles, thirds, unknown names and one name are refused', async () => {
    await remember('alpha', 'Alpha has a note.');
    await remember('beta', 'Beta has a note.');
    await remember('gamma', 'Gamma has a note.');
    await declare('alpha', 'css');
    await declare('beta', 'python');
    const merge = ulid();
    expect(await test.app.commands.mergeProjects({ from: 'alpha', into: 'beta' }, act(merge))).toMatchObject({
      domains: ['python', 'css'],
    });
    const refused = (from: string, into: string) => test.app.commands.mergeProjects({ from, into }, test.call);
    await expect(refused('beta', 'alpha')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(refused('alpha', 'gamma')).rejects.toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('Merge "beta" into "gamma"'),
    });
    await expect(refused('alpha', 'alpha')).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(refused('Gama', 'beta')).rejects.toMatchObject({ code: 'NOT_FOUND', hint: expect.stringContaining('"gamma"') });
    await expect(refused('gamma', 'delta')).rejects.toMatchObject({ code: 'NOT_FOUND', hint: expect.stringContaining('into_is_new') });
    await refused('beta', 'gamma');
    await expect(refused('gamma', 'alpha')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(test.index.projects.namesOf('alpha')).toEqual(['gamma', 'alpha', 'beta']);

    await test.app.commands.undo({ correlation: merge }, test.call);
    expect(test.index.projects.domainsOf('gamma')).toEqual(['python', 'css']);
    expect(test.index.projects.canonical('alpha')).toBe('alpha');
  });

  it('may be an old and a new one', async () => {
    const one = await remember('kiln-v', 'The kiln fires at twelve hundred degrees.');
    expect(await test.app.commands.mergeProjects({ from: 'kiln-v', into: 'pottery', into_is_new: true }, test.call)).toMatchObject({
      status: 'merged',
      memories: { active: 1 },
    });
    expect((await recall('kiln degrees', { project_filter: 'pottery' })).results).toMatchObject([{ key: one.key, project: 'pottery' }]);
  });

  it('a merge is undone once, redone by undoing that, and is not redone into a circle', async () => {
    await remember('east', 'East has a gate.');
    await remember('west', 'West has a gate.');
    const [merge, back] = [ulid(), ulid()];
    await test.app.commands.mergeProjects({ from: 'east', into: 'west' }, act(merge));
    await test.app.commands.undo({ correlation: merge }, act(back));
    await test.app.commands.mergeProjects({ from: 'west', into: 'east' }, test.call);
    const answer = await test.app.commands.undo({ correlation: back }, test.call);
    expect(answer).toMatchObject({ status: 'unchanged', restored: [] });
    expect(answer.kept.map(({ fields }) => fields)).toEqual([['merge'], ['merge']]);
    expect([test.index.projects.canonical('east'), test.index.projects.canonical('west')]).toEqual(['east', 'east']);
  });

  it('come together once when several clients merge them in a circle at the same moment', async () => {
    const names = ['ring-a', 'ring-b', 'ring-c'];
    for (const name of names) await remember(name, `${name} has a note of its own.`);
    const pairs = names.map((from, i) => ({ from, into: names[(i + 1) % names.length] ?? '' }));
    const outcomes = await Promise.allSettled(pairs.map((pair) => test.app.commands.mergeProjects(pair, test.call)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(new Set(names.map((name) => test.index.projects.canonical(name))).size).toBe(1);
  });
});

describe('a name that is only like another', () => {
  it('is written as it is given, and the answer says what it is like; the next write says nothing', async () => {
    await remember('Quarry-API', 'The quarry has a weighbridge.');
    const written = await remember('quarry_api', 'The quarry has a siren.');
    expect(written).toMatchObject({
      project_suggestion: { did_you_mean: ['Quarry-API'], note: expect.stringContaining('merge_projects') },
    });
    expect(await remember('quarry_api', 'The quarry has a fence.')).not.toHaveProperty('project_suggestion');
    expect(await found('quarry siren', { project_filter: 'Quarry-API' })).not.toContain(written.key);
    const document = await test.app.commands.rememberDocument({ content: 'The quarry handbook.', project: 'QuarryApi' }, test.call);
    expect(document.project_suggestion?.did_you_mean).toEqual(['Quarry-API', 'quarry_api']);
  });

  it('is searched as it is, and every read says what it is like', async () => {
    await remember('observatory', 'The observatory dome turns at dusk.');
    const suggestion = { project_suggestion: { did_you_mean: ['observatory'] } };
    expect(await recall('observatory dome', { project_filter: 'Observatry' })).toMatchObject({ results: [], ...suggestion });
    expect(await test.app.queries.recallIndex({ query: 'dome', project_filter: ['OBSERVATORY'] }, test.call)).toMatchObject(suggestion);
    expect(await test.app.queries.memoryAudit({ project: 'Observatory' }, test.call)).toMatchObject({ returned: 0, ...suggestion });
    expect(await test.app.queries.findDuplicates({ project_filter: 'observatory.git' }, test.call)).toMatchObject({
      clusters: [],
      ...suggestion,
    });
    expect(await test.app.commands.forget({ project: 'Observatory' }, test.call)).toMatchObject({ status: 'not_found', ...suggestion });
    expect(await test.app.commands.compileProjectDomains({ project_name: 'Observatory' }, test.call)).toMatchObject({
      status: 'not_found',
      ...suggestion,
    });
    expect(await recall('observatory dome', { project_filter: 'observatory' })).not.toHaveProperty('project_suggestion');
  });

  it('is not suggested any more once everything of it is forgotten', async () => {
    const { key } = await remember('skunkworks', 'The skunkworks plan is secret.');
    expect((await recall('plan', { project_filter: 'SkunkWorks' })).project_suggestion?.did_you_mean).toEqual(['skunkworks']);
    await test.app.commands.forget({ keys: [key], confirm: true }, test.call);
    expect(await recall('plan', { project_filter: 'SkunkWorks' })).not.toHaveProperty('project_suggestion');
    expect(test.index.projects.names()).not.toContain('skunkworks');
  });
});

describe('what a process knows of projects', () => {
  it('is the same in another process', async () => {
    const says = (index: TestApp['index']) =>
      index.projects.names().map((name) => [index.projects.namesOf(name), index.projects.domainsOf(name), index.projects.memoriesOf(name)]);
    const other = await test.another({ projects: false });
    await other.app.whenReady(10_000);
    expect(says(other.index)).toEqual(says(test.index));
    expect(says(test.index).length).toBeGreaterThan(5);
    await other.close();
  });
});
