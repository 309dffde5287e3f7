import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../services/embedding/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';

const WHAT_IS_IT = 'what is it';
/** The texts of this test that are German. */
const GERMAN = /\b(?:der|die)\b/i;

/**
 * Takes all texts without a Latin letter for the same, as an English model does, all German ones for alike (cosine 0.5), and a question
 * of function words for far from all.
 */
const english = (): Embedder => {
  const base = hashedEmbedder('english', 256);
  const axis = (i: number): Float32Array => Float32Array.from({ length: 256 }, (_, at) => (at === i ? 1 : 0));
  const german = new Map<string, number>();
  const alike = (text: string): Float32Array => {
    const own = german.get(text) ?? 100 + german.size;
    german.set(text, own);
    return Float32Array.from({ length: 256 }, (_, at) => (at === 2 || at === own ? Math.SQRT1_2 : 0));
  };
  const latin = async (text: string): Promise<Float32Array> =>
    GERMAN.test(text) ? alike(text) : ((await base.embed([text]))[0]?.[0] ?? axis(3));
  const unread = (text: string): boolean => !/\p{Script=Latin}/u.test(text);
  return {
    ...base,
    embed: async (texts) => Promise.all(texts.map(async (text) => [unread(text) ? axis(0) : await latin(text)])),
    embedQuery: async (text) =>
      unread(text) ? axis(0) : text === WHAT_IS_IT ? axis(1) : GERMAN.test(text) ? alike(text) : base.embedQuery(text),
  };
};

describe('what the embedding model cannot read', () => {
  const backup = '本番データベースのバックアップは毎晩二時に実行される';
  const login = 'ログイン画面の不具合はセッションの有効期限が原因だった';
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp({ provider: providerOf(english()) });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('is no duplicate and no contradiction of another such text', async () => {
    for (const content of [backup, login, 'สำรองข้อมูลทุกคืน', '🍎🍎🍎', '🍌🍌🍌']) {
      const answer = await test.app.commands.remember({ content }, test.call);
      expect(answer).toMatchObject({ status: 'stored' });
      expect(answer).not.toHaveProperty('contradiction_warning');
    }
    for (const content of ['It is what it is, with the gateway', 'The gateway listens on port 8080', 'The gateway listens on port 8081']) {
      await test.app.commands.remember({ content }, test.call);
    }
    const { clusters } = await test.app.queries.findDuplicates({ threshold: 0.99 }, test.call);
    expect(clusters).toEqual([]);
  });

  it('is asked for by its words, and answered by nothing else', async () => {
    const found = await test.app.queries.recall({ query: 'データベースのバックアップ' }, test.call);
    expect(found.results.map(({ content }) => content)).toEqual([backup]);
    expect(found.search).toBe('lexical');
    expect(found.search_note).toMatch(/does not read/);
    for (const query of ['東京の天気', '猫', '🦄', '?']) expect((await test.app.queries.recall({ query }, test.call)).results).toEqual([]);
  });

  it('of a language that it reads badly is ranked by vectors too, but no answer for being near', async () => {
    const archived = 'Die Bestellungen werden jede Nacht archiviert';
    for (const content of [archived, 'Der Drucker im Lager braucht neues Papier']) await test.app.commands.remember({ content }, test.call);
    const found = await test.app.queries.recall({ query: 'Warum werden die Bestellungen nicht archiviert?' }, test.call);
    expect(found.results.map(({ content }) => content)).toEqual([archived]);
    expect(found).toMatchObject({ search: 'fused' });
    expect(found).not.toHaveProperty('search_note');
    const other = await test.app.queries.recall({ query: 'Wohin führt der große Wanderweg?' }, test.call);
    expect(other.results).toEqual([]);
  });

  it('is no question that was asked before in other words', async () => {
    const why = await test.app.queries.whyDidYouMention({ query: '給与計算' }, test.call);
    expect(why).toMatchObject({ status: 'not_found', message: expect.stringMatching(/does not read/) });
  });

  it('leads to no memory that is checked for contradictions', async () => {
    expect(await test.app.commands.checkContradictions({ query: '給与計算' }, test.call)).toMatchObject({ checked: 0 });
    expect((await test.app.commands.checkContradictions({ query: 'gateway port' }, test.call)).contradictions).toHaveLength(1);
  });

  it('nor does a question of function words find what shares them', async () => {
    expect((await test.app.queries.recall({ query: WHAT_IS_IT }, test.call)).results).toEqual([]);
    expect((await test.app.queries.recall({ query: 'what is it with the gateway' }, test.call)).results.length).toBeGreaterThan(0);
  });
});
