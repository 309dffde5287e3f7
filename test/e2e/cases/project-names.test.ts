import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsTold } from '../../support/eventlog.js';
import { resultsOf } from '../app/client.js';
import { openServed, type Served } from './served.js';

const ODD = [
  'my-project',
  'My-Project',
  '550e8400-e29b-41d4-a716-446655440000',
  'v2.0 beta',
  'a_b.c',
  '-lead',
  'trail-',
  'and',
  'OR',
  'NOT x',
  '10',
  '1e5',
];

const OUTSIDE = ['{a|b}', '@project:{x}', '*', 'a:b', 'a\\b', 'a"b', '../x', 'two\nlines', 'x'.repeat(201)];

describe('S03 punctuation in a project name', () => {
  let served: Served;
  let call: Served['call'];
  beforeAll(async () => {
    served = await openServed();
    ({ call } = served);
    await served.remember('The quay has 99 bollards.', { project: 'other' });
  });
  afterAll(() => served.end());

  it.each(ODD)('%s is a project of its own, to every tool', async (project) => {
    const content = `The quay has ${ODD.indexOf(project) + 10} bollards.`;
    const stored = await call('remember', { content, project });
    expect(stored).toMatchObject({ status: 'stored' });
    const { key } = stored;
    const only = { query: content, project_filter: project };
    expect(resultsOf(await call('recall', only)).map((found) => [found.key, found.project])).toEqual([[key, project]]);
    expect(resultsOf(await call('recall_index', only)).map((found) => found.key)).toEqual([key]);
    expect(await call('memory_audit', { project })).toMatchObject({ total: 1, entries: [{ key, project }] });
    expect(await call('briefing', { project })).toMatchObject({
      project_context: { name: project, memories: 1, note: expect.stringContaining('not_found') },
      recent_memories: [{ key, content }],
    });
    expect(await call('delete_project', { project_name: project })).toMatchObject({
      status: 'preview',
      project_name: project,
      would_delete: { episodic: 1 },
      total: 1,
    });
    expect(await call('deprioritise_project', { project_name: project })).toMatchObject({ would_deprioritise: { episodic: 1 } });
    expect(await call('compile_project_context', { project_name: project })).toMatchObject({ memory_count: 1, memories: [{ key }] });
    expect(await call('forget', { project })).toMatchObject({ status: 'preview', total: 1, targets: [{ key }] });
    expect(await call('find_duplicates', { project_filter: project, threshold: 0.5 })).toMatchObject({ scanned: 1, clusters: [] });

    const texts = { description: `Quay ${project}`, stack: 'granite', goals: 'No ship drifts.', current_state: 'Calm.' };
    expect(await call('set_project_context', { project_name: project, ...texts })).toMatchObject({ status: 'stored', version: 1 });
    expect(await call('update_project_state', { project_name: project, current_state: 'Rough.' })).toMatchObject({ version: 2 });
    expect(await call('get_project_context', { project_name: project })).toMatchObject({ status: 'found', current_state: 'Rough.' });
    expect(await call('compile_project_domains', { project_name: project, domains: ['stone'] })).toMatchObject({ status: 'saved' });
    await call('log_abandoned', { key, name: `rope ${ODD.indexOf(project) + 10}`, type: 'tool', reason: 'frays' });
    expect(await call('experience_summary', { project })).toMatchObject({ memories_with_experience: 1, graveyard: [{ reason: 'frays' }] });
    expect(await call('warn_if_abandoned', { query: `rope ${ODD.indexOf(project) + 10}`, project })).toMatchObject({ total: 1 });
    expect(await call('check_contradictions', { project_filter: project })).toMatchObject({ contradictions: [] });
    expect(await call('maintain', { project, dry_run: true })).toMatchObject({ status: 'nothing_to_do', left: 0 });
  });

  it('all are listed, and deleting one leaves the others', async () => {
    const listed = async () => {
      const { projects } = await call('list_projects');
      return (projects as readonly { readonly project_name: string }[]).map(({ project_name }) => project_name);
    };
    expect((await listed()).sort()).toEqual([...ODD, 'other'].sort());
    const gone = await call('delete_project', { project_name: 'my-project', confirm: true, include_context: true });
    expect(gone).toMatchObject({ status: 'deleted', deleted: { episodic: 1, context: 1 }, total: 2 });
    expect((await listed()).sort()).toEqual([...ODD.filter((name) => name !== 'my-project'), 'other'].sort());
    expect(await call('get_project_context', { project_name: 'My-Project' })).toMatchObject({
      status: 'found',
      description: 'Quay My-Project',
    });
    expect(await call('memory_audit', {})).toMatchObject({ total: ODD.length });
  });

  it.each(OUTSIDE)('%j is refused by name, by every tool', async (name) => {
    const { test, refused } = served;
    const size = await eventsTold(test.log);
    const texts = { description: 'x', stack: 'x', goals: 'x', current_state: 'x' };
    for (const [tool, args] of [
      ['remember', { content: 'x', project: name }],
      ['remember_document', { content: 'x', project: name }],
      ['recall', { query: 'quay', project_filter: name }],
      ['recall', { query: 'quay', project_filter: ['other', name] }],
      ['recall_index', { query: 'quay', project_filter: name }],
      ['memory_audit', { project: name }],
      ['briefing', { project: name }],
      ['find_duplicates', { project_filter: name }],
      ['check_contradictions', { project_filter: name }],
      ['maintain', { project: name }],
      ['forget', { project: name }],
      ['experience_summary', { project: name }],
      ['warn_if_abandoned', { query: 'rope', project: name }],
      ['set_project_context', { project_name: name, ...texts }],
      ['get_project_context', { project_name: name }],
      ['update_project_state', { project_name: name, current_state: 'x' }],
      ['compile_project_context', { project_name: name, auto_save: true }],
      ['compile_project_domains', { project_name: name, domains: ['x'] }],
      ['merge_projects', { from: name, into: 'other' }],
      ['merge_projects', { from: 'other', into: name }],
      ['delete_project', { project_name: name, confirm: true }],
      ['deprioritise_project', { project_name: name, confirm: true }],
      ['reinstate_project', { project_name: name, confirm: true }],
    ] as const) {
      const { code, message } = await refused(tool, args);
      expect([tool, code, message]).toEqual([tool, 'VALIDATION', expect.stringContaining('A-Z a-z')]);
    }
    expect(await eventsTold(test.log)).toBe(size);
  });
});
