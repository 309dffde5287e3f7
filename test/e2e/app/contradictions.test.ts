import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

describe('contradictions and maintenance through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  beforeAll(async () => {
    test = await openTestApp();
    // The views are built behind the first calls, which takes a while on a busy machine.
    await vi.waitFor(() => test.verifyAll(), { timeout: 30_000, interval: 100 });
    http = await serve(test.app);
    tools = await connectTools(http.url, 'tidy-test');
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });
  const remember = async (content: string, more: object = {}) =>
    keyOf(await tools.call('remember', { content, force: true, project: 'lagoon', ...more }));
  type Pair = { readonly key_a: string; readonly key_b: string };

  it('check_contradictions flags a pair, recall marks it, resolve_contradiction settles it', async () => {
    const [old, fresh] = [
      await remember('The lagoon server listens on port 8081'),
      await remember('The lagoon server listens on port 8082'),
    ];
    const checked = await tools.call('check_contradictions', { project_filter: 'lagoon' });
    expect(checked).toMatchObject({ contradictions: [{ method: 'heuristic' }], checked: expect.any(Number), notice: expect.any(String) });
    const [pair] = checked.contradictions as Pair[];
    expect([pair?.key_a, pair?.key_b].sort()).toEqual([old, fresh].sort());

    const recalled = await tools.client.callTool({ name: 'recall', arguments: { query: 'lagoon server port' } });
    expect(JSON.stringify(recalled.content)).toContain(`contradicts ${fresh}`);
    expect(resultsOf(recalled.structuredContent as never).find(({ key }) => key === old)).toMatchObject({
      contradictions: 1,
      contradicts: [fresh],
    });
    expect(await tools.call('explain_memory', { key: old })).toMatchObject({ contradictions: [{ with: fresh, cue: 'number' }] });

    expect(await tools.refused('resolve_contradiction', { key_a: old, key_b: old })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('resolve_contradiction', { key_a: old })).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('key_b'),
    });
    expect(await tools.call('resolve_contradiction', { key_a: old, key_b: fresh, keep: fresh })).toMatchObject({
      status: 'resolved',
      kept: fresh,
      deprioritised: old,
    });
    expect(await tools.refused('resolve_contradiction', { key_a: old, key_b: fresh })).toMatchObject({
      code: 'CONFLICT',
      hint: expect.any(String),
    });
    const after = resultsOf(await tools.call('recall', { query: 'lagoon server port' }));
    expect(after.find(({ key }) => key === fresh)).not.toHaveProperty('contradicts');
    expect(after.findIndex(({ key }) => key === fresh)).toBeLessThan(after.findIndex(({ key }) => key === old));
    expect(await tools.refused('check_contradictions', { namespace: 'dreams' })).toMatchObject({ code: 'VALIDATION' });
  });

  it('revise settles a pair of which the two texts agree by then, and no other', async () => {
    const inFirth = { project: 'firth' };
    const seven = await remember('The firth pool runs 7 worker threads', inFirth);
    const nine = await remember('The firth pool runs 9 worker threads', inFirth);
    expect((await tools.call('check_contradictions', { project_filter: 'firth' })).contradictions).toHaveLength(1);
    const warnings = async () => (await tools.call('briefing', { project: 'firth' })).contradiction_warnings;
    expect(await warnings()).toHaveLength(1);

    expect(await tools.call('revise', { key: nine, content: 'The firth pool runs 8 worker threads' })).not.toHaveProperty(
      'contradictions_settled',
    );
    expect(await warnings()).toHaveLength(1);

    const command_id = '01KBX000000000000000000F1R';
    const revised = { key: nine, content: 'The firth pool runs 7 worker threads in every region', command_id };
    expect(await tools.call('revise', revised)).toMatchObject({ status: 'revised', contradictions_settled: [seven] });
    expect(await warnings()).toBeUndefined();
    for (const key of [seven, nine]) expect(await tools.call('explain_memory', { key })).not.toHaveProperty('contradictions');
    expect(await tools.call('check_contradictions', { project_filter: 'firth' })).toMatchObject({ contradictions: [] });
    expect(await tools.call('revise', revised)).toMatchObject({ status: 'revised', contradictions_settled: [seven] });

    await tools.call('undo', { correlation: command_id });
    expect(await warnings()).toHaveLength(1);
  });

  it('maintain archives a copy, and undo brings it back', async () => {
    const [older, newest] = [
      await remember('The lagoon tide table is refreshed hourly'),
      await remember('The lagoon tide table is refreshed hourly.'),
    ];
    expect(await tools.call('maintain', { project: 'lagoon', dry_run: true })).toMatchObject({
      status: 'dry_run',
      duplicates_archived: [{ key: older, kept: newest }],
    });
    const ran = await tools.call('maintain', { project: 'lagoon' });
    expect(ran).toMatchObject({
      status: 'ran',
      correlation: expect.any(String),
      left: 0,
      duplicates_archived: [{ key: older, kept: newest }],
    });
    expect(resultsOf(await tools.call('recall', { query: 'lagoon tide table' })).map(({ key }) => key)).not.toContain(older);
    const news = async () => (await tools.call('briefing', { project: 'lagoon' })).auto_maintenance;
    expect(await news()).toMatchObject({ correlation: ran.correlation });
    expect(await tools.call('undo', { correlation: ran.correlation })).toMatchObject({ status: 'undone', irreversible: [] });
    expect(await news()).toBeUndefined();
    expect(resultsOf(await tools.call('recall', { query: 'lagoon tide table' })).map(({ key }) => key)).toContain(older);
    expect(await tools.refused('maintain', { project: '../x' })).toMatchObject({ code: 'VALIDATION' });
  });

  it('remember takes expires_at for knowledge', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const key = await remember('Lagoon vendor prices hold until noon', { namespace: 'knowledge', expires_at });
    expect(resultsOf(await tools.call('recall', { query: 'lagoon vendor prices' })).find((result) => result.key === key)).toMatchObject({
      expires_at,
    });
    expect(await tools.refused('remember', { content: 'Lagoon is blue', expires_at })).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('knowledge'),
    });
    expect(await tools.refused('remember', { content: 'Lagoon is blue', namespace: 'knowledge', expires_at: '2001-01-01' })).toMatchObject({
      code: 'VALIDATION',
    });
  });
});
