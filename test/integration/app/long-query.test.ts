import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../services/embedding/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';

/** Reads no more of a query than a model's first window does. */
const shortSighted = (): Embedder => {
  const base = hashedEmbedder('short-sighted', 128);
  return { ...base, embedQuery: (text, options) => base.embedQuery(text.slice(0, 1_000), options) };
};

const CODE = 'PROJ-4711 was closed by Anna';
const PORT = 'Grafana listens on port threethousand behind the tunnel';
const prose = (length: number): string =>
  'we spoke of queues and of caches for hours and who is on call '.repeat(Math.ceil(length / 62)).slice(0, length);

describe('a long query', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp({ provider: providerOf(shortSighted()) });
    for (const content of [CODE, PORT, 'Buy milk', 'Friday is cake day in the office'])
      await test.app.commands.remember({ content }, test.call);
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });
  const contents = async (query: string) => (await test.app.queries.recall({ query }, test.call)).results.map(({ content }) => content);

  it('finds the code that it ends in, by every tool that takes a query', async () => {
    const query = `${prose(9_500)} PROJ-4711`;
    expect((await contents(query))[0]).toBe(CODE);
    const { results } = await test.app.queries.recallIndex({ query }, test.call);
    expect(results[0]?.snippet).toBe(CODE);
  });

  it('finds what its last sentence means, and says what the meaning was read of', async () => {
    const query = `${prose(1_500)} . . . ${'. '.repeat(60)} Grafana listens on port threethousand behind the tunnel`;
    const { results, search_note } = await test.app.queries.recall({ query, score_breakdown: true }, test.call);
    expect(results[0]?.content).toBe(PORT);
    expect(results[0]?.score_breakdown?.vector).toBeGreaterThan(0.5);
    expect(search_note).toMatch(/beginning and its end/);
  });

  it('says nothing of a query that is read whole', async () => {
    expect(await test.app.queries.recall({ query: 'who closed PROJ-4711' }, test.call)).not.toHaveProperty('search_note');
  });

  it('says that it was cut where no tool refused it', async () => {
    const { search_note } = await test.app.queries.recall({ query: `PROJ-4711 ${prose(10_500)}` }, test.call);
    expect(search_note).toMatch(/first 10,000 characters/);
  });

  it('is warned of a dead end that it names at its end', async () => {
    const { results } = await test.app.queries.recall({ query: 'buy milk' }, test.call);
    const key = results[0]?.key ?? '';
    await test.app.commands.logAbandoned({ key, name: 'pg-boss', type: 'library', reason: 'It lost jobs.' }, test.call);
    for (const pasted of [prose(9_000), 'a b '.repeat(2_400)]) {
      const warned = await test.app.queries.warnIfAbandoned({ query: `${pasted} should we take pg-boss` }, test.call);
      expect(warned.status).toBe('warning');
    }
  });
});

describe('a long query of a tool that compares by meaning', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp({ provider: providerOf(shortSighted()) });
  });
  afterAll(() => test.end());
  const buried = (question: string): string => `${prose(1_500)} . . . ${'. '.repeat(70)} ${question}`;

  it('is why_did_you_mention, which finds the recall that its end means', async () => {
    const query = 'where does Grafana listen behind that tunnel';
    await test.app.queries.recall({ query }, test.call);
    const why = await test.app.queries.whyDidYouMention({ query: buried('that tunnel behind where Grafana does listen') }, test.call);
    expect(why).toMatchObject({ status: 'found', match_type: 'semantic', log_query: query });
  });

  it('is check_contradictions, which looks at the memories that its end means', async () => {
    for (const content of ['The gateway listens on port 8080', 'The gateway listens on port 8081'])
      await test.app.commands.remember({ content }, test.call);
    for (const word of 'apple birch cedar daisy ebony fern grape hazel iris jute kale lime maple nettle oak palm quince rose sage thyme ulex'.split(
      ' ',
    ))
      await test.app.commands.remember({ content: `who is on call for ${word}` }, test.call);
    const { contradictions } = await test.app.commands.checkContradictions({ query: buried('the gateway listens on port') }, test.call);
    expect(JSON.stringify(contradictions)).toMatch(/8080.*8081|8081.*8080/);
  });
});
