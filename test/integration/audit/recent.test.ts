import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecentKnowledgeInput, RememberInput } from '../../../services/api.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { drawFact } from './facts.js';

const DAY = 86_400_000;

describe('recent_knowledge', () => {
  let test: TestApp;
  let time = Date.parse('2026-06-01T12:00:00Z');
  const ask = (input: RecentKnowledgeInput = {}) => test.app.queries.recentKnowledge(input, test.call);
  const keysOf = async (input?: RecentKnowledgeInput) => (await ask(input)).results.map(({ key }) => key);
  const store = async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
    const stored = await test.app.commands.remember({ content, namespace: 'knowledge', force: true, ...more }, test.call);
    if (stored.status !== 'stored') throw new Error(stored.status);
    return stored.key;
  };

  beforeAll(async () => {
    test = await openTestApp({ options: { now: () => time } });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('says so when there is none', async () => {
    await store('something that happened', { namespace: 'episodic' });
    expect(await ask()).toMatchObject({ results: [], message: 'No knowledge of the last 7 days.' });
  });

  it('lists the newest first, with source, licence and provenance, and only of the days asked for', async () => {
    const old = await store('Rust 2024 is stable.', { tags: ['rust'], licence: 'MIT' });
    time += 5 * DAY;
    const next = await store('Valkey 9 has a new search module.', { tags: ['Valkey'], provenance: 'retrieved' });
    await store('this is no knowledge', { namespace: 'episodic' });
    time += 3 * DAY;
    expect(await keysOf()).toEqual([next]);
    const { results, licence_notice } = await ask({ days: 30 });
    expect(results).toMatchObject([
      { key: next, content: 'Valkey 9 has a new search module.', topics: ['Valkey'], licence: 'unknown', provenance: 'retrieved' },
      { key: old, licence: 'open', licence_note: 'MIT' },
    ]);
    expect(licence_notice).toContain(next);
    expect(await keysOf({ days: 30, topics: ['valkey', 'zig'] })).toEqual([next]);
    expect(await keysOf({ days: 30, topics: ['zig'] })).toEqual([]);
    expect(await ask({ days: 30, limit: 1 })).toMatchObject({ results: [{ key: next }], more: true });
    expect(await ask({ days: 30, limit: 2 })).not.toHaveProperty('more');
  });

  it('leaves out what was put aside, archived, forgotten, has expired or is suppressed, and keeps facts with their source', async () => {
    const source = await store('a long talk about compilers', { namespace: 'episodic' });
    const fact = await drawFact(test, source, 'Compilers like SSA.');
    const [aside, gone, archived, silent] = [
      await store('news to be put aside'),
      await store('news to be forgotten'),
      await store('news to be archived'),
      await store('news about astrology'),
    ];
    const expiring = await drawFact(test, source, 'a sale that ends tomorrow', { expires_at: new Date(time + DAY).toISOString() });
    await test.app.commands.deprioritise({ key_or_query: aside, reason: 'no' }, test.call);
    await test.app.commands.archive({ key_or_query: archived }, test.call);
    await test.app.commands.forget({ keys: [gone], confirm: true }, test.call);
    expect(await keysOf()).toEqual(expect.arrayContaining([silent, expiring]));
    await test.app.commands.suppressTopic({ topic: 'astrology' }, test.call);
    time += DAY;
    const shown = await keysOf({ days: 365 });
    for (const key of [aside, gone, archived, silent, expiring]) expect(shown).not.toContain(key);
    expect((await ask({ days: 365 })).results.find(({ key }) => key === fact)).toMatchObject({ enriched_from: source });
    await test.app.commands.reinstate({ key_or_query: aside }, test.call);
    expect(await keysOf()).toContain(aside);
  });

  it('keeps within the tokens it may take, and names what it left out', async () => {
    for (let n = 0; n < 6; n++) await store(`article ${n}: ${'a long story about boats and harbours. '.repeat(20)}`);
    const { results, cut } = await ask({ max_tokens: 1_200 });
    expect(results.length).toBeGreaterThan(0);
    expect(cut?.keys.length).toBeGreaterThan(0);
  });

  it('refuses an empty topic, and says that nothing comes from a feed', async () => {
    await expect(ask({ topics: [' '] })).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(await ask({ feed_name: 'Hacker News' })).toMatchObject({ results: [], message: expect.stringContaining('"Hacker News"') });
  });
});
