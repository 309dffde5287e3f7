import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { createRemoteCaller } from '../../../services/mcp/stdio/remote.js';
import { toolsByName } from '../../../services/mcp/toolset.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { raw, stateless } from '../../support/mcp.js';
import { type Answer, connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

const TEXTS = {
  project_name: 'billing',
  description: 'Bills the customers of the marmalade shop.',
  stack: 'TypeScript, Valkey',
  goals: 'No invoice is lost.',
  current_state: 'Webhooks retry seven times.',
};

type Briefed = { readonly project_context: { readonly version: number } };

describe('projects through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let one: Tools;
  let two: Tools;
  beforeAll(async () => {
    test = await openTestApp();
    http = await serve(test.app);
    one = await connectTools(http.url, 'one');
    two = await connectTools(http.url, 'two');
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  it('set_project_context, get_project_context, list_projects', async () => {
    expect(await one.call('get_project_context', { project_name: 'billing' })).toMatchObject({ status: 'not_found' });
    expect(await one.call('set_project_context', { ...TEXTS, notes: 'Ask Ada.' })).toMatchObject({ status: 'stored', version: 1 });
    expect(await one.call('get_project_context', { project_name: 'billing' })).toMatchObject({
      ...TEXTS,
      status: 'found',
      notes: 'Ask Ada.',
      version: 1,
      notice: expect.stringContaining('data from memory'),
    });
    await one.call('remember', { content: 'The invoice job runs at two in the morning.', project: 'billing' });
    const { projects, total } = await one.call('list_projects');
    expect(total).toBe(1);
    expect(projects).toEqual([
      {
        project_name: 'billing',
        description: TEXTS.description,
        state: 'active',
        has_context: true,
        memory_count: 1,
        by_namespace: { episodic: 1 },
        updated_at: expect.stringMatching(/^20/),
      },
    ]);
    const { results } = await one.call('recall', { query: 'who bills the customers of the marmalade shop' });
    expect((results as Answer[])[0]).toMatchObject({ key: 'mem:project:billing', project: 'billing' });
  });

  it('two clients never overwrite each other silently', async () => {
    await one.call('get_project_context', { project_name: 'billing' });
    await two.call('get_project_context', { project_name: 'billing' });
    expect(await one.call('update_project_state', { project_name: 'billing', current_state: 'Refunds work.' })).toMatchObject({
      status: 'updated',
      version: 2,
      replaced: { current_state: TEXTS.current_state, by: 'mcp:one/1.0' },
    });
    const refusal = await two.refused('update_project_state', { project_name: 'billing', current_state: 'Taxes work.' });
    expect(refusal).toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('version: 2') });
    expect(refusal.message).toMatch(/Refunds work\./);
    expect(refusal.message).toMatch(/by mcp:one\/1\.0/);
    const merged = { project_name: 'billing', current_state: 'Refunds and taxes work.', version: 2 };
    expect(await two.call('update_project_state', merged)).toMatchObject({ status: 'updated', version: 3 });
    expect(await one.refused('set_project_context', { ...TEXTS, version: 2 })).toMatchObject({ code: 'CONFLICT' });
    expect(await one.call('update_project_state', { project_name: 'nothing', current_state: 'x' })).toMatchObject({ status: 'not_found' });
  });

  it('a client over stdio is one session, though its requests have none', async () => {
    const [first, second] = [overStdio(), overStdio()];
    await first('get_project_context', { project_name: 'billing' });
    const state = { project_name: 'billing', current_state: 'Written by another process.' };
    expect(await second('update_project_state', state)).toMatchObject({ status: 'updated' });
    expect(await first('update_project_state', { ...state, current_state: 'Mine.' })).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  type Run = (name: string, args: object) => Promise<unknown>;

  const overStdio = (): Run => {
    const caller = createRemoteCaller({ connectInstance: async () => ({ url: http.url }) });
    return async (name, args) =>
      (
        await caller({
          tool: toolsByName.get(name) ?? expect.unreachable(),
          arguments: args,
          actor: 'mcp:stdio/1',
          client: { name: 'stdio', version: '1' },
          signal: new AbortController().signal,
          progress: () => undefined,
        })
      ).structuredContent;
  };

  const overHttp = async (): Promise<Run> => async (name, args) =>
    (await two.client.callTool({ name, arguments: { ...args } })).structuredContent;

  const overSse = async (): Promise<Run> => {
    const client = new Client({ name: 'sse', version: '1.0' });
    await client.connect(new SSEClientTransport(new URL('/sse', http.url)));
    return async (name, args) => (await client.callTool({ name, arguments: { ...args } })).structuredContent;
  };

  const withoutSession: Run = async (name, args) => {
    const { body } = await raw(
      http.url,
      'POST',
      { 'MCP-Protocol-Version': '2026-07-28' },
      stateless('tools/call', { name, arguments: args }),
    );
    return body.result?.structuredContent;
  };

  it.each([
    ['HTTP', overHttp],
    ['SSE', overSse],
    ['stdio', async () => overStdio()],
  ] as const)(
    'over %s, a session that was briefed and then writes has seen what another wrote meanwhile, or is refused',
    async (via, open) => {
      const project_name = `briefed-over-${via}`;
      await one.call('set_project_context', { ...TEXTS, project_name });
      const run = await open();
      const project = { project: project_name };
      expect(await run('briefing', project)).toMatchObject({ project_context: { version: 1 } });
      await one.call('update_project_state', { project_name, current_state: 'The other one was here.' });
      const mine = { project_name, current_state: 'Mine.' };
      const refused = { error: { code: 'CONFLICT', message: expect.stringContaining('The other one was here.') } };
      expect(await run('update_project_state', mine)).toMatchObject(refused);
      expect(await run('set_project_context', { ...TEXTS, ...mine })).toMatchObject(refused);
      await one.call('remember', { content: `The ${via} gate opens at noon.`, project: project_name, mode: 'raw' });
      const compiled = { project_name, auto_save: true };
      expect(await run('compile_project_context', compiled)).toMatchObject(refused);
      expect(await run('briefing', project)).toMatchObject({ project_context: { version: 2 } });
      expect(await run('update_project_state', mine)).toMatchObject({ status: 'updated', version: 3 });
      // Whoever writes has read what is there now, and not what comes after.
      expect(await run('update_project_state', { project_name, current_state: 'Mine again.' })).toMatchObject({ version: 4 });
      expect(await run('compile_project_context', compiled)).toMatchObject({ auto_saved: true, version: 5 });
      expect(await run('update_project_state', mine)).toMatchObject({ version: 6 });
      await one.call('briefing', project);
      await one.call('update_project_state', { project_name, current_state: 'The other one again.' });
      expect(await run('update_project_state', mine)).toMatchObject({ error: { code: 'CONFLICT' } });
    },
  );

  it('of two callers without a session that pass the version of their briefing, the second is refused with the newer state', async () => {
    const project_name = 'without-session';
    await one.call('set_project_context', { ...TEXTS, project_name });
    const briefed = async () => ((await withoutSession('briefing', { project: project_name })) as Briefed).project_context.version;
    const [a, b] = [await briefed(), await briefed()];
    const update = (current_state: string, version?: number) =>
      withoutSession('update_project_state', { project_name, current_state, ...(version !== undefined && { version }) });
    expect(await update('Refunds work.', a)).toMatchObject({ status: 'updated', version: 2 });
    expect(await update('Taxes work.', b)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringMatching(/Refunds work\./), hint: expect.stringContaining('version: 2') },
    });
    expect(await update('Refunds and taxes work.', 2)).toMatchObject({ status: 'updated', version: 3 });
    // Without a version nobody can tell what was read: it is written, and what it replaced is said.
    expect(await update('Taxes alone.')).toMatchObject({ status: 'updated', replaced: { current_state: 'Refunds and taxes work.' } });
  });

  it('a project with memories and no context says what to do', async () => {
    await one.call('remember', { content: 'The quince press needs oil.', project: 'press' });
    const note = expect.stringMatching(/set_project_context.*compile_project_context/);
    expect(await one.call('update_project_state', { project_name: 'press', current_state: 'Oiled.' })).toMatchObject({
      status: 'not_found',
      note,
    });
    expect(await one.call('get_project_context', { project_name: 'press' })).toMatchObject({ status: 'not_found', note });
  });

  it('previews of a merged project list every name whose memories are meant', async () => {
    await one.call('remember', { content: 'The old till counts shillings.', project: 'old-till' });
    await one.call('remember', { content: 'The new till counts euros and cents.', project: 'new-till' });
    await one.call('merge_projects', { from: 'old-till', into: 'new-till' });
    const names = { project_names: ['new-till', 'old-till'], note: expect.stringMatching(/"new-till", "old-till"/) };
    for (const project_name of ['new-till', 'old-till']) {
      expect(await one.call('delete_project', { project_name })).toMatchObject({ status: 'preview', total: 2, ...names });
      expect(await one.call('deprioritise_project', { project_name })).toMatchObject({ status: 'preview', total: 2, ...names });
    }
    await one.call('deprioritise_project', { project_name: 'new-till', confirm: true });
    expect(await one.call('reinstate_project', { project_name: 'old-till' })).toMatchObject({ status: 'preview', total: 2, ...names });
    expect(await one.call('delete_project', { project_name: 'press' })).not.toHaveProperty('project_names');
  });

  it('compile_project_context drafts, and keeps the draft when asked', async () => {
    const content = 'The ledger is exported as CSV with semicolons.';
    const key = keyOf(await one.call('remember', { content, project: 'ledger', tags: ['export', 'csv'], mode: 'raw' }));
    const drafted = await one.call('compile_project_context', { project_name: 'ledger' });
    expect(drafted).toMatchObject({
      memory_count: 1,
      draft: { stack: 'csv, export', current_state: content },
      top_tags: ['csv', 'export'],
      memories: [{ key, content }],
    });
    expect(await one.call('compile_project_context', { project_name: 'ledger', auto_save: true })).toMatchObject({ auto_saved: true });
    expect(await one.call('get_project_context', { project_name: 'ledger' })).toMatchObject({
      current_state: content,
      compiled: ['stack', 'current_state'],
      provenance: 'concluded',
    });
    expect(await one.call('compile_project_context', { project_name: 'nothing', auto_save: true })).toMatchObject({
      memory_count: 0,
      note: expect.stringContaining('Nothing was saved'),
    });
  });

  it('deprioritise_project and reinstate_project', async () => {
    const project = { project_name: 'ledger' };
    expect(await one.call('deprioritise_project', project)).toMatchObject({ status: 'preview', would_deprioritise: { episodic: 1 } });
    expect(await one.call('deprioritise_project', { ...project, confirm: true, reason: 'over' })).toMatchObject({
      status: 'deprioritised',
      deprioritised: { episodic: 1 },
    });
    expect(await one.call('deprioritise_project', project)).toMatchObject({ status: 'nothing_to_change' });
    expect(await one.call('reinstate_project', project)).toMatchObject({ status: 'preview', would_reinstate: { episodic: 1 } });
    expect(await one.call('reinstate_project', { ...project, confirm: true })).toMatchObject({ status: 'reinstated', total: 1 });
    expect(await one.call('reinstate_project', { project_name: 'nothing' })).toMatchObject({ status: 'not_found' });
  });

  it('delete_project shows what would go, and then it is gone', async () => {
    const project = { project_name: 'ledger', include_context: true };
    expect(await one.call('delete_project', project)).toMatchObject({ status: 'preview', would_delete: { episodic: 1, context: 1 } });
    expect(await one.call('delete_project', { ...project, confirm: true })).toMatchObject({ status: 'deleted', total: 2 });
    expect(await one.call('delete_project', project)).toMatchObject({ status: 'not_found' });
    expect(resultsOf(await one.call('recall', { query: 'ledger exported as CSV', project_filter: ['ledger'] }))).toEqual([]);
    expect(await one.call('explain_memory', { key: 'mem:project:ledger' })).toMatchObject({ status: 'forgotten' });
  });

  it('refuses what cannot be meant', async () => {
    const bad: readonly (readonly [string, Record<string, unknown>])[] = [
      ['set_project_context', { ...TEXTS, project_name: '../etc' }],
      ['set_project_context', { project_name: 'billing' }],
      ['set_project_context', { ...TEXTS, notes: 'a\u0000b' }],
      ['update_project_state', { project_name: 'billing', current_state: ' ' }],
      ['update_project_state', { project_name: 'billing', current_state: 'x', version: 0 }],
      ['update_project_state', { project_name: 'billing', current_state: 'x', version: 99 }],
      ['get_project_context', {}],
      ['compile_project_context', { project_name: '' }],
      ['delete_project', { project_name: 'billing\n' }],
      ['deprioritise_project', { project_name: 'billing', confirm: true, reason: 'x'.repeat(2_001) }],
      ['reinstate_project', { project_name: '...' }],
      ['list_projects', { order: 'x' }],
      ['archive', { key_or_query: 'mem:project:billing' }],
    ];
    for (const [tool, args] of bad) {
      expect([tool, await one.refused(tool, args)]).toMatchObject([tool, { code: 'VALIDATION', hint: expect.any(String) }]);
    }
  });
});

it('a context that was set while no model was ready gets its vector later', async () => {
  const provider = providerOf();
  const test = await openTestApp({ provider });
  try {
    expect(await test.app.commands.setProjectContext(TEXTS, test.call)).toMatchObject({ embedding: 'pending' });
    await test.app.commands.updateProjectState({ project_name: 'billing', current_state: 'Refunds work.' }, test.call);
    const embedder = hashedEmbedder();
    provider.arrive(embedder);
    const key = 'mem:project:billing';
    await expect.poll(() => test.redis.hget(test.keys.embedding(embedder.identity.id, key), 'n'), { timeout: 10_000 }).toBe('2');
    await expect.poll(() => test.index.serving?.missing.size).toBe(0);
    await test.verifyAll();
  } finally {
    await test.end();
  }
});
