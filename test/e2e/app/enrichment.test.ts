import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

let model: MessagesServer;
let test: TestApp;
let http: McpHttp;
let tools: Tools;
beforeAll(async () => {
  model = await startMessagesServer();
  test = await openTestApp({
    env: {
      ANTHROPIC_API_KEY: 'sk-test-key',
      ANTHROPIC_BASE_URL: model.url,
      FACT_EXTRACTION_MODEL: 'extractor',
      QUERY_EXPANSION_MODEL: 'rephraser',
    },
    options: { enrichmentBackoff: { first: 10, longest: 40 } },
  });
  http = await serve(test.app);
  tools = await connectTools(http.url, 'enrichment-test');
});
afterAll(async () => {
  await tools.close();
  await test.verifyAll();
  await http.close();
  await test.end();
  await model.close();
});
const idle = () =>
  vi.waitFor(async () => expect(await tools.call('queue_status')).toMatchObject({ pending: 0, in_flight: 0 }), { timeout: 10_000 });

it('facts come through the SDK, behind overload, and queue_status tells', async () => {
  let calls = 0;
  model.answer = () => {
    calls += 1;
    if (calls === 1) return { status: 529, type: 'overloaded_error' };
    if (calls === 2) return { text: 'As a language model I would rather chat.' };
    return { text: '```json\n[{"text": "The gateway listens on port 9443.", "kind": "fact"}]\n```' };
  };
  const stored = await tools.call('remember', {
    content: 'Moved the gateway to port 9443 after the audit, since 8443 was taken by the proxy.',
  });
  expect(stored).toMatchObject({ enrichment: 'queued' });
  await idle();
  expect(calls).toBe(3);
  expect(model.requests[0]).toMatchObject({ model: 'extractor', max_tokens: 2048 });
  const source = keyOf(stored);
  expect(resultsOf(await tools.call('recall', { query: 'gateway listens on port 9443', namespaces: ['knowledge'] }))).toMatchObject([
    { content: 'The gateway listens on port 9443.', enriched_from: source },
  ]);
  expect(resultsOf(await tools.call('recall', { query: 'gateway listens on port 9443' }))[0]).toMatchObject({ key: source });
  const { body } = await test.app.metrics();
  expect(body).toContain('omnimem_llm_calls_total{purpose="extraction",outcome="OVERLOADED"} 1');
  expect(body).toContain('omnimem_llm_calls_total{purpose="extraction",outcome="GARBAGE"} 1');
  expect(body).toContain('omnimem_llm_calls_total{purpose="extraction",outcome="ok"} 1');
  expect(body).toMatch(/omnimem_llm_tokens_total\{purpose="extraction",direction="output"\} [1-9]/);
  expect(await tools.call('queue_status')).toEqual({ pending: 0, in_flight: 0, parked: [], parked_total: 0, enrichment: 'on' });
});

it('a recall asks for other wordings through the SDK', async () => {
  model.answer = ({ model: name }) => ({ text: name === 'rephraser' ? '["audit of the gateway"]' : '[]' });
  const answer = await tools.call('recall', { query: 'entrance machine inspection', expand_queries: true });
  expect(answer.expanded_queries).toEqual(['audit of the gateway']);
  expect(resultsOf(answer)).toHaveLength(1);
  expect(await tools.refused('recall', { query: 'x', expand_queries: 'maybe' })).toMatchObject({ code: 'VALIDATION' });
  expect(await tools.refused('queue_status', { verbose: true })).toMatchObject({ code: 'VALIDATION' });
});
