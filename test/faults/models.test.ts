import { afterEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../services/embedding/port.js';
import { waitingEmbedder } from '../e2e/app/client.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { hashedEmbedder, providerOf } from '../support/embedders.js';
import { eventually } from '../support/mcp.js';

const named = (name: string, dimension: number): Embedder => hashedEmbedder(name, dimension);
/** A model that is taken by itself is one the product knows to be better. */
const LITE = named('use-lite', 32);
const MINI = named('all-MiniLM-L6-v2', 64);

const open: TestApp[] = [];
afterEach(async () => {
  for (const test of open.splice(0)) {
    await test.verifyAll();
    await test.end();
  }
});
const openWith = async (provider: ReturnType<typeof providerOf>): Promise<TestApp> => {
  const test = await openTestApp({ provider });
  open.push(test);
  return test;
};
const TEXTS = Array.from({ length: 70 }, (_, n) => `Locker ${n} keeps sextant number ${n}.`);
const fill = async ({ app, call }: TestApp, texts: readonly string[] = TEXTS): Promise<void> => {
  await Promise.all(texts.map((content) => app.commands.remember({ content, force: true }, call)));
};
const serves = (test: TestApp, model: string): Promise<void> =>
  eventually(
    () => test.index.serving?.model.id === model && test.index.serving.missing.size === 0,
    () => ({ serving: test.index.serving?.model.id, missing: test.index.serving?.missing.size }),
    60_000,
  );
const search = async ({ app, call }: TestApp, query = TEXTS[7] ?? '') => app.queries.recall({ query, top_k: 3 }, call);

describe('a change of model', () => {
  it('is blue/green: the old space serves until the new one is whole, and the two are never mixed', async () => {
    const provider = providerOf(LITE);
    const test = await openWith(provider);
    await fill(test);
    await serves(test, LITE.identity.id);
    // The last text waits: until it is there nothing may be served from the new space.
    const slow = waitingEmbedder(MINI, (text) => text === TEXTS[69]);
    provider.arrive(slow.embedder);
    await slow.reached;
    expect(test.index.serving?.model.id).toBe(LITE.identity.id);
    const meanwhile = await search(test);
    expect(meanwhile).toMatchObject({ search: 'fused', results: expect.arrayContaining([expect.objectContaining({ content: TEXTS[7] })]) });
    const health = await test.app.queries.health();
    expect(health.issues.map(({ code }) => code)).toContain('REEMBEDDING');
    // What is written meanwhile is found at once and gets a vector of each space it needs.
    await test.app.commands.remember({ content: 'Locker 99 keeps the spare chronometer.', force: true }, test.call);
    expect((await search(test, 'Locker 99 keeps the spare chronometer.')).results[0]?.content).toContain('chronometer');
    slow.release();
    await serves(test, MINI.identity.id);
    expect(test.index.serving?.model.dimension).toBe(64);
    expect(await search(test)).toMatchObject({
      search: 'fused',
      results: expect.arrayContaining([expect.objectContaining({ content: TEXTS[7] })]),
    });
    expect((await search(test, 'Locker 99 keeps the spare chronometer.')).results[0]?.content).toContain('chronometer');
    expect((await test.app.queries.health()).issues.filter(({ severity }) => severity === 'red')).toEqual([]);
  });

  it('by an embedder that fits no space: recall is lexical and says so, health is red, nothing is mixed', async () => {
    const provider = providerOf(MINI);
    const test = await openWith(provider);
    await fill(test, TEXTS.slice(0, 10));
    await serves(test, MINI.identity.id);
    await test.close();
    const before = (await openKeys(test)).length;
    // A worse model than the one in the log, and nothing that opens the better one.
    const worse = await test.another({ provider: providerOf(LITE) });
    await worse.app.whenReady(30_000);
    const answer = await worse.app.queries.recall({ query: TEXTS[3] ?? '' }, test.call);
    expect(answer).toMatchObject({ search: 'lexical', search_note: expect.stringMatching(/another model|words only/) });
    expect(answer.results[0]?.content).toBe(TEXTS[3]);
    const health = await worse.app.queries.health();
    expect(health.status).toBe('red');
    expect(health.issues[0]).toMatchObject({ code: 'MODEL_MISMATCH', message: expect.stringContaining(LITE.identity.id) });
    await worse.app.commands.remember({ content: 'Written while the wrong model was loaded.', force: true }, test.call);
    expect((await worse.app.queries.recall({ query: 'Written while the wrong model was loaded' }, test.call)).results[0]).toMatchObject({
      content: 'Written while the wrong model was loaded.',
    });
    await worse.close();
    // Back with the right model the newcomer gets its vector, and everything is found.
    const right = await test.another({ provider: providerOf(MINI) });
    await right.app.whenReady(30_000);
    await eventually(
      () => right.index.serving?.model.id === MINI.identity.id && right.index.serving.missing.size === 0,
      () => right.index.stats(),
      30_000,
    );
    const found = await right.app.queries.recall({ query: 'Written while the wrong model was loaded' }, test.call);
    expect(found).toMatchObject({ search: 'fused', results: [{ content: 'Written while the wrong model was loaded.' }] });
    expect(before).toBe(10);
    await right.close();
    open.length = 0;
    await test.end();
  });

  it('nobody blocks: without a model recall is by words, and vectors follow when one arrives', async () => {
    const provider = providerOf();
    const test = await openWith(provider);
    await fill(test, TEXTS.slice(0, 5));
    expect(await search(test, TEXTS[2])).toMatchObject({ search: 'lexical', results: [{ content: TEXTS[2] }] });
    provider.arrive(MINI);
    await serves(test, MINI.identity.id);
    expect(await search(test, TEXTS[2])).toMatchObject({
      search: 'fused',
      results: expect.arrayContaining([expect.objectContaining({ content: TEXTS[2] })]),
    });
  });

  it('a text that the model cannot take leaves the others with their vectors', async () => {
    const picky: Embedder = {
      ...MINI,
      embed: async (texts, options) => {
        if (texts.some((text) => text.includes('poison'))) throw new Error('the tokenizer fell over');
        return MINI.embed(texts, options);
      },
    };
    const provider = providerOf();
    const test = await openWith(provider);
    await fill(test, ['A poison pill of a text.', ...TEXTS.slice(0, 50)]);
    provider.arrive(picky);
    await eventually(
      () => test.index.serving?.missing.size === 1,
      () => test.index.serving?.missing.size,
      30_000,
    );
    expect((await search(test, 'A poison pill of a text')).results[0]?.content).toBe('A poison pill of a text.');
    expect((await test.app.queries.health()).issues.map(({ code }) => code)).toContain('VECTORS_PENDING');
  });
});

const openKeys = async ({ valkey, keys }: TestApp): Promise<string[]> => valkey.client().keys(`${keys.prefix}emb:*`);
