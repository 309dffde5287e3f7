import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../services/embedding/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';

/** Puts two texts without a common word at a cosine of 0.6, and everything else far from both. */
const closeBy = (memory: string, query: string): Embedder => {
  const base = hashedEmbedder('close-by', 64);
  const unit = (i: number, j: number, x: number, y: number): Float32Array => {
    const vector = new Float32Array(64);
    vector[i] = x;
    vector[j] = y;
    return vector;
  };
  const vectorOf = (text: string): Float32Array => {
    if (text === memory) return unit(0, 1, 1, 0);
    if (text === query) return unit(0, 1, 0.6, 0.8);
    return unit(2 + (text.length % 60), 63, 1, 0);
  };
  return { ...base, embed: async (texts) => texts.map((text) => [vectorOf(text)]), embedQuery: async (text) => vectorOf(text) };
};

describe('a question that shares no word with its memory', () => {
  const memory = 'Postgres died because connections ran out';
  const query = 'why was our database outage';
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp({ provider: providerOf(closeBy(memory, query)) });
    for (const content of [memory, 'Buy milk', 'The cat sleeps on the roof', 'Friday is cake day in the office']) {
      await test.app.commands.remember({ content }, test.call);
    }
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('is found by its meaning, and nothing else is', async () => {
    const { results } = await test.app.queries.recall({ query, score_breakdown: true }, test.call);
    expect(results.map(({ content }) => content)).toEqual([memory]);
    expect(results[0]?.score_breakdown).toMatchObject({ vector: 0.6, lexical: 0 });
  });
});
