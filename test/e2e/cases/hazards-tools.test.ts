import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listTools } from '../../../services/mcp/toolset.js';
import { erasuresConfirmed } from '../../support/erasures.js';
import { eventsTold } from '../../support/eventlog.js';
import { connectTools, resultsOf } from '../app/client.js';
import { openServed, type Served } from './served.js';

describe('hazards that the specification lists, through the tools', () => {
  let served: Served;
  beforeAll(async () => {
    served = await openServed({ env: { AUTO_MAINTENANCE_INTERVAL: '0' } });
  });
  afterAll(() => served.end());

  it('2: a query that names a dead end never means the memory that carries it', async () => {
    const { call, remember } = served;
    const carrier = await remember('The tide cache is a hash in Valkey, read once an hour.', { project: 'tides' });
    await call('log_abandoned', { key: carrier, name: 'memcached', type: 'tool', reason: 'evicts the tide table' });
    const warned = await call('recall', { query: 'memcached' });
    expect(warned).toMatchObject({ abandoned_warnings: [{ key: carrier }] });
    for (const query of ['memcached', 'use memcached for the tides'])
      for (const [tool, args] of [
        ['forget', { key_or_query: query }],
        ['archive', { key_or_query: query }],
        ['deprioritise', { key_or_query: query, reason: 'x' }],
        ['reinstate', { key_or_query: query }],
      ] as const)
        expect(JSON.stringify(await call(tool, args))).not.toContain(carrier);
    expect(await call('explain_memory', { key: carrier })).toMatchObject({ state: 'active' });
  });

  it('8: what one session suppresses, records or says of a project the other meets at once', async () => {
    const { call, http, remember } = served;
    await using other = await connectTools(http.url, 'other');
    const key = await remember('The beacon flashes twice.', { project: 'lights' });
    await other.call('suppress_topic', { topic: 'beacon' });
    expect(resultsOf(await call('recall', { query: 'The beacon flashes twice' }))).toEqual([]);
    expect(JSON.stringify(await call('briefing', { project: 'lights' }))).not.toContain(key);
    await call('unsuppress_topic', { topic: 'beacon' });
    expect(resultsOf(await other.call('recall', { query: 'The beacon flashes twice' }))[0]).toMatchObject({ key });
  });

  it('11: nothing asked for is nothing found, and means nothing', async () => {
    const { call, remember, tools, test } = served;
    const key = await remember('A rusted anchor lies on the quay.', { project: 'quay' });
    await call('deprioritise', { key_or_query: key, reason: 'old', reinstate_hints: ['', ' ', '\t'] });
    await call('reinstate', { key_or_query: key });
    await call('log_abandoned', { key, name: 'grapnel', type: 'tool', reason: 'slips' });
    const size = await eventsTold(test.log);
    for (const empty of ['', '  ', '\t\n', '\u200b'])
      for (const [tool, args] of [
        ['recall', { query: empty }],
        ['recall_index', { query: empty }],
        ['warn_if_abandoned', { query: empty }],
        ['why_did_you_mention', { query: empty }],
        ['why_did_you_mention', { key: empty }],
        ['check_contradictions', { query: empty }],
        ['forget', { key_or_query: empty }],
        ['forget', { key_or_query: empty, confirm: true }],
        ['forget', { keys: [], confirm: true }],
        ['forget', { keys: [empty], confirm: true }],
        ['forget', { project: empty }],
        ['forget', { doc_id: empty }],
        ['archive', { key_or_query: empty }],
        ['deprioritise', { key_or_query: empty, reason: 'x' }],
        ['reinstate', { key_or_query: empty }],
        ['suppress_topic', { topic: empty }],
        ['briefing', { project: empty }],
        ['memory_audit', { project: empty }],
        ['experience_summary', { project: empty }],
        ['find_duplicates', { project_filter: empty }],
        ['maintain', { project: empty }],
        ['delete_project', { project_name: empty, confirm: true }],
        ['deprioritise_project', { project_name: empty, confirm: true }],
        ['merge_projects', { from: empty, into: 'quay' }],
        ['recall', { query: 'anchor', project_filter: [empty] }],
        ['undo', { correlation: empty }],
      ] as const) {
        const answered = await tools.outcome(tool, args);
        if ('refusal' in answered)
          expect([tool, answered.refusal.code]).toEqual([tool, expect.stringMatching(/VALIDATION|CONFIRMATION_REQUIRED/)]);
        else expect([tool, JSON.stringify(answered.answer)]).toEqual([tool, expect.not.stringContaining(key)]);
      }
    expect(await eventsTold(test.log)).toBe(size);
  });

  it('18: what tools and guide say names parameters that there are', () => {
    const tools = listTools('full', true);
    const words = new Set(
      tools.flatMap(({ name, inputSchema, outputSchema }) => [
        name,
        ...Object.keys(inputSchema.properties ?? {}),
        ...Object.keys(outputSchema?.properties ?? {}),
      ]),
    );
    const inner =
      /^(reinstate_candidate|enriched_from|created_at|updated_at|changed_by|did_you_mean|current_state|suppressed_topics|result_type|abandoned_warning|has_more|not_found|duplicate_found|turn_pairs|fixed_tokens|estimated_tokens|no_experience|days_stale|removed_phantoms)$/;
    const unknown = tools.flatMap(({ name, description = '' }) =>
      (description.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? [])
        .filter((word) => !words.has(word) && !inner.test(word))
        .map((word) => `${name}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });

  it('18: every tool answers what its schema says', async () => {
    const { call, remember } = served;
    // From here on the client of the library holds every answer against the schema of its tool.
    const { tools: listed } = await served.tools.client.listTools();
    const seen = new Set<string>();
    const ask = async (tool: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
      const answer = await call(tool, args);
      seen.add(tool);
      return answer;
    };
    const project = 'schema';
    const text = 'The pilot boat leaves at six.';
    const key = String((await ask('remember', { content: text, project })).key);
    await ask('remember', { content: text, project });
    await ask('remember', { content: 'The pilot boat leaves at seven.', project });
    await ask('remember', { content: 'Another spelling', project: 'Schema' });
    await ask('remember_document', { content: `One. ${text}\n\nTwo.`, project });
    await ask('revise', { key, content: 'The pilot boat leaves at five.' });
    await ask('retag', { key, add: ['boat'] });
    await ask('set_licence', { keys: [key], licence: 'own', licence_note: 'ours' });
    await ask('set_provenance', { keys: [key], provenance: 'asserted' });
    await ask('log_abandoned', { key, name: 'rowing', type: 'approach', reason: 'slow' });
    await ask('log_abandoned', { key, name: 'rowing', type: 'approach', reason: 'slow' });
    const dead = ['Zeppelin', 'on'].map((name) => ({ name, type: 'tool', reason: 'x' }));
    const hard = await remember('Crossing by air', { project });
    await ask('record_experience', { key: hard, effort_score: 5, outcome: 'abandoned', abandoned_approaches: dead });
    await ask('deprioritise', { key_or_query: hard, reason: 'over', reinstate_hints: ['air'] });
    await ask('reinstate', { key_or_query: hard });
    const command_id = '01JZZZZZZZZZZZZZZZZZZZZZZ7';
    await ask('archive', { key_or_query: hard, command_id });
    await ask('undo', { correlation: command_id });
    await ask('set_project_context', {
      project_name: project,
      description: 'd',
      stack: 's',
      goals: 'g',
      current_state: 'c',
      domains: ['js', '##'],
    });
    await ask('update_project_state', { project_name: project, current_state: 'e' });
    await ask('update_project_state', { project_name: 'nothing', current_state: 'e' });
    await ask('get_project_context', { project_name: project });
    await ask('get_project_context', { project_name: 'schemas' });
    await ask('compile_project_context', { project_name: project, auto_save: true });
    await ask('compile_project_domains', { project_name: project, domains: ['js'] });
    await ask('compile_project_domains', { project_name: 'nothing' });
    await ask('list_projects');
    const [one, two] = [
      await remember('Always wave at the pilot boat', { project }),
      await remember('Never wave at the pilot boat', { project }),
    ];
    await ask('check_contradictions', { project_filter: project, use_api: true });
    await ask('resolve_contradiction', { key_a: one, key_b: two, keep: one });
    for (const end of ['', '.']) await remember(`Copy this${end}`, { project });
    await ask('find_duplicates', { project_filter: project, threshold: 0.5 });
    await ask('maintain', { project, dry_run: true });
    await ask('maintain', { project });
    await ask('suppress_topic', { topic: 'fog', reason: 'x' });
    await ask('list_suppressions');
    await ask('unsuppress_topic', { topic: 'fog' });
    for (const tool of ['recall', 'recall_index']) {
      await ask(tool, { query: 'pilot boat rowing', project_filter: project, expand_queries: true });
      await ask(tool, { query: 'pilot boat', domain_filter: ['cobol'], project_filter: ['schemer'] });
      await ask(tool, { query: 'nobody said this: xyzzy' });
    }
    await ask('recall_detail', { keys: [key, hard] });
    await ask('briefing', { project, max_tokens: 400 });
    await ask('briefing', { project: 'schemer' });
    await ask('memory_audit', { project, limit: 1 });
    await ask('memory_audit', { project: 'schemer' });
    await ask('explain_memory', { key });
    await ask('explain_memory', { key: `mem:project:${project}` });
    await ask('get_experience', { key: hard });
    await ask('experience_summary', { project });
    await ask('warn_if_abandoned', { query: 'rowing', project });
    await ask('why_did_you_mention', { query: 'pilot boat rowing' });
    await ask('recent_knowledge', { days: 3 });
    await ask('queue_status');
    await ask('health');
    await ask('version');
    await ask('reindex');
    const { filename } = await ask('dump_to_file');
    await ask('list_backups');
    await ask('restore_from_file', { filename });
    await ask('merge_projects', { from: 'Schema', into: project });
    await ask('deprioritise_project', { project_name: project });
    await ask('deprioritise_project', { project_name: project, confirm: true });
    await ask('reinstate_project', { project_name: project, confirm: true });
    await ask('forget', { key_or_query: key });
    await ask('forget', { key_or_query: key, confirm: true, keys: [key] });
    await ask('forget', { project: 'schemes' });
    await ask('delete_project', { project_name: project });
    await ask('delete_project', { project_name: project, confirm: true, include_context: true });
    expect(listed.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('20: deleting a large project takes a bounded number of steps', async () => {
    const { call, test } = served;
    const count = 1_200;
    for (let from = 0; from < count; from += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          test.app.commands.remember({ content: `Sounding ${from + n}.`, project: 'soundings', force: true }, test.call),
        ),
      );
    const scripts = async (): Promise<number> => {
      const stats = await test.redis.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };
    // The eraser's scripts for what was forgotten before are not this deletion's.
    await erasuresConfirmed(test);
    const [size, before] = [await eventsTold(test.log), await scripts()];
    expect(await call('delete_project', { project_name: 'soundings', confirm: true })).toMatchObject({ status: 'deleted', total: count });
    expect(await eventsTold(test.log)).toBe(size + count);
    // Batches of 200, and what each view takes of them; one by one it would be twelve hundred times that.
    expect((await scripts()) - before).toBeLessThan(count / 2);
    expect(await call('memory_audit', { project: 'soundings' })).toMatchObject({ total: 0 });
  });
});
