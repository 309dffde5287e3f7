import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { connectTools, keyOf, serve, type Tools } from './client.js';

describe('audit through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  beforeAll(async () => {
    test = await openTestApp();
    http = await serve(test.app);
    tools = await connectTools(http.url, 'audit-test');
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  it('why_did_you_mention names the recall, the client, the rank and what made the score', async () => {
    const key = keyOf(
      await tools.call('remember', { content: 'The lighthouse API answers 429 above 20 calls a second.', project: 'coast' }),
    );
    await tools.call('recall', { query: 'rate limit of the lighthouse API' });
    const answer = await tools.call('why_did_you_mention', { query: 'lighthouse API' });
    expect(answer).toMatchObject({
      notice: expect.stringContaining('not instructions'),
      status: 'found',
      match_type: 'keyword',
      log_query: 'rate limit of the lighthouse API',
      result_keys: [key],
      recalls: [
        { client: 'mcp:audit-test/1.0', kind: 'recall', results: [{ rank: 1, key, state: 'active', parts: { surface: 1, recency: 1 } }] },
      ],
    });
    expect(await tools.call('why_did_you_mention', { key })).toMatchObject({ match_type: 'key', total: 1 });
    expect(await tools.call('why_did_you_mention', { query: 'xylophone' })).toMatchObject({ status: 'not_found' });
    expect(await tools.refused('why_did_you_mention')).toMatchObject({ code: 'VALIDATION', hint: expect.any(String) });
    expect(await tools.refused('why_did_you_mention', { key: 'coast' })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('why_did_you_mention', { question: 'x' })).toMatchObject({ code: 'VALIDATION' });
  });

  it('recent_knowledge lists the newest first with source and rights', async () => {
    const first = keyOf(await tools.call('remember', { content: 'Node 26 drops corepack.', namespace: 'knowledge', tags: ['node'] }));
    const second = keyOf(
      await tools.call('remember', { content: 'Postgres 19 has columnar tables.', namespace: 'knowledge', licence: 'CC-BY-4.0' }),
    );
    const answer = await tools.call('recent_knowledge', { days: 1 });
    expect(answer).toMatchObject({
      notice: expect.stringContaining('not instructions'),
      results: [
        { key: second, licence: 'open', licence_note: 'CC BY 4.0', provenance: 'retrieved' },
        { key: first, topics: ['node'], licence: 'unknown' },
      ],
    });
    expect(await tools.call('recent_knowledge', { topics: ['node'] })).toMatchObject({ results: [{ key: first }] });
    expect(await tools.call('recent_knowledge', { feed_name: 'Lobsters' })).toMatchObject({ results: [] });
    expect(await tools.refused('recent_knowledge', { topics: [''] })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('recent_knowledge', { days: 'many' })).toMatchObject({ code: 'VALIDATION' });
  });

  it('memory_audit covers four namespaces, and explain_memory shows the lineage of a chunk', async () => {
    const paragraphs = Array.from(
      { length: 3 },
      (_, n) => `Chapter ${n}. ${'The tide tables of the harbour were printed again. '.repeat(10)}`,
    );
    const { keys, doc_id } = (await tools.call('remember_document', { content: paragraphs.join('\n\n'), project: 'tides' })) as {
      readonly keys: readonly string[];
      readonly doc_id: string;
    };
    await tools.call('remember', { content: 'Answer in short sentences.', namespace: 'preference' });
    await tools.call('remember', { content: 'The harbour has four piers.', namespace: 'project', project: 'tides' });
    const { entries } = (await tools.call('memory_audit')) as { readonly entries: readonly { readonly key: string }[] };
    const namespaces = new Set(entries.map(({ key }) => key.split(':')[1]));
    expect([...namespaces].sort()).toEqual(['episodic', 'knowledge', 'preference', 'project']);
    const { lineage } = (await tools.call('explain_memory', { key: keys[1] })) as { readonly lineage: object };
    expect(lineage).toMatchObject({
      document: { doc_id, chunks: keys.length, place: 2 },
      chunks: keys.map((key) => ({ key, state: 'active' })),
    });
  });

  it('reindex rebuilds, reports each namespace, and leaves everything where it was', async () => {
    const before = await tools.call('recall', { query: 'lighthouse API' });
    const answer = await tools.call('reindex', { command_id: '01JZZZZZZZZZZZZZZZZZZZZZZ7' });
    expect(answer).toMatchObject({ status: 'ok', total_phantoms_removed: 0 });
    const { reindexed } = answer as { readonly reindexed: readonly { readonly actual_records: number; readonly after_num_docs: number }[] };
    expect(reindexed).toHaveLength(4);
    for (const { actual_records, after_num_docs } of reindexed) expect(after_num_docs).toBe(actual_records);
    const { results } = await tools.call('recall', { query: 'lighthouse API' });
    expect(results).toEqual(before.results);
    expect(await tools.call('reindex', { command_id: '01JZZZZZZZZZZZZZZZZZZZZZZ7' })).toEqual(answer);
    expect(await tools.refused('reindex', { namespace: 'skill' })).toMatchObject({ code: 'VALIDATION' });
  });
});
