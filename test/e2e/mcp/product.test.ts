import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../domain/budget.js';
import { type McpHttp, startMcpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { capturingLog } from '../../support/log.js';
import { raw } from '../../support/mcp.js';

/** The whole product behind the protocol: a real Valkey, the real commands and queries, made-up vectors. */

type Answer = Record<string, unknown>;
type Tools = ((name: string, args?: Answer) => Promise<{ answer: Answer; text: string; isError: boolean }>) & {
  readonly close: () => Promise<void>;
};

let app: TestApp;
let server: McpHttp;
let call: Tools;

const connect = async (name: string): Promise<Tools> => {
  const client = new Client({ name, version: '1.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  await client.listTools();
  const callTool = async (tool: string, args: Answer = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const [block] = result.content as { text: string }[];
    return { answer: result.structuredContent as Answer, text: block?.text ?? '', isError: result.isError === true };
  };
  return Object.assign(callTool, { close: () => client.close() });
};

beforeAll(async () => {
  app = await openTestApp();
  const config = { host: '127.0.0.1', port: 0, allowedHosts: [], allowedOrigins: [], maxResponseTokens: 20_000, toolset: 'full' } as const;
  server = await startMcpHttp({ app: app.app, log: capturingLog().log, config });
  call = await connect('product');
});
afterAll(async () => {
  await call.close();
  await server.close();
  await app.end();
});

const remember = async (content: string, more: Answer = {}): Promise<string> => {
  const { answer, isError } = await call('remember', { content, ...more });
  expect(isError, JSON.stringify(answer)).toBe(false);
  return String(answer.key);
};

describe('through the protocol', () => {
  it('a memory lives: remembered, recalled, revised, explained, put aside, brought back, erased', async () => {
    const key = await remember('The gateway answers ECONNRESET_4711 when the upstream pool is empty', {
      project: 'gateway',
      tags: '["bug-fix"]',
    });
    const recalled = await call('recall', { query: 'ECONNRESET_4711' });
    expect(recalled.answer.results).toMatchObject([
      { key, project: 'gateway', tags: ['bug-fix'], licence: 'own', provenance: 'concluded' },
    ]);
    expect(recalled.text).toContain('not instructions');

    await call('revise', { key, content: 'The gateway answers ECONNRESET_4712 when the upstream pool is empty', reason: 'a typing error' });
    expect((await call('recall', { query: 'ECONNRESET_4712' })).answer.results).toMatchObject([{ key }]);
    await call('retag', { key, add: 'gateway' });
    await call('deprioritise', { key_or_query: key, reason: 'fixed', reinstate_hints: ['upstream pool'] });
    await call('reinstate', { key_or_query: key });
    await call('set_licence', { keys: [key], licence: 'MIT' });

    const { answer: history } = await call('explain_memory', { key });
    expect((history.timeline as { event: string; actor: string }[]).map(({ event }) => event)).toEqual([
      'MemoryRemembered',
      'MemoryRevised',
      'MemoryRetagged',
      'MemoryDeprioritised',
      'MemoryReinstated',
      'LicenceStamped',
    ]);
    for (const { actor } of history.timeline as { actor: string }[]) expect(actor).toBe('mcp:product/1.0');

    const preview = await call('forget', { key_or_query: key });
    expect(preview.answer).toMatchObject({ status: 'preview', targets: [{ key }] });
    expect((await call('recall_detail', { keys: [key] })).answer.results).toMatchObject([{ key, state: 'active' }]);
    const gone = await call('forget', { key_or_query: key, confirm: true, keys: [key] });
    expect(gone.answer).toMatchObject({ status: 'deleted', deleted_keys: [key], erased: true });
    expect((await call('recall_detail', { keys: [key] })).answer.results).toEqual([{ key, status: 'not_found' }]);
    expect(JSON.stringify((await call('explain_memory', { key })).answer)).not.toContain('ECONNRESET');
  });

  it('many calls in one turn lose nothing (S01)', async () => {
    const older = await remember('The ports of the services are listed below', { project: 'ports-of-old' });
    const stores = Array.from({ length: 25 }, (_, n) =>
      call('remember', { content: `Service ${n + 1} listens on port ${9001 + n}`, project: 'ports', force: true }),
    );
    const tags = Array.from({ length: 5 }, (_, n) => call('retag', { key: older, add: [`a${n + 1}`] }));
    const answers = await Promise.all([...stores, ...tags]);
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    const audit = await call('memory_audit', { project: 'ports', limit: 100 });
    expect(audit.answer).toMatchObject({ returned: 25, has_more: false });
    const { answer } = await call('explain_memory', { key: older });
    expect([...(answer.tags as string[])].sort()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
    expect(answer.timeline).toHaveLength(6);
  });

  it('a retried command is done once, also from another session', async () => {
    const other = await connect('another');
    const args = { content: 'Retries of one command leave one memory', command_id: ulid() };
    const [first, second] = await Promise.all([call('remember', args), other('remember', args)]);
    const third = await other('remember', args);
    expect(new Set([first, second, third].map(({ answer }) => answer.key)).size).toBe(1);
    await other.close();
  });

  it('answers over much text stay below the limit, and what was left out can be fetched (S11)', async () => {
    const long = (n: number): string =>
      `Chapter ${n} of the zeppelin manual. ${Array.from({ length: 1_200 }, (_, i) => `word${n}x${i}`).join(' ')}`.slice(0, 9_000);
    for (let n = 0; n < 30; n++) await remember(long(n), { force: true });
    const biggest = await remember(`The whole zeppelin manual. ${'lift and drag. '.repeat(4_000)}`.slice(0, 50_000), { force: true });
    for (const [name, args] of [
      ['recall', { query: 'zeppelin manual', top_k: 50 }],
      ['recall', { query: 'zeppelin manual', top_k: 50, max_tokens: 4_000 }],
      ['recall_index', { query: 'zeppelin manual', top_k: 50, snippet_length: 500 }],
      ['memory_audit', { limit: 500 }],
      ['find_duplicates', { threshold: 0.2 }],
      ['recall_detail', { keys: [biggest] }],
    ] as const) {
      const { answer, text, isError } = await call(name, args);
      expect(isError, JSON.stringify(answer).slice(0, 500)).toBe(false);
      const bound = 'max_tokens' in args ? args.max_tokens : 20_000;
      expect(Math.max(estimateTokens(text), estimateTokens(JSON.stringify(answer))), name).toBeLessThanOrEqual(bound);
    }
    const { answer } = await call('recall', { query: 'zeppelin manual', top_k: 50 });
    const { results, cut } = answer as { results: { key: string; content: string }[]; cut: { keys: string[] } };
    const found = (await call('recall_index', { query: 'zeppelin manual', top_k: 50 })).answer.results as { key: string }[];
    expect([...results.map(({ key }) => key), ...cut.keys].sort()).toEqual(found.map(({ key }) => key).sort());
    expect(results.length).toBeGreaterThan(2);
    const rest = await call('recall_detail', { keys: cut.keys.slice(0, 3) });
    expect((rest.answer.results as { key: string }[]).map(({ key }) => key)).toEqual(cut.keys.slice(0, 3));
  });

  it.each([
    ['nothing', '', 'VALIDATION'],
    ['50,001 characters', 'x'.repeat(50_001), 'TOO_LARGE'],
    ['a null byte', 'a\u0000b', 'VALIDATION'],
    ['half a surrogate pair', 'a\ud800b', 'VALIDATION'],
  ])('content of %s is refused clearly', async (_name, content, code) => {
    const { answer, isError } = await call('remember', { content });
    expect(isError).toBe(true);
    expect(answer.error).toMatchObject({ code, message: expect.any(String), hint: expect.any(String) });
  });

  it.each(['../../x', '{a|b}', '*', '@x:{y}', 'a\nb'])('the project %j is refused', async (project) => {
    expect((await call('remember', { content: 'x', project })).answer.error).toMatchObject({ code: 'VALIDATION' });
  });

  it('recall that finds nothing says so', async () => {
    const { answer, text } = await call('recall', { query: 'qqqqzzzz xylophone quagmire' });
    expect(answer).toMatchObject({ results: [], message: expect.stringContaining('No memory matches') });
    expect(text).toContain('No memory matches');
  });

  it('calls are counted, health answers, and every view equals its replay', async () => {
    const metrics = await raw(new URL('/metrics', server.url).href, 'GET');
    expect(metrics.text).toMatch(/tool[^\n]*recall[^\n]*outcome="ok"/);
    expect((await call('health')).answer).toMatchObject({ valkey_connected: true });
    await app.verifyAll();
  });
});
