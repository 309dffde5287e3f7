import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Document } from '../../../projections/recall/document.js';
import type { ReindexResult } from '../../../services/api.js';
import { Reindexer, type ReindexParts } from '../../../services/ops/reindex.js';
import { openTestApp, type TestApp } from '../../support/app.js';

type Done = Extract<ReindexResult, { readonly status: 'ok' }>;

describe('reindex', () => {
  let test: TestApp;
  const keys: string[] = [];
  beforeAll(async () => {
    test = await openTestApp();
    for (let n = 0; n < 12; n++) {
      const content = `ticket ${n} concerns the ferry terminal`;
      const stored = await test.app.commands.remember({ content, force: true, ...(n % 3 === 0 && { namespace: 'knowledge' }) }, test.call);
      if (stored.status === 'stored') keys.push(stored.key);
    }
    await test.app.commands.deprioritise({ key_or_query: keys[1] ?? '', reason: 'old', reinstate_hints: ['gangway'] }, test.call);
    await test.app.commands.suppressTopic({ topic: 'weather' }, test.call);
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  const reindex = async (parts: Partial<Parameters<TestApp['app']['commands']['reindex']>[0]> = {}): Promise<Done> => {
    const answer = await test.app.commands.reindex(parts, test.call);
    if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
    return answer;
  };
  const found = async (query: string) => (await test.app.queries.recall({ query, top_k: 50 }, test.call)).results.map(({ key }) => key);

  it('takes out what no memory is behind, brings back what the index had lost, and the views what they had lost', async () => {
    const before = await found('ferry terminal ticket');
    const { index } = test;
    const ghost = `mem:episodic:${ulid()}`;
    const documents = index.documents as Map<string, Document>;
    const document = documents.get(keys[2] ?? '');
    if (!document) throw new Error('the index lacks a memory');
    documents.set(ghost, { ...document, key: ghost });
    index.words('episodic').upsert(ghost, 'ferry terminal ghost', document);
    documents.delete(keys[4] ?? '');
    index.words('episodic').remove(keys[4] ?? '');
    const serving = await test.redis.hget(test.keys.projection('memories'), 'serving');
    await test.redis.del(test.keys.row('memories', Number(serving), keys[5] ?? ''));
    expect(await found('ferry terminal ticket')).not.toEqual(before);

    const { reindexed, total_phantoms_removed, views } = await reindex();
    expect(total_phantoms_removed).toBe(1);
    expect(reindexed).toMatchObject(
      [
        { namespace: 'episodic', before_num_docs: 8, after_num_docs: 8, actual_records: 8, removed_phantoms: 1, restored: 1 },
        { namespace: 'project', actual_records: 0 },
        { namespace: 'knowledge', before_num_docs: 4, after_num_docs: 4, actual_records: 4, removed_phantoms: 0, restored: 0 },
        { namespace: 'preference', actual_records: 0 },
      ].sort(
        (a, b) => reindexed.findIndex((one) => one.namespace === a.namespace) - reindexed.findIndex((one) => one.namespace === b.namespace),
      ),
    );
    expect(views.memories).toBeGreaterThan(Number(serving));
    expect(await found('ferry terminal ticket')).toEqual(before);
    expect(await found('gangway')).toEqual([keys[1]]);
    expect(test.index.suppressed.topics.has('weather')).toBe(true);
    const { issues } = await test.app.queries.health();
    expect(issues.filter(({ code }) => /INDEX|VIEW/.test(code))).toEqual([]);
  });

  it('goes on serving meanwhile: what is written and forgotten while it runs is there, and gone, afterwards', async () => {
    const running = reindex();
    const written: string[] = [];
    for (let n = 0; n < 20; n++) {
      const stored = await test.app.commands.remember({ content: `written meanwhile ${n} zanzibar`, force: true }, test.call);
      if (stored.status === 'stored') written.push(stored.key);
      expect(await found(`written meanwhile ${n} zanzibar`)).toContain(written.at(-1));
    }
    const [gone = '', ...left] = written;
    await test.app.commands.forget({ keys: [gone], confirm: true }, test.call);
    await running;
    expect((await found('written meanwhile zanzibar')).sort()).toEqual(left.sort());
    const after = await test.app.commands.remember({ content: 'written afterwards zanzibar', force: true }, test.call);
    expect(await found('written afterwards zanzibar')).toContain(after.status === 'stored' ? after.key : '');
    await test.app.commands.forget({ keys: left, confirm: true }, test.call);
    expect((await found('zanzibar')).filter((key) => written.includes(key))).toEqual([]);
  });

  it('reports one namespace when one is named', async () => {
    const { reindexed } = await reindex({ namespace: 'knowledge' });
    expect(reindexed.map(({ namespace }) => namespace)).toEqual(['knowledge']);
  });

  describe('that takes longer than a host waits', () => {
    const stopping = new AbortController();
    const slow = (more: Partial<ReindexParts> = {}): Reindexer =>
      new Reindexer({
        redis: test.redis,
        keys: test.keys,
        index: test.index,
        createIndex: () => {
          throw new Error('made for a test');
        },
        sweep: async () => new Map(),
        views: ['memories'],
        now: Date.now,
        signal: stopping.signal,
        patienceMs: 1,
        ...more,
      });

    it('answers that it runs, is joined by the next call, and tells its end once; then another begins', async () => {
      const reindexer = slow();
      const first = await reindexer.run({}, test.call);
      expect(first).toMatchObject({ status: 'running', phase: expect.any(String), next: expect.stringContaining('Call reindex again') });
      expect(await reindexer.run({}, test.call)).toMatchObject({ status: 'running', started_at: first.started_at });
      await reindexer.close();
      await expect(reindexer.run({}, test.call)).rejects.toThrow('made for a test');
      expect(await reindexer.run({}, test.call)).toMatchObject({ status: 'running' });
      await reindexer.close();
    });

    it('answers its own end again to whoever repeats the command id', async () => {
      const reindexer = slow();
      const call = { ...test.call, commandId: ulid() };
      await reindexer.run({}, call);
      await reindexer.close();
      await expect(reindexer.run({}, call)).rejects.toThrow('made for a test');
      await expect(reindexer.run({}, call)).rejects.toThrow('made for a test');
    });

    it('tells a caller who waits how far it is', async () => {
      const said: string[] = [];
      const running = slow({ patienceMs: 60_000 }).run({}, { ...test.call, progress: (message) => said.push(message) });
      await expect(running).rejects.toThrow('made for a test');
      expect(said.every((message) => message.length > 0)).toBe(true);
    });
  });
});
