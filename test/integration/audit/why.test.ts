import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MentionedResult, WhyInput, WhyResult } from '../../../services/api.js';
import { scoreOf } from '../../../services/queries/recall-notes.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { drawFact } from './facts.js';

type Found = Extract<WhyResult, { readonly status: 'found' }>;

describe('why_did_you_mention', () => {
  let test: TestApp;
  const client = { actor: 'mcp:claude-code/2.1.0' };
  const why = (input: WhyInput): Promise<WhyResult> => test.app.queries.whyDidYouMention(input, client);
  const found = async (input: WhyInput): Promise<Found> => {
    const answer = await why(input);
    if (answer.status !== 'found') throw new Error(JSON.stringify(answer));
    return answer;
  };
  const remember = async (content: string, more: { readonly project?: string; readonly event_date?: string } = {}): Promise<string> => {
    const stored = await test.app.commands.remember({ content, force: true, ...more }, client);
    if (stored.status !== 'stored') throw new Error(stored.status);
    return stored.key;
  };
  const recall = (query: string) => test.app.queries.recall({ query, score_breakdown: true }, client);
  const firstResults = ({ recalls }: Found): readonly MentionedResult[] => recalls[0]?.results ?? [];
  const makesItsScore = ({ parts, score }: MentionedResult): boolean => parts !== undefined && scoreOf(parts) === score;

  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('knows nothing before the first recall', async () => {
    expect(await why({ query: 'ports' })).toMatchObject({ status: 'not_found', looked_at: 0 });
  });

  it('names the recall, its client, ranks and scores at once, and the parts make the score', async () => {
    const key = await remember('The staging gateway listens on port 8443 behind nginx.', { project: 'shop', event_date: '2026-03-04' });
    await remember('The staging gateway of the warehouse is restarted at night.');
    const { results } = await recall('which port does the staging gateway use, March 2026');
    const answer = await found({ query: 'Staging Gateway' });
    expect(answer).toMatchObject({ match_type: 'keyword', log_query: 'which port does the staging gateway use, March 2026', total: 1 });
    expect(answer.recalls[0]).toMatchObject({ kind: 'recall', client: 'mcp:claude-code/2.1.0', search: 'fused' });
    expect(answer.result_keys).toEqual(results.map((result) => result.key));
    const noted = firstResults(answer);
    expect(noted[0]).toMatchObject({ rank: 1, key, score: results[0]?.score, state: 'active', project: 'shop' });
    expect(noted[0]?.content).toContain('8443');
    expect(noted.map(({ rank }) => rank)).toEqual(results.map((_, i) => i + 1));
    expect(noted[0]?.parts).toEqual({
      ...results[0]?.score_breakdown,
      vector: expect.closeTo(results[0]?.score_breakdown?.vector ?? 0, 5),
      lexical: expect.closeTo(results[0]?.score_breakdown?.lexical ?? 0, 5),
    });
    expect(noted[0]?.parts?.temporal).toBeGreaterThan(1);
    expect(noted.every(makesItsScore)).toBe(true);
  });

  it('finds a recall whose query is part of what is asked about, but not by one or two letters', async () => {
    await remember('Kafka topics of billing are compacted.');
    await recall('kafka topics');
    await recall('ka');
    const { match_type, recalls } = await found({ query: 'you said something about Kafka topics yesterday' });
    expect(match_type).toBe('keyword');
    expect(recalls.map(({ log_query }) => log_query)).toEqual(['kafka topics']);
  });

  it('finds a recall by meaning when no words are contained, with how alike the two are', async () => {
    await remember('Invoices are rounded half to even in the ledger module.');
    await recall('how are invoices rounded in the ledger');
    const { match_type, log_query, recalls } = await found({ query: 'are ledger invoices rounded how' });
    expect(match_type).toBe('semantic');
    expect(log_query).toBe('how are invoices rounded in the ledger');
    expect(recalls[0]?.similarity).toBeGreaterThan(0.5);
    expect(await why({ query: 'zebra crossings in Ulan Bator' })).toMatchObject({ status: 'not_found' });
  });

  it('finds the recalls that showed a memory, newest first, and only its place in each', async () => {
    const key = await remember('Backups of the wiki run on Tuesday at four.');
    await recall('when do wiki backups run');
    await test.app.queries.recallIndex({ query: 'backups of the wiki' }, { actor: 'mcp:cursor/1.0' });
    for (const input of [{ key }, { query: key }]) {
      const answer = await found(input);
      expect(answer).toMatchObject({ match_type: 'key', total: 2 });
      expect(answer.recalls.map(({ kind, client }) => [kind, client])).toEqual([
        ['recall_index', 'mcp:cursor/1.0'],
        ['recall', 'mcp:claude-code/2.1.0'],
      ]);
      expect(answer.recalls.flatMap(({ results }) => results.map((result) => result.key))).toEqual([key, key]);
    }
    const explained = await test.app.queries.explainMemory({ key }, client);
    expect(explained).toMatchObject({ recalls: [{ kind: 'recall_index', rank: 1, parts: { surface: 1 } }, { kind: 'recall' }] });
  });

  it('says when a hint brought a memory back, and when its fact lent it the score', async () => {
    const key = await remember('Memcached kept the baskets until the cluster was split.');
    await test.app.commands.deprioritise({ key_or_query: key, reason: 'replaced', reinstate_hints: ['basket cache'] }, client);
    await recall('basket cache');
    const noted = firstResults(await found({ query: 'basket cache' })).find((result) => result.key === key);
    expect(noted).toMatchObject({ score: 0.6, parts: { reinstated: true }, state: 'deprioritised' });
    expect(noted && makesItsScore(noted)).toBe(true);

    const source = await remember('The harbour cranes lease ends in June, said the meeting.');
    const fact = await drawFact(test, source, 'The harbour cranes lease ends in June.');
    // Put aside, both count for the same: the nearer text decides.
    await test.app.commands.deprioritise({ key_or_query: source, reason: 'settled' }, client);
    const { results } = await recall('when does the harbour cranes lease end');
    expect(results.map((result) => result.key)).toContain(source);
    expect(results.map((result) => result.key)).not.toContain(fact);
    const lifted = firstResults(await found({ query: 'harbour cranes lease end' })).find((result) => result.key === source);
    expect(lifted?.parts?.via).toBe(fact);
    expect(lifted && makesItsScore(lifted)).toBe(true);
  });

  it('says so when the text of a query is gone, keeps the ranks, and marks what was forgotten', async () => {
    const key = await remember('The pager password hint is the name of the ship.');
    const other = await remember('The pager battery lasts a week.');
    await recall('the pager');
    await test.app.commands.forget({ keys: [key], confirm: true }, client);
    for (const end = performance.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const answer = await found({ key: other });
      if (answer.log_query === undefined) break;
      if (performance.now() > end) throw new Error('the text of the query is still there');
    }
    const answer = await found({ key: other });
    expect(answer.recalls[0]?.log_query).toBeUndefined();
    expect(answer.message).toMatch(/not kept any more/);
    expect(await found({ key })).toMatchObject({ recalls: [{ results: [{ key, state: 'forgotten' }] }] });
    expect(JSON.stringify(await found({ key }))).not.toContain('ship');
    const nothing = await why({ query: 'the pager, please' });
    expect(nothing).toMatchObject({ status: 'not_found', texts_gone: 1, message: expect.stringContaining('kept for a month') });
  });

  it.each([{}, { query: 'a', key: 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { query: '  ' }, { key: 'mem:shop' }, { key: '' }])(
    'refuses %j',
    async (input) => {
      await expect(why(input)).rejects.toMatchObject({ code: 'VALIDATION' });
    },
  );
});

describe('why_did_you_mention with no model', () => {
  it('compares words only and says so', async () => {
    const test = await openTestApp({ provider: providerOf() });
    try {
      const call = { actor: 'test' };
      await test.app.commands.remember({ content: 'Nginx serves the shop.' }, call);
      await test.app.queries.recall({ query: 'what serves the shop' }, call);
      expect(await test.app.queries.whyDidYouMention({ query: 'the shop is served by what' }, call)).toMatchObject({
        status: 'not_found',
        message: expect.stringMatching(/only words/),
      });
    } finally {
      await test.end();
    }
  });
});
