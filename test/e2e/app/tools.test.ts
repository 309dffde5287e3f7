import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

describe('tools through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  const call: Tools['call'] = (name, args) => tools.call(name, args);
  beforeAll(async () => {
    test = await openTestApp();
    http = await serve(test.app);
    tools = await connectTools(http.url, 'tool-test');
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  it('lists them, and says its version', async () => {
    const { tools: listed } = await tools.client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(await call('version')).toEqual({ version: tools.client.getServerVersion()?.version });
  });

  it('remember, recall, recall_index, recall_detail', async () => {
    const stored = await call('remember', {
      content: 'The billing webhook retries seven times before it raises ERR_BILLING_4711.',
      project: 'billing',
      tags: ['webhook', 'retry'],
      licence: 'MIT',
      provenance: 'asserted',
      event_date: '2026-02-03',
    });
    expect(stored).toMatchObject({ status: 'stored', namespace: 'episodic', embedding: 'stored' });
    const key = keyOf(stored);

    const recalled = await call('recall', { query: 'ERR_BILLING_4711', score_breakdown: true });
    expect(resultsOf(recalled)[0]).toMatchObject({
      key,
      project: 'billing',
      tags: ['webhook', 'retry'],
      licence: 'open',
      licence_note: 'MIT',
      provenance: 'asserted',
      event_date: '2026-02-03T00:00:00.000Z',
      state: 'active',
    });
    expect(resultsOf(recalled)[0]?.score_breakdown).toMatchObject({ surface: 1 });
    expect(recalled).toMatchObject({ search: 'fused', notice: expect.stringContaining('data from memory') });

    const short = await call('recall_index', { query: 'how often does the billing webhook retry', snippet_length: 60 });
    expect(resultsOf(short)[0]).toMatchObject({ key, snippet: expect.stringContaining('webhook') });
    expect(String(resultsOf(short)[0]?.snippet).length).toBeLessThanOrEqual(64);
    expect(resultsOf(short)[0]).not.toHaveProperty('content');

    const unknown = 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV';
    expect(resultsOf(await call('recall_detail', { keys: [key, unknown] }))).toMatchObject([
      { key, content: expect.stringContaining('seven times') },
      { key: unknown, status: 'not_found' },
    ]);
    expect(resultsOf(await call('recall', { query: 'ERR_BILLING_4711', project_filter: ['other'] }))).toEqual([]);
    expect(resultsOf(await call('recall', { query: 'ERR_BILLING_4711', namespaces: ['preference'] }))).toEqual([]);
  });

  it('remember answers a duplicate with what is there, and a repeated command_id with the first result', async () => {
    const content = 'Deploys go out on weekdays before three in the afternoon.';
    const command_id = '01JZZZZZZZZZZZZZZZZZZZZZZ1';
    const first = await call('remember', { content, command_id });
    const events = await eventsTold(test.log);
    expect(await call('remember', { content, command_id })).toMatchObject({ status: 'stored', key: first.key });
    expect(await call('remember', { content: content.toUpperCase() })).toMatchObject({
      status: 'duplicate_found',
      existing_key: first.key,
      hint: expect.stringContaining('Nothing was stored'),
    });
    expect(await eventsTold(test.log)).toBe(events);
  });

  it('remember_document cuts a text into memories of one document', async () => {
    const paragraph = (n: number): string => `Chapter ${n} of the runbook explains step number ${n} of the failover drill in detail.`;
    const content = Array.from({ length: 4 }, (_, n) => `${paragraph(n)} ${'Then wait for the replica. '.repeat(30)}`).join('\n\n');
    const stored = await call('remember_document', { content, project: 'runbook', chunk_strategy: 'paragraphs', licence: 'unknown' });
    const keys = stored.keys as string[];
    expect(stored).toMatchObject({ doc_id: expect.any(String), chunks_stored: keys.length, duplicates_skipped: 0 });
    expect(keys.length).toBeGreaterThan(1);
    const again = await call('remember_document', { content, project: 'runbook', chunk_strategy: 'paragraphs' });
    expect(again).toMatchObject({ chunks_stored: 0, duplicates_skipped: keys.length, keys: [] });

    const found = await call('recall', { query: 'Chapter 2 failover drill', project_filter: 'runbook' });
    expect(found).toMatchObject({ licence_notice: expect.any(String) });
    const stamped = await call('set_licence', { keys: [keys[0] ?? ''], licence: 'CC-BY-4.0' });
    expect(stamped).toMatchObject({ licence: 'open', classified: keys.length, cascaded: 0, not_found: [] });
    const asserted = await call('set_provenance', { keys, provenance: 'retrieved' });
    expect(asserted).toMatchObject({ provenance: 'retrieved', classified: keys.length });
    for (const result of resultsOf(await call('recall_detail', { keys })))
      expect(result).toMatchObject({ licence: 'open', provenance: 'retrieved', doc_id: stored.doc_id });
  });

  it('retag, revise, and the history that explain_memory tells', async () => {
    const key = keyOf(await call('remember', { content: 'The nightly export runs at two.', tags: ['export'] }));
    expect(await call('retag', { key, add: ['nightly'], remove: ['export'] })).toMatchObject({
      status: 'updated',
      tags: ['nightly'],
      previous_tags: ['export'],
    });
    expect(await call('retag', { key, add: ['nightly'] })).toMatchObject({ status: 'unchanged' });
    expect(await tools.refused('retag', { key, tags: [], add: ['x'] })).toMatchObject({ code: 'VALIDATION', hint: expect.any(String) });
    expect(await call('revise', { key, content: 'The nightly export runs at four.', reason: 'clash with backups' })).toMatchObject({
      status: 'revised',
    });
    expect(resultsOf(await call('recall', { query: 'when does the nightly export run' }))[0]).toMatchObject({
      key,
      content: 'The nightly export runs at four.',
    });
    const { timeline } = (await call('explain_memory', { key })) as { timeline: { event: string; actor: string; changed: unknown }[] };
    expect(timeline.map(({ event, actor }) => [event, actor])).toEqual([
      ['MemoryRemembered', 'mcp:tool-test/1.0'],
      ['MemoryRetagged', 'mcp:tool-test/1.0'],
      ['MemoryRevised', 'mcp:tool-test/1.0'],
    ]);
    expect(timeline[2]?.changed).toEqual({
      content: { from: 'The nightly export runs at two.', to: 'The nightly export runs at four.' },
    });
  });

  it('deprioritise, archive, reinstate', async () => {
    const key = keyOf(await call('remember', { content: 'Kafka was evaluated for the audit pipeline in spring.' }));
    expect(await call('deprioritise', { key_or_query: key, reason: 'dropped', reinstate_hints: ['event bus'] })).toMatchObject({
      affected: [{ key, previous_state: 'active', new_state: 'deprioritised', surface_score: 0.2 }],
    });
    expect(resultsOf(await call('recall', { query: 'choosing an event bus' }))[0]).toMatchObject({ key, reinstate_candidate: true });
    expect(await call('archive', { key_or_query: key, reason: 'done' })).toMatchObject({ affected: [{ key, new_state: 'archived' }] });
    expect(resultsOf(await call('recall', { query: 'Kafka audit pipeline' })).map((found) => found.key)).not.toContain(key);
    expect(await call('reinstate', { key_or_query: key })).toMatchObject({ affected: [{ key, new_state: 'active', surface_score: 1 }] });
    expect(resultsOf(await call('recall', { query: 'Kafka audit pipeline' }))[0]?.key).toBe(key);
  });

  it('archive by words answers a repeated command_id as the first time', async () => {
    const content = 'Grafana dashboards live in the observability folder of the monorepo.';
    const key = keyOf(await call('remember', { content }));
    const args = { key_or_query: content, reason: 'moved', command_id: '01JZZZZZZZZZZZZZZZZZZZZZZ2' };
    expect(await call('archive', args)).toMatchObject({ affected: [{ key, new_state: 'archived' }] });
    expect(await call('archive', args)).toMatchObject({ affected: [{ key, new_state: 'archived' }] });
  });

  it('suppress_topic, list_suppressions, unsuppress_topic', async () => {
    const key = keyOf(await call('remember', { content: 'Jenkins still builds the legacy installer.' }));
    await call('suppress_topic', { topic: 'Jenkins', reason: 'noise' });
    expect(await call('list_suppressions')).toMatchObject({ suppressed_topics: ['jenkins'], reasons: { jenkins: 'noise' } });
    expect(resultsOf(await call('recall', { query: 'who builds the legacy installer' })).map((found) => found.key)).not.toContain(key);
    await call('unsuppress_topic', { topic: 'jenkins' });
    expect(await call('list_suppressions')).toMatchObject({ suppressed_topics: [] });
    expect(resultsOf(await call('recall', { query: 'who builds the legacy installer' }))[0]?.key).toBe(key);
  });

  it('find_duplicates and memory_audit', async () => {
    const twins = ['The cache key holds the tenant and the locale.', 'The cache key holds the tenant and the locale!'];
    for (const content of twins) await call('remember', { content, project: 'twins', force: true });
    const { clusters } = (await call('find_duplicates', { project_filter: 'twins' })) as { clusters: { memories: { key: string }[] }[] };
    expect(clusters.map(({ memories }) => memories.length)).toEqual([2]);
    const audit = await call('memory_audit', { project: 'twins', limit: 1 });
    expect(audit).toMatchObject({ matching_total: 2, returned: 1, has_more: true, summary: { active: 2, archived: 0 } });
    const next = await call('memory_audit', { project: 'twins', limit: 1, offset: 1 });
    expect(next).toMatchObject({ returned: 1, has_more: false });
    expect([audit, next].map(({ entries }) => (entries as { key: string }[])[0]?.key).sort()).toEqual(
      clusters[0]?.memories.map(({ key }) => key).sort(),
    );
  });

  it('forget shows first and erases exactly that', async () => {
    const key = keyOf(await call('remember', { content: 'The old VPN password hint mentions a walrus.' }));
    expect(await call('forget', { key_or_query: key })).toMatchObject({ status: 'preview', targets: [{ key }] });
    expect(await call('forget', { key_or_query: key, confirm: true, keys: [key] })).toMatchObject({
      status: 'deleted',
      deleted_keys: [key],
    });
    expect(resultsOf(await call('recall', { query: 'walrus' }))).toEqual([]);
    expect(resultsOf(await call('recall_detail', { keys: [key] }))).toMatchObject([{ status: 'not_found' }]);
    expect(await call('explain_memory', { key })).toMatchObject({ status: 'forgotten', timeline: [{ erased: true }, {}] });
  });

  it('health is not red', async () => {
    const health = await call('health');
    expect(health).toMatchObject({ valkey_connected: true, model_loaded: true });
    expect((health.issues as { severity: string }[]).filter(({ severity }) => severity === 'red')).toEqual([]);
  });

  it.each([
    ['remember', {}, 'content'],
    ['remember', { content: 'x', namespace: 'skill' }, 'namespace'],
    ['remember', { content: 'x', licence: 7 }, 'licence'],
    ['remember', { content: 'x', event_date: 'tomorrow' }, 'event_date'],
    ['remember', { content: 'x', command_id: 'no' }, 'command_id'],
    ['remember_document', { content: 'x', chunk_strategy: 'pages' }, 'chunk_strategy'],
    ['recall', { query: '   ' }, 'query'],
    ['recall', { query: 'x', top_k: 'many' }, 'top_k'],
    ['recall', { query: 'x', namespaces: ['skills'] }, 'namespaces'],
    ['recall_detail', { keys: 7 }, 'keys'],
    ['revise', { key: 'nope', content: 'x' }, 'key'],
    ['deprioritise', { key_or_query: 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV' }, 'reason'],
    ['set_licence', { keys: [], licence: 'own' }, 'keys'],
    ['set_provenance', { keys: ['mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV'], provenance: 'rumour' }, 'provenance'],
    ['find_duplicates', { threshold: 7 }, 'threshold'],
    ['memory_audit', { project: '../x' }, 'project'],
    ['explain_memory', { key: 'mem:skill:gen:python-local' }, 'key'],
    ['suppress_topic', { topic: '' }, 'topic'],
  ])('%s refuses %j and names %s', async (name, args, word) => {
    const events = await eventsTold(test.log);
    const refusal = await tools.refused(name, args);
    expect(refusal).toMatchObject({ hint: expect.any(String) });
    expect(['VALIDATION', 'NOT_FOUND']).toContain(refusal.code);
    expect(`${refusal.message} ${refusal.hint}`.toLowerCase()).toContain(word.toLowerCase());
    expect(await eventsTold(test.log)).toBe(events);
  });
});
