import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainError, isDomainError } from '../../../domain/errors.js';
import type { McpHttp } from '../../../services/mcp/http.js';
import type { PropertySchema } from '../../../services/mcp/schemas.js';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { toolsByName } from '../../../services/mcp/toolset.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { connectTools, keyOf, serve, type Tools } from './client.js';

const MEGABYTES = 3_000_000;
const ENTRIES = 100_000;
/** Characters that a refusal may have, however much it was sent. */
const LONGEST = 2_000;

describe('what is far too large is refused at once', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  let key: string;
  beforeAll(async () => {
    test = await openTestApp({ env: { EMBEDDING: 'none' }, provider: providerOf() });
    http = await serve(test.app);
    tools = await connectTools(http.url);
    key = keyOf(await tools.call('remember', { content: 'One innocent memory about lighthouses.', project: 'coast' }));
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  /** Something that each required parameter takes, so that only the large one is at fault. */
  const usual = (name: string, { type, enum: values }: PropertySchema): unknown => {
    if (values) return values[0];
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'boolean') return true;
    if (type === 'array') return name.includes('key') ? [key] : ['one'];
    return name.includes('key') ? key : name.includes('project') ? 'coast' : 'one';
  };

  /** The refusal of the arguments alone, before the call goes anywhere; most are. */
  const refusedAtOnce = (name: string, args: Record<string, unknown>): DomainError | undefined => {
    try {
      toolsByName.get(name)?.prepare(args);
      return undefined;
    } catch (error) {
      if (isDomainError(error)) return error;
      throw error;
    }
  };

  const parameters = TOOLS.flatMap((tool) =>
    Object.entries(tool.inputSchema.properties).map(([name, property]) => [tool.name, name, tool, property] as const),
  );

  it.each(parameters)('%s: %s', async (tool, name, { inputSchema }, { type, items }) => {
    const required = (inputSchema.required ?? []).map((one) => [one, usual(one, inputSchema.properties[one] ?? { type: 'string' })]);
    const sizes: readonly unknown[] = [
      'x '.repeat(MEGABYTES / 2),
      ...(type === 'array' && items?.type === 'string'
        ? [Array.from({ length: ENTRIES }, (_, n) => `n${n}`), ['y'.repeat(MEGABYTES)], 'a,'.repeat(MEGABYTES / 2)]
        : []),
      ...(type === 'array' ? [Array.from({ length: ENTRIES }, () => ({ name: 'z' })), Array.from({ length: ENTRIES }, () => 7)] : []),
    ];
    for (const value of sizes) {
      const args = { ...Object.fromEntries(required), [name]: value };
      const { code, message, hint = '' } = refusedAtOnce(tool, args) ?? (await tools.refused(tool, args));
      expect(['VALIDATION', 'TOO_LARGE']).toContain(code);
      expect(message).toContain(code === 'VALIDATION' && type !== 'string' ? name : '');
      expect(message.length + hint.length).toBeLessThan(LONGEST);
    }
  });

  it('over the wire, and everybody else is served meanwhile', async () => {
    await using other = await connectTools(http.url, 'other');
    const large = [
      ['recall', { query: 'lighthouses', project_filter: Array.from({ length: ENTRIES }, (_, n) => `project ${n}`) }],
      ['recall', { query: 'q '.repeat(MEGABYTES / 2) }],
      ['recall', { query: 'lighthouses', domain_filter: Array.from({ length: 20_000 }, (_, n) => `domain-${n}`) }],
      ['compile_project_domains', { project_name: 'coast', domains: 'd'.repeat(MEGABYTES) }],
    ] as const;
    for (const [tool, args] of large) {
      const [refusal, answer] = await Promise.all([tools.refused(tool, args), other.call('recall', { query: 'lighthouses' })]);
      expect(refusal).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/ at most [\d,]+ fit$/) });
      expect(answer).toMatchObject({ results: [{ key }] });
    }
  });

  it('names the limit', async () => {
    const names = Array.from({ length: 201 }, (_, n) => `project ${n}`);
    const refusal = async (tool: string, args: Record<string, unknown>) => (await tools.refused(tool, args)).message;
    expect(await refusal('recall', { query: 'q'.repeat(10_001) })).toBe('recall: query has 10,001 characters, at most 10,000 fit');
    expect(await refusal('recall', { query: 'q', project_filter: names })).toBe('recall: project_filter has 201 entries, at most 200 fit');
    expect(await refusal('recall', { query: 'q', domain_filter: names.slice(0, 101) })).toContain('at most 100 fit');
    expect(await refusal('recall', { query: 'q', domain_filter: `x${',x'.repeat(100)}` })).toContain('at most 100 are read');
    expect(await refusal('compile_project_domains', { project_name: 'coast', domains: `?${'!'.repeat(1_500)}` })).toMatch(
      /domain: \?!{79}$/,
    );
    expect(await tools.call('recall', { query: 'lighthouses', project_filter: [...names.slice(0, 199), 'coast'] })).toMatchObject({
      results: [{ key }],
    });
    expect(
      await tools.call('recall', { query: 'lighthouses', domain_filter: names.slice(0, 100).map((name) => name.replace(' ', '-')) }),
    ).toMatchObject({
      results: [{ key }],
    });
  });

  it('numbers below the least are refused with the range, numbers above the most are brought down, and the answer says so', async () => {
    for (const [tool, args, range] of [
      ['recall', { query: 'lighthouses', top_k: -1 }, 'top_k must be from 1 to 50'],
      ['recall', { query: 'lighthouses', top_k: 0 }, 'top_k must be from 1 to 50'],
      ['recall', { query: 'lighthouses', max_tokens: 7 }, 'max_tokens must be 100 or more'],
      ['recall_index', { query: 'lighthouses', snippet_length: 2 }, 'snippet_length must be from 50 to 500'],
      ['memory_audit', { limit: -1 }, 'limit must be from 1 to 500'],
      ['memory_audit', { offset: -1 }, 'offset must be 0 or more'],
      ['recent_knowledge', { days: -1 }, 'days must be from 1 to 365'],
      ['recent_knowledge', { limit: 0 }, 'limit must be from 1 to 50'],
      ['record_experience', { key, effort_score: 6, outcome: 'pivoted' }, 'effort_score must be from 1 to 5'],
      ['remember_document', { content: 'One.', chunk_strategy: 'fixed_tokens', chunk_size: 0 }, 'chunk_size must be 1 or more'],
    ] as const) {
      expect(await tools.refused(tool, args), tool).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(range) });
    }
    const text = async (name: string, args: object) => {
      const { content, structuredContent } = await tools.client.callTool({ name, arguments: { ...args } });
      return { said: JSON.stringify(content), answer: structuredContent };
    };
    for (const [tool, args, said] of [
      ['recall', { query: 'lighthouses', top_k: 51 }, 'top_k is at most 50, which was taken in place of 51.'],
      ['memory_audit', { limit: 9_999 }, 'limit is at most 500, which was taken in place of 9,999.'],
      ['recent_knowledge', { days: 1_000 }, 'days is at most 365, which was taken in place of 1,000.'],
    ] as const) {
      const told = await text(tool, args);
      expect(told.answer, tool).toMatchObject({ adjusted: said });
      expect(told.said, tool).toContain(said);
    }
    expect(await tools.call('memory_audit', { limit: 9_999 })).toMatchObject({ limit: 500 });
    expect(await tools.call('memory_audit', { limit: 500 })).not.toHaveProperty('adjusted');
  });

  it('an empty licence is refused', async () => {
    for (const licence of ['', '  ']) {
      expect(await tools.refused('set_licence', { keys: [key], licence })).toMatchObject({
        code: 'VALIDATION',
        message: 'licence is empty',
      });
    }
  });

  it('every key is answered, one that is none as not_found, and what is beyond 50 is named', async () => {
    expect(await tools.call('recall_detail', { keys: ['k0', key] })).toMatchObject({
      results: [
        { key: 'k0', status: 'not_found' },
        { key, content: 'One innocent memory about lighthouses.' },
      ],
    });
    const keys = Array.from({ length: 53 }, (_, n) => `k${n}`);
    const { results, cut } = await tools.call('recall_detail', { keys });
    expect(results).toEqual(keys.slice(0, 50).map((one) => ({ key: one, status: 'not_found' })));
    expect(cut).toMatchObject({ keys: keys.slice(50) });
  });
});
