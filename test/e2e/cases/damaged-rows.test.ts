import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServed, type Served } from './served.js';

describe('hazard 13: a damaged row of any view', () => {
  let served: Served;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    served = await openServed({ env: { AUTO_MAINTENANCE_INTERVAL: '0' } });
    const { call, remember } = served;
    keys.read = await remember('The tide gauge was read at dawn.', { project: 'gauge', tags: ['gauge'] });
    await call('record_experience', {
      key: keys.read,
      effort_score: 3,
      outcome: 'succeeded',
      breakthrough: 'A mirror',
      gotchas: 'Fog',
      abandoned_approaches: [{ name: 'sextant', type: 'tool', reason: 'rusty' }],
    });
    keys.always = await remember('Always read the gauge', { project: 'gauge' });
    keys.never = await remember('Never read the gauge', { project: 'gauge' });
    await call('check_contradictions', { project_filter: 'gauge' });
    keys.aside = await remember('The old gauge', { project: 'gauge' });
    await call('deprioritise', { key_or_query: keys.aside, reason: 'broken', reinstate_hints: ['gauge'] });
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    await remember('Gauge news', { namespace: 'knowledge', project: 'gauge', expires_at, event_date: '2026-01-01' });
    const texts = { description: 'Gauges', stack: 'Brass', goals: 'Know the tide', current_state: 'Ebb', notes: 'Salt' };
    await call('set_project_context', { project_name: 'gauge', ...texts });
    await call('suppress_topic', { topic: 'barnacles', reason: 'noise' });
    for (const end of ['', '.']) await remember(`The float was replaced${end}`, { project: 'gauge' });
    await call('maintain', { project: 'gauge' });
    await call('recall', { query: 'gauge' });
  });
  afterAll(() => served.end());

  const reads = (): readonly (readonly [string, Record<string, unknown>])[] => [
    ['recall', { query: 'tide gauge sextant' }],
    ['recall_index', { query: 'gauge', project_filter: 'gauge' }],
    ['recall_detail', { keys: Object.values(keys) }],
    ['memory_audit', { include_archived: true }],
    ['memory_audit', { project: 'gauge' }],
    ['briefing', {}],
    ['briefing', { project: 'gauge' }],
    ['experience_summary', { project: 'gauge' }],
    ['get_experience', { key: keys.read }],
    ['explain_memory', { key: keys.read }],
    ['explain_memory', { key: keys.always }],
    ['explain_memory', { key: 'mem:project:gauge' }],
    ['warn_if_abandoned', { query: 'sextant' }],
    ['list_projects', {}],
    ['get_project_context', { project_name: 'gauge' }],
    ['compile_project_context', { project_name: 'gauge' }],
    ['recent_knowledge', { days: 7 }],
    ['find_duplicates', { threshold: 0.5 }],
    ['check_contradictions', { project_filter: 'gauge' }],
    ['list_suppressions', {}],
    ['queue_status', {}],
    ['health', {}],
    ['why_did_you_mention', { query: 'gauge' }],
    ['maintain', { dry_run: true }],
    ['delete_project', { project_name: 'gauge' }],
    ['deprioritise_project', { project_name: 'gauge' }],
    ['forget', { project: 'gauge' }],
  ];

  it('breaks no answer, no list and no figure', { timeout: 120_000 }, async () => {
    const { redis, keys: names, app } = served.test;
    const rows = (await redis.keys(`${names.prefix}view:*`)).sort();
    expect(rows.length).toBeGreaterThan(50);
    const broken: string[] = [];
    for (const row of rows) {
      const whole = await redis.dumpBuffer(row);
      const damage = redis.multi();
      if ((await redis.type(row)) === 'zset') damage.zadd(row, 0, 'x');
      else for (const field of await redis.hkeys(row)) damage.hset(row, field, 'x');
      await damage.exec();
      const answers = await Promise.all(reads().map(async ([tool, args]) => [tool, await served.tools.outcome(tool, args)] as const));
      for (const [tool, answered] of answers)
        if ('refusal' in answered && answered.refusal.code === 'INTERNAL') broken.push(`${tool}: ${row}`);
      expect((await app.metrics()).body).toContain('omnimem_memories_total');
      if (whole) await redis.restore(row, 0, whole, 'REPLACE');
    }
    expect(broken).toEqual([]);
  });
});
