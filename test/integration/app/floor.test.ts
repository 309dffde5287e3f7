import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../services/embedding/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';

type Near = Readonly<Record<string, number>>;

/** Puts these texts at these cosines to whatever is asked, and all others at right angles to it. */
const placing = (near: Near, name = 'placing', recallFloor = 0.36): Embedder => {
  const base = hashedEmbedder(name, 128);
  const seen = new Map<string, number>();
  const vectorOf = (text: string): Float32Array => {
    const cosine = near[text] ?? 0;
    const own = seen.get(text) ?? 1 + seen.size;
    seen.set(text, own);
    return Float32Array.from({ length: 128 }, (_, i) => (i === 0 ? cosine : i === own ? Math.sqrt(1 - cosine * cosine) : 0));
  };
  const asked = Float32Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0));
  const { thresholds } = base.identity;
  return {
    ...base,
    identity: { ...base.identity, thresholds: { ...thresholds, recallFloor } },
    embed: async (texts) => texts.map((text) => [vectorOf(text)]),
    embedQuery: async () => asked,
  };
};

describe('what recall shows and hides', () => {
  const rolledBack = 'The deploy of the twelfth was not clean and was rolled back';
  const near = 'Refunds are booked at night';
  const unread = '鈴木さんの方針：コードレビューは二十四時間以内に返す';
  const silent = 'PagerDuty notifications stayed muted for an hour';
  let test: TestApp;
  const recall = (query: string, more: object = {}) => test.app.queries.recall({ query, ...more }, test.call);
  const contents = async (query: string, more: object = {}) => (await recall(query, more)).results.map(({ content }) => content);

  beforeAll(async () => {
    test = await openTestApp({ provider: providerOf(placing({ [near]: 0.27, [rolledBack]: 0.15, [unread]: 0.35, [silent]: 0.2 })) });
    const remember = (content: string, more: object = {}) => test.app.commands.remember({ content, ...more }, test.call);
    await remember(rolledBack, { namespace: 'project' });
    // What is rare in one namespace has weight there.
    for (const place of ['Oslo', 'Lima', 'Rome', 'Cairo', 'Quito', 'Perth'])
      await remember(`Invoices for ${place} leave on Monday`, { namespace: 'project' });
    await remember(near, { namespace: 'episodic', project: 'ledger' });
    await remember(unread, { namespace: 'knowledge', project: 'sakura' });
    await remember(silent, { namespace: 'knowledge', project: 'infra' });
    await remember('Named exports only, Ingrid says', { namespace: 'preference', project: 'lumen', tags: ['style', '設定'] });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('hides no memory that shares a word and scores above what it shows, in another namespace', async () => {
    const query = 'which deploy rolled plugh';
    expect(await contents(query, { namespaces: ['project'] })).toEqual([]);
    const { results } = await recall(query, { score_breakdown: true });
    const similarityOf = (text: string) => results.find(({ content }) => content === text)?.score_breakdown?.similarity ?? Number.NaN;
    expect(similarityOf(near)).toBeGreaterThan(0);
    expect(similarityOf(rolledBack)).toBeGreaterThan(similarityOf(near));
  });

  it('shows no memory in a script that the model does not read for being near', async () => {
    expect(await contents('asdkjh qweoiu zxmcn')).not.toContain(unread);
    expect(await recall('asdkjh qweoiu zxmcn', { project_filter: ['sakura'] })).not.toHaveProperty('nearest');
  });

  it('names what fell a little short where nothing matches, and counts it as no result', async () => {
    const answer = await recall('our alarms were silent', { project_filter: ['infra'] });
    expect(answer.results).toEqual([]);
    expect(answer.message).toMatch(/^No memory matches\. nearest names/);
    expect(answer.nearest).toEqual([{ key: expect.stringMatching(/^mem:knowledge:/), title: silent, score: expect.any(Number) }]);
    expect(await recall('our alarms were silent')).not.toHaveProperty('nearest');
    const bounded = await recall('our alarms were silent', { project_filter: ['infra'], max_tokens: 200 });
    expect(bounded).not.toHaveProperty('nearest');
    expect(bounded.message).not.toContain('nearest');
    expect(await recall('our alarms', { project_filter: ['lumen'] })).not.toHaveProperty('nearest');
  });

  it.each(['style', 'styles', '設定'])('finds what %s tags', async (query) => {
    expect(await contents(query, { project_filter: ['lumen'] })).toEqual(['Named exports only, Ingrid says']);
    expect(await contents(query, { project_filter: ['infra'] })).toEqual([]);
  });

  it('shows of what its tags alone make a match the five newest, and says so', async () => {
    const towns = ['Bergen', 'Cork', 'Delft', 'Essen', 'Faro', 'Ghent', 'Hull'];
    for (const town of towns)
      await test.app.commands.remember(
        { content: `Depot ${town} is closed`, namespace: 'episodic', project: 'depots', tags: ['bug'] },
        test.call,
      );
    const answer = await recall('bugs', { project_filter: ['depots'] });
    expect(answer.results.map(({ content }) => content).sort()).toEqual(towns.slice(2).map((town) => `Depot ${town} is closed`));
    expect(answer.search_note).toMatch(/is a tag.*at most 5/);
    expect(await recall('Ghent', { project_filter: ['depots'] })).not.toHaveProperty('search_note');
  });

  it('finds an acronym that is spelt like a stop word', async () => {
    await test.app.commands.remember({ content: 'Feed WHO, read on Thursdays', namespace: 'knowledge', project: 'feeds' }, test.call);
    expect(await contents('WHO', { project_filter: ['feeds'] })).toEqual(['Feed WHO, read on Thursdays']);
  });

  it('looks at the tags there are now', async () => {
    const [tagged] = (await recall('style', { project_filter: ['lumen'] })).results;
    await test.app.commands.retag({ key: tagged?.key ?? '', tags: ['exports'] }, test.call);
    expect(await contents('style', { project_filter: ['lumen'] })).toEqual([]);
    expect(await contents('export', { project_filter: ['lumen'] })).toHaveLength(1);
  });

  it.each(['の', '-1', '0', 'was ist das', 'what is it'])('finds nothing for %s, and says that nothing is asked', async (query) =>
    expect(await recall(query)).toMatchObject({ results: [], search_note: expect.stringMatching(/names nothing to look for/) }),
  );
});

describe('the floor of a model', () => {
  const text = 'Refunds are booked at night';
  it('is that of the vectors that are searched, whatever model is configured, and the mismatch is said', async () => {
    const first = placing({ [text]: 0.3 }, 'first', 0.36);
    const other = placing({ [text]: 0.3 }, 'other', 0.6);
    const provider = providerOf(first);
    const test = await openTestApp({ provider });
    await test.app.commands.remember({ content: text }, test.call);
    expect(await test.app.queries.recall({ query: 'chargebacks' }, test.call)).not.toHaveProperty('search_note');
    provider.arrive(other);
    const answer = await test.app.queries.recall({ query: 'chargebacks' }, test.call);
    expect(answer).toMatchObject({ search: 'fused', search_note: expect.stringMatching(/are of first, not of other.*health/) });
    expect(answer.results.map(({ content }) => content)).toEqual([text]);
    await test.end();
  });
});
