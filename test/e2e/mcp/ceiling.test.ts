import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../domain/budget.js';
import { withinCeiling } from '../../../services/mcp/ceiling.js';
import { createFakeApp, type FakeApp } from '../../support/fake-app.js';
import { toolCalls } from './tool-calls.js';

const filled = async (count: number, length: number): Promise<FakeApp> => {
  const app = createFakeApp();
  for (let n = 0; n < count; n++) await app.commands.remember({ content: `API ${n} 🙂 ${'word '.repeat(length / 5)}` }, { actor: 'cli' });
  return app;
};

describe('no answer is longer than the ceiling', () => {
  it.each([
    [1_000, 60, 9_000],
    [20_000, 60, 9_000],
    [20_000, 10, 50_000],
    [25_000, 200, 400],
  ])('of %i tokens, over %i memories of %i characters', async (maxTokens, count, length) => {
    const app = await filled(count, length);
    const call = toolCalls(app, { maxTokens });
    const keys = [...app.memories.keys()];
    for (const [name, args] of [
      ['recall', { query: 'API', top_k: 50 }],
      ['recall_index', { query: 'API', top_k: 50, snippet_length: 500 }],
      ['recall_detail', { keys: keys.slice(0, 50) }],
      ['memory_audit', { limit: 500 }],
      ['explain_memory', { key: keys[0] }],
      ['set_licence', { keys: Array.from({ length: 200 }, () => `mem:episodic:${ulid()}`), licence: 'own' }],
      ['health', {}],
    ] as const) {
      const { text, answer, isError } = await call(name, args);
      expect(isError, name).toBe(false);
      expect(estimateTokens(text), name).toBeLessThanOrEqual(maxTokens);
      expect(estimateTokens(JSON.stringify(answer)), name).toBeLessThanOrEqual(maxTokens);
    }
  });

  it('whole results go, best first stay, and those left out are named', async () => {
    const app = await filled(40, 9_000);
    const keys = [...app.memories.keys()];
    const { answer } = await toolCalls(app)('recall', { query: 'API', top_k: 40 });
    const { results, cut } = answer as { results: { key: string; content: string }[]; cut: { keys: string[]; note: string } };
    expect(results.length).toBeGreaterThan(3);
    expect([...results.map(({ key }) => key), ...cut.keys]).toEqual(keys);
    for (const { key, content } of results) expect(content).toBe(app.memories.get(key)?.content);
    expect(cut.note).toContain('recall_detail');
  });

  it('a bound given by the caller is kept to', async () => {
    const call = toolCalls(await filled(40, 900));
    const { text, answer } = await call('recall', { query: 'API', top_k: 40, max_tokens: 1_200 });
    expect(estimateTokens(text)).toBeLessThanOrEqual(1_200);
    expect(answer.results).not.toHaveLength(0);
  });

  it('a page that was too long goes on where it ended', async () => {
    const app = await filled(400, 400);
    const call = toolCalls(app, { maxTokens: 5_000 });
    const seen: string[] = [];
    for (let offset = 0, more = true; more; ) {
      const { answer } = await call('memory_audit', { limit: 400, offset });
      const page = answer as { entries: { key: string }[]; returned: number; has_more: boolean };
      expect(page.returned).toBe(page.entries.length);
      seen.push(...page.entries.map(({ key }) => key));
      offset += page.returned;
      more = page.has_more;
    }
    expect(seen).toEqual([...app.memories.keys()]);
  });

  it('one text that is too long is cut between characters and says so', () => {
    for (let length = 400; length < 420; length++) {
      const { content } = withinCeiling({ content: '🙂'.repeat(length) }, 300) as { content: string };
      expect(content).toMatch(/^(🙂)+… \[cut: \d+ characters in all\]$/u);
    }
  });

  it('even what cannot be cut keeps its plain fields', () => {
    const answer = { status: 'deleted', deleted_keys: Array.from({ length: 500 }, () => ulid()), erased: true };
    expect(withinCeiling(answer, 200)).toMatchObject({ status: 'deleted', erased: true, cut: { note: expect.any(String) } });
  });
});
