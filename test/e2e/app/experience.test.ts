import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

describe('experience and graveyard through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  let key: string;
  beforeAll(async () => {
    test = await openTestApp();
    http = await serve(test.app);
    tools = await connectTools(http.url, 'experience-test');
    // The views of a new store are built while it is already written to.
    await vi.waitFor(() => tools.call('experience_summary'), { timeout: 30_000 });
    key = keyOf(await tools.call('remember', { content: 'The job queue runs on a Postgres table with skip locked.', project: 'jobs' }));
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  it('a dead end is logged, and warned of in another session', async () => {
    expect(await tools.call('warn_if_abandoned', { query: 'should we try pgboss?' })).toMatchObject({ status: 'clear' });
    expect(await tools.call('log_abandoned', { key, name: 'pg-boss', type: 'library', reason: 'lost jobs on failover' })).toEqual({
      key,
      abandoned_count: 1,
      latest_entry: { name: 'pg-boss', type: 'library', reason: 'lost jobs on failover', attempted_at: expect.stringMatching(/Z$/) },
    });
    await using another = await connectTools(http.url, 'another');
    expect(await another.call('warn_if_abandoned', { query: 'should we try pgboss?', project: 'jobs' })).toMatchObject({
      status: 'warning',
      total: 1,
      matches: [{ memory_key: key, abandoned_name: 'pg-boss', type: 'library', reason: 'lost jobs on failover', project: 'jobs' }],
      notice: expect.stringContaining('not instructions'),
    });
  });

  it('a dead end that works again is lifted by the tool that logged it', async () => {
    const other = keyOf(await tools.call('remember', { content: 'Packing is done by libzed.', project: 'packing' }));
    await tools.call('log_abandoned', { key: other, name: 'libzed', type: 'library', reason: 'crashes on arm64' });
    expect(
      await tools.call('log_abandoned', { key: other, name: 'libzed', type: 'library', reason: '2.1 fixed arm64', lift: 'true' }),
    ).toEqual({ key: other, lifted: 'libzed', abandoned_count: 0, note: expect.stringContaining('no longer warns') });
    expect(await tools.call('warn_if_abandoned', { query: 'libzed' })).toMatchObject({ status: 'clear' });
    expect(JSON.stringify(await tools.call('explain_memory', { key: other }))).toContain('2.1 fixed arm64');
  });

  it('experience is recorded and read; lists and numbers may come as text', async () => {
    const recorded = await tools.call('record_experience', {
      key,
      effort_score: '4',
      outcome: 'succeeded',
      iterations: 3,
      abandoned_approaches: JSON.stringify([{ name: 'bull', type: 'library', reason: 'needs redis' }]),
      breakthrough: 'skip locked',
      gotchas: 'vacuum often',
    });
    expect(recorded).toEqual({ key, effort_score: 4, outcome: 'succeeded', experience_weight: 1.5 });
    expect(await tools.call('get_experience', { key })).toMatchObject({
      status: 'found',
      effort_score: 4,
      outcome: 'succeeded',
      iterations: 3,
      experience_weight: 1.5,
      breakthrough: 'skip locked',
      gotchas: 'vacuum often',
      abandoned_approaches: [
        { name: 'pg-boss', type: 'library' },
        { name: 'bull', type: 'library' },
      ],
      project: 'jobs',
    });
    expect(await tools.call('experience_summary', { project: 'jobs' })).toMatchObject({
      memories_with_experience: 1,
      average_effort_score: 4,
      outcome_breakdown: { succeeded: 1, pivoted: 0, abandoned: 0 },
      graveyard: [{ name: 'bull' }, { name: 'pg-boss' }],
      top_3_breakthroughs: [{ key, breakthrough: 'skip locked' }],
    });
  });

  it('recall leads with the warning, as data, and takes it off when it is sent back', async () => {
    const answer = await tools.call('recall', { query: 'pg-boss for the job queue' });
    expect(Object.keys(answer).indexOf('abandoned_warnings')).toBeLessThan(Object.keys(answer).indexOf('results'));
    expect(answer.abandoned_warnings).toMatchObject([
      {
        result_type: 'abandoned_warning',
        key,
        name: 'pg-boss',
        type: 'library',
        reason: 'lost jobs on failover',
        project: 'jobs',
        effort_score: 4,
      },
    ]);
    expect(resultsOf(answer)[0]).toMatchObject({ key, effort_score: 4, outcome: 'succeeded', breakthrough: 'skip locked' });
    const { content } = await tools.client.callTool({ name: 'recall', arguments: { query: 'pg-boss for the job queue' } });
    const [first] = content as readonly { readonly text: string }[];
    const lines = first?.text ?? '';
    expect(lines.indexOf('Given up before (library): pg-boss. lost jobs on failover')).toBeGreaterThan(0);
    expect(lines.indexOf('Given up before')).toBeLessThan(lines.indexOf('The job queue runs'));
    expect(await tools.call('recall_index', { query: 'pg-boss for the job queue' })).toMatchObject({ abandoned_warnings: [{ key }] });
    const deprioritised = await tools.call('deprioritise', { key_or_query: key, reason: 'moved on' });
    expect(deprioritised).toMatchObject({ affected: [{ key, warning: expect.stringContaining('Archive') }] });
  });

  it('hard work that was given up keeps its names out of recall', async () => {
    const trial = keyOf(await tools.call('remember', { content: 'Trial of a workflow engine.' }));
    const args = {
      key: trial,
      effort_score: 5,
      outcome: 'abandoned',
      abandoned_approaches: [
        { name: 'Temporalio', type: 'service', reason: 'a cluster for one cron job' },
        { name: 'on', type: 'approach', reason: 'a test' },
      ],
    };
    expect(await tools.call('record_experience', args)).toMatchObject({
      auto_suppressed: ['Temporalio'],
      not_suppressed: [{ name: 'on' }],
      experience_weight: 0.1,
    });
    expect(await tools.call('list_suppressions')).toMatchObject({ suppressed_topics: ['temporalio'] });
    expect(await tools.call('warn_if_abandoned', { query: 'turn it on with temporalio' })).toMatchObject({ total: 1, status: 'warning' });
  });

  it.each([
    ['record_experience', { effort_score: 3, outcome: 'succeeded' }, 'key'],
    ['record_experience', { key: 'mem:skill:gen:x', effort_score: 3, outcome: 'succeeded' }, 'key'],
    ['record_experience', { key: 'K', effort_score: 6, outcome: 'succeeded' }, 'effort_score'],
    ['record_experience', { key: 'K', effort_score: 3, outcome: 'failed' }, 'outcome'],
    ['record_experience', { key: 'K', effort_score: 3, outcome: 'succeeded', iterations: 0 }, 'iterations'],
    [
      'record_experience',
      { key: 'K', effort_score: 3, outcome: 'pivoted', abandoned_approaches: [{ name: 'x', type: 'idea', reason: 'y' }] },
      'abandoned_approaches',
    ],
    ['record_experience', { key: 'K', effort_score: 3, outcome: 'pivoted', abandoned_approaches: ['kafka'] }, 'abandoned_approaches'],
    ['log_abandoned', { key: 'K', name: ' ', type: 'library', reason: 'x' }, 'name'],
    ['log_abandoned', { key: 'K', name: 'x\ny', type: 'library', reason: 'x' }, 'name'],
    ['log_abandoned', { key: 'K', name: '?!', type: 'library', reason: 'x' }, 'name'],
    ['log_abandoned', { key: 'K', name: 'x', type: 'idea', reason: 'x' }, 'type'],
    ['log_abandoned', { key: 'K', name: 'x', type: 'library', reason: '' }, 'reason'],
    ['log_abandoned', { key: 'K', name: 'never logged', type: 'library', reason: 'x', lift: true }, 'dead end'],
    ['log_abandoned', { key: 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV', name: 'x', type: 'library', reason: 'x' }, 'key'],
    ['get_experience', { key: 'nope' }, 'key'],
    ['experience_summary', { project: '../x' }, 'project'],
    ['warn_if_abandoned', { query: '  ' }, 'query'],
    ['warn_if_abandoned', { query: 'x', project: 'a/b' }, 'project'],
  ])('%s refuses %j and names %s', async (name, args, word) => {
    const size = await eventsTold(test.log);
    const refusal = await tools.refused(name, { ...args, ...('key' in args && args.key === 'K' && { key }) });
    expect(refusal).toMatchObject({ hint: expect.any(String) });
    expect(['VALIDATION', 'NOT_FOUND']).toContain(refusal.code);
    expect(`${refusal.message} ${refusal.hint}`.toLowerCase()).toContain(word.toLowerCase());
    expect(await eventsTold(test.log)).toBe(size);
  });
});
