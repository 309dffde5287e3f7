import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../domain/budget.js';
import { type Answer, withinCeiling } from '../../../services/mcp/ceiling.js';
import { CUT_RESULTS, DATA_NOTICE, recallText } from '../../../services/mcp/recalled.js';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { listSuppressions, withReasonsThatFit } from '../../../services/mcp/tools/list-suppressions.js';
import { recallDetail } from '../../../services/mcp/tools/recall-detail.js';
import { undo } from '../../../services/mcp/tools/undo.js';

const keys = (count: number) => Array.from({ length: count }, () => `mem:episodic:${ulid()}`);
const noticed = (answer: object): Answer => ({ notice: DATA_NOTICE, ...answer });
const fitting = (answer: Answer, tokens: number, text?: (answer: Answer) => string): void => {
  expect(estimateTokens(JSON.stringify(answer))).toBeLessThanOrEqual(tokens);
  if (text) expect(estimateTokens(text(answer))).toBeLessThanOrEqual(tokens);
};

describe('a recall with little room', () => {
  const content = 'The deploy of v4.13.0 was rolled back because the cache was not flushed. '.repeat(12);
  const results = keys(10).map((key, n) => ({
    key,
    namespace: 'episodic',
    content,
    score: 0.9 - n / 100,
    state: 'active',
    project: 'kestrel',
    tags: ['deploy', 'incident'],
    created_at: '2026-06-01T00:00:00.000Z',
    licence: 'unknown',
    provenance: 'asserted',
  }));
  const [first] = results;
  type Shown = { key: string; content: string; content_truncated?: { from: number; to: number; of: number; next: string } };
  type Left = { results: readonly Shown[]; cut: { count?: number; keys?: readonly string[]; note: string } };
  const within = (tokens: number, answer: Answer = noticed({ results, search: 'fused' })): Left => {
    const left = withinCeiling(answer, tokens, { cut: CUT_RESULTS, text: recallText, bound: 'max_tokens' });
    fitting(left, tokens, recallText);
    return left as Left;
  };

  it.each([150, 175, 200, 250, 300, 400, 600, 700])(
    'of %i tokens shows the beginning of the best, and how many more there are',
    (tokens) => {
      const { results: shown, cut } = within(tokens);
      const [best] = shown;
      expect(shown).toHaveLength(1);
      expect(best?.key).toBe(first?.key);
      expect(best?.content.length).toBeGreaterThan(15);
      expect(content.startsWith(best?.content ?? ' ')).toBe(true);
      if (best?.content !== content) {
        const to = best?.content.length;
        expect(best?.content_truncated).toEqual({ from: 0, to, of: content.length, next: expect.stringContaining(`offset: ${to}`) });
      }
      expect(cut.count ?? cut.keys?.length).toBe(9);
      expect(
        results
          .slice(1)
          .map(({ key }) => key)
          .slice(0, cut.keys?.length ?? 0),
      ).toEqual(cut.keys ?? []);
      expect(cut.note).not.toContain('MCP_MAX_RESPONSE_TOKENS');
    },
  );

  it('of 100 tokens names the best by key, and what set the bound', () => {
    const { results: shown, cut } = within(100);
    expect(shown).toEqual([]);
    expect(cut).toMatchObject({ count: 10, note: expect.stringContaining('max_tokens') });
    expect(cut.keys?.[0]).toBe(first?.key);
    expect(recallText({ results: [], cut })).not.toContain('No memory matches');
  });

  it.each([80, 90, 100, 105])('of %i tokens, already cut to one, says of how many and gives up its notes first', (tokens) => {
    const answer = noticed({
      results: [{ ...first, key: `mem:episodic:${'k'.repeat(200)}` }],
      search: 'text only',
      search_note:
        'Searched by words alone, since no embedding model is set up on this server: a paraphrase is not found, and the scores are those of words that both texts have in common.',
      cut: { keys: keys(20), note: '20 more did not fit. Fetch them with recall_detail(keys), a few at a time.' },
    });
    const left = within(tokens, answer);
    expect(left.results).toEqual([]);
    expect(left.cut.count).toBe(21);
    expect(left).not.toHaveProperty('search_note');
    expect(left.cut).not.toHaveProperty('lists');
  });

  it('for one key asked in full advises more room, not the same call', () => {
    const one = noticed({ results: [{ ...first, content }] });
    const left = withinCeiling(one, 100, { cut: recallDetail.cut, text: recallText, bound: 'max_tokens' }) as Left;
    fitting(left, 100, recallText);
    expect(left.results).toEqual([]);
    expect(left.cut.note).toContain('give more max_tokens');
    expect(left.cut.note).not.toContain('a few at a time');
  });

  it('names fewer keys before it shortens the text of the best', () => {
    const short = results.map((result) => ({ ...result, content: 'Rolled back.' }));
    const { results: shown, cut } = within(
      300,
      noticed({ results: short.slice(0, 1), search: 'fused', cut: { keys: keys(200), note: '' } }),
    );
    expect(shown[0]).toEqual(short[0]);
    expect(cut.count).toBe(200);
    expect(cut.keys?.length).toBeGreaterThan(0);
    expect(cut.note).toMatch(/^200 more did not fit max_tokens, the first \d+ of them named here\.$/);
  });

  it('goes on where a text that began in the middle was cut', () => {
    const part = {
      ...first,
      content_truncated: { from: 500, to: 500 + content.length, of: 500 + content.length, next: 'This is its end.' },
    };
    const [shown] = within(300, noticed({ results: [part] })).results;
    const to = 500 + (shown?.content.length ?? 0);
    expect(shown?.content_truncated).toEqual({ from: 500, to, of: 500 + content.length, next: expect.stringContaining(`offset: ${to}`) });
  });
});

describe('suppressed topics with long reasons', () => {
  const topics = Array.from({ length: 30 }, (_, n) => `topic ${n}`);
  const answer = noticed({
    suppressed_topics: topics,
    reasons: Object.fromEntries(topics.map((topic) => [topic, 'Because. '.repeat(25)])),
  });

  it('are all shown, with as many reasons as fit', () => {
    const left = withReasonsThatFit(answer, 1_000) as { suppressed_topics: string[]; reasons: object; cut: { note: string } };
    fitting(left, 1_000);
    expect(left.suppressed_topics).toEqual(topics);
    const shown = Object.keys(left.reasons);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual(topics.slice(0, shown.length));
    expect(left.cut.note).toBe(`The reasons of ${30 - shown.length} topics did not fit.`);
    expect(withReasonsThatFit(answer, 100_000)).toBe(answer);
  });

  it('that are cut take their own reasons with them, not those of the others', () => {
    const said = listSuppressions.cut?.say(answer as Record<string, unknown>, ['topic 29']) as { reasons: object; cut: { note: string } };
    expect(Object.keys(said.reasons)).toEqual(topics.slice(0, 29));
    expect(said.cut.note).toBe('1 more topics and reasons did not fit.');
  });
});

describe('an answer of several long lists', () => {
  const answer = {
    status: 'unchanged',
    correlation: ulid(),
    restored: keys(2).map((key) => ({ key, fields: ['state'] })),
    kept: keys(2_000).map((key) => ({ key, fields: ['tags'], changed_by: [ulid()] })),
    irreversible: [],
    note: 'What others wrote since was kept.',
  };

  it('keeps its plain fields, shows some of each and says of how many', () => {
    const left = withinCeiling(answer, 2_000, undo) as typeof answer & { cut: { lists: Record<string, { shown: number; total: number }> } };
    fitting(left, 2_000);
    expect(left).toMatchObject({ status: 'unchanged', correlation: answer.correlation, note: answer.note, irreversible: [] });
    expect(left.restored).toEqual(answer.restored);
    expect(left.kept.length).toBeGreaterThan(20);
    expect(left.kept).toEqual(answer.kept.slice(0, left.kept.length));
    expect(left.cut.lists).toEqual({ kept: { shown: left.kept.length, total: 2_000 } });
  });

  it('names what was cut inside of its entries too', () => {
    const clusters = [{ keys: keys(1_000), note: 'same' }];
    const left = withinCeiling({ clusters }, 500) as { clusters: { keys: string[] }[]; cut: { lists: object } };
    expect(left.clusters[0]?.keys.length).toBeGreaterThan(5);
    expect(left.cut.lists).toEqual({ 'clusters.keys': { shown: left.clusters[0]?.keys.length, total: 1_000 } });
  });

  it('where nothing but plain fields fits, says how long its lists were', () => {
    const huge = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field ${n}`, n]));
    const left = withinCeiling({ status: 'done', keys: keys(500), huge }, 150) as object;
    expect(left).toMatchObject({ status: 'done', cut: { lists: { keys: { shown: 0, total: 500 } }, note: expect.any(String) } });
  });
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('an answer of %s with every list long', (_name, tool) => {
  const { properties } = tool.outputSchema;
  const answer = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !/^(?:error|as_of|stale|.*cut|trimmed|unavailable)$/.test(name))
      .flatMap(([name, { type, items }]): [string, unknown][] => {
        if (type === 'string') return [[name, `the ${name}`]];
        if (type === 'integer' || type === 'number') return [[name, 7]];
        if (type === 'boolean') return [[name, true]];
        if (type !== 'array') return [];
        return [[name, items?.type === 'object' ? keys(400).map((key) => ({ key, content: 'A text.' })) : keys(400)]];
      }),
  );

  it('keeps every plain field, and every list or its length', () => {
    // Entries of a briefing have shapes of their own, and it keeps within its bound by itself.
    const { cut, text } = tool.name === 'briefing' ? { ...tool, text: undefined } : tool;
    const left = withinCeiling(answer, 3_000, { ...(cut && { cut }), ...(text && { text }) }) as Record<string, unknown>;
    fitting(left, 3_000, text);
    const said = (left.cut as { lists?: Record<string, { total: number }> } | undefined)?.lists ?? {};
    for (const [name, value] of Object.entries(answer)) {
      if (!Array.isArray(value)) {
        if (name !== cut?.list && !['returned', 'has_more', 'trimmed_note'].includes(name)) expect(left[name]).toEqual(value);
      } else {
        expect(left[name], name).not.toHaveLength(0);
        if (name !== cut?.list && (left[name] as unknown[]).length < value.length) expect(said[name]).toMatchObject({ total: 400 });
      }
    }
  });
});
