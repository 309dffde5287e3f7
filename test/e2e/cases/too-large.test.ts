import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, resultsOf } from '../app/client.js';
import { openServed, type Served } from './served.js';

/** What a host takes, and how a token is counted here. */
const MOST = 25_000;
const tokensOf = (text: string): number => text.length / 3.5;

const PARAGRAPH = 'The dredger deepens the fairway each spring 🚢 航道, and the pilots take soundings of the fairway afterwards. ';
/** So many code units of it, the last of which is no half of a character. */
const ofLength = (length: number, start = ''): string =>
  `${start}${PARAGRAPH.repeat(600)}`
    .slice(0, length - 1)
    .padEnd(length, '.')
    .replace(/[\uD800-\uDBFF]\.$/, '..');
const QUERY = 'The dredger deepens the fairway, soundings';
const KEY = /mem:[a-z]+:[0-9A-Z]{26}/g;

describe('S11 an answer that would be too large', () => {
  let served: Served;
  const keys: string[] = [];
  let huge = '';
  beforeAll(async () => {
    served = await openServed();
    const { remember, call } = served;
    for (let n = 0; n < 60; n++)
      keys.push(await remember(ofLength(9_000, `Sounding ${n}: `), { project: 'fairway', tags: ['depth', `s${n}`] }));
    huge = await remember(ofLength(50_000, 'The longest sounding: '), { project: 'fairway' });
    const part = ofLength(9_900);
    const texts = { description: part, stack: part, goals: part, current_state: part, notes: part };
    await call('set_project_context', { project_name: 'fairway', ...texts });
    const text = ofLength(4_900);
    for (const [n, key] of keys.slice(0, 40).entries()) {
      await call('record_experience', {
        key,
        effort_score: 3,
        outcome: 'succeeded',
        breakthrough: `${n} ${text}`,
        gotchas: `${n} ${text}`,
        abandoned_approaches: [{ name: `sonar ${n}`, type: 'tool', reason: ofLength(1_900) }],
      });
    }
    for (let n = 0; n < 30; n++) await remember(`${PARAGRAPH}${n} `.repeat(30), { namespace: 'knowledge', project: 'fairway' });
    for (let n = 0; n < 30; n++) await remember(`${PARAGRAPH}${n} `.repeat(30), { namespace: 'preference', project: 'fairway' });
  }, 120_000);
  afterAll(() => served.end());

  /** The answer, once both of its forms were found to be short enough and whole. */
  const bounded = async (tool: string, args: Record<string, unknown> = {}, most = MOST): Promise<Answer> => {
    const { content, structuredContent, isError } = await served.tools.client.callTool({ name: tool, arguments: args });
    const [block] = content as readonly { readonly text: string }[];
    expect([tool, isError ?? false]).toEqual([tool, false]);
    expect(tokensOf(block?.text ?? ''), tool).toBeLessThan(most);
    expect(tokensOf(JSON.stringify(structuredContent)), tool).toBeLessThan(most);
    expect(`${block?.text}${JSON.stringify(structuredContent)}`, tool).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    return structuredContent as Answer;
  };

  it('recall is cut at whole results, best first, and names what is left out', async () => {
    const recalled = await bounded('recall', { query: QUERY, top_k: 50 });
    const shown = resultsOf(recalled);
    const { keys: left } = recalled.cut as { readonly keys: readonly string[] };
    expect(shown.length).toBeGreaterThan(1);
    expect(new Set([...shown.map(({ key }) => key), ...left]).size).toBe(50);
    for (let i = 1; i < shown.length; i++) expect(shown[i]?.score).toBeLessThanOrEqual(shown[i - 1]?.score ?? 0);
    for (const { key, content } of shown) expect([key, content.endsWith('characters in all]')]).toEqual([key, false]);
    await bounded('recall', { query: QUERY, top_k: 50, max_tokens: 4_000 }, 4_100);
    await bounded('recall', { query: 'sonar 1', top_k: 50 });
    await bounded('recall_index', { query: QUERY, top_k: 50, snippet_length: 500 });
  });

  it('recall_detail goes on where it ended', async () => {
    const wanted = new Set(keys.slice(0, 50));
    for (let rounds = 0; wanted.size > 0; rounds++) {
      expect(rounds).toBeLessThan(20);
      const detail = await bounded('recall_detail', { keys: [...wanted] });
      for (const { key, content } of resultsOf(detail)) {
        expect(content).toHaveLength(9_000);
        expect(wanted.delete(key)).toBe(true);
      }
      expect((detail.cut as { readonly keys: readonly string[] } | undefined)?.keys ?? []).toEqual([...wanted]);
    }
    expect(resultsOf(await bounded('recall_detail', { keys: [huge] }))[0]).toMatchObject({ key: huge });
  });

  it('a briefing keeps its budget and counts what it left out', async () => {
    const told = await bounded('briefing', { project: 'fairway' }, 4_100);
    expect(told.trimmed).toMatchObject({ new_knowledge: expect.anything() });
    expect(told.trimmed_note).toContain('4000');
    await bounded('briefing', {}, 4_100);
    await bounded('briefing', { project: 'fairway', max_tokens: 24_000 });
    await bounded('briefing', { project: 'fairway', max_tokens: 400 }, 420);
  });

  it('compile_project_context lists what fits, and names the rest by key', async () => {
    const drafted = await bounded('compile_project_context', { project_name: 'fairway' });
    expect(drafted).toMatchObject({ memory_count: 61 });
    const shown = (drafted.memories as readonly { readonly key: string }[] | undefined) ?? [];
    const cut = drafted.memories_cut as { readonly shown: number; readonly total: number; readonly keys: readonly string[] };
    expect(cut).toMatchObject({ shown: shown.length, total: 61 });
    expect(cut.keys.length).toBe(Math.min(50, 61 - shown.length));
    await bounded('compile_project_context', { project_name: 'fairway', max_tokens: 100_000 });
    await bounded('compile_project_context', { project_name: 'fairway', max_tokens: 2_000 }, 2_100);
  });

  it('lists name what they left out, each with a way to the rest', async () => {
    const seen = new Set<string>();
    for (let offset = 0, more = true; more; ) {
      const page = await bounded('memory_audit', { limit: 500, offset });
      for (const { key } of page.entries as readonly { readonly key: string }[]) seen.add(key);
      offset += page.returned as number;
      more = page.has_more as boolean;
    }
    expect(seen.size).toBe(121);
    const { clusters, cut } = await bounded('find_duplicates', { project_filter: 'fairway' });
    const named = new Set(JSON.stringify([clusters, cut]).match(KEY));
    expect(named.size).toBeGreaterThanOrEqual(60);
    const news = await bounded('recent_knowledge', { limit: 50 });
    expect(new Set(JSON.stringify(news).match(KEY)).size).toBe(30);
  });

  it('every other answer about the same texts is bounded as well', async () => {
    const [key = ''] = keys;
    for (const [tool, args] of [
      ['get_project_context', { project_name: 'fairway' }],
      ['explain_memory', { key: huge }],
      ['explain_memory', { key }],
      ['explain_memory', { key: 'mem:project:fairway' }],
      ['experience_summary', { project: 'fairway' }],
      ['get_experience', { key }],
      ['warn_if_abandoned', { query: 'sonar' }],
      ['check_contradictions', { project_filter: 'fairway' }],
      ['why_did_you_mention', { query: QUERY }],
      ['delete_project', { project_name: 'fairway' }],
      ['forget', { project: 'fairway' }],
      ['maintain', { project: 'fairway', dry_run: true }],
      ['compile_project_domains', { project_name: 'fairway' }],
      ['list_projects', {}],
    ] as const)
      await bounded(tool, args);
    await bounded('update_project_state', { project_name: 'fairway', current_state: ofLength(9_900) });
    await bounded('set_project_context', {
      project_name: 'fairway',
      description: 'Depths.',
      stack: 'Sonar.',
      goals: 'Know the depth.',
      current_state: 'Deep.',
    });
  });
});
