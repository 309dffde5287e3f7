import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINILM_Q8 } from '../../../services/embedding/manifest.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { openUseLite } from '../../../services/embedding/use-lite.js';
import { cosine } from '../../../services/embedding/vectors.js';

const only = (windows: Float32Array[] | undefined): Float32Array => windows?.[0] ?? new Float32Array();

describe('the offline encoder', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await openUseLite();
  });
  afterAll(() => embedder?.close());

  it('needs nothing but what is installed, and has a space of its own', () => {
    expect(embedder.identity).toMatchObject({ name: 'use-lite', dimension: 512 });
    expect(embedder.identity.id).toMatch(/^uselite-fp32-512-[0-9a-f]{12}$/);
  });

  it('carries thresholds above those of MiniLM, since its unrelated texts lie closer together', async () => {
    const { thresholds } = embedder.identity;
    for (const [name, threshold] of Object.entries(MINILM_Q8.thresholds)) {
      expect(thresholds[name as keyof typeof thresholds]).toBeGreaterThan(threshold);
    }
    const [a, b] = await embedder.embed([
      'Deploys run from the release branch after the tests pass',
      'The queue keeps failed jobs in a sorted set',
    ]);
    expect(cosine(only(a), only(b))).toBeLessThan(thresholds.contradiction);
  });

  it('puts a paraphrase above the unrelated', async () => {
    const [a, b, c] = await embedder.embed(['The database crashed at noon', 'Postgres went down around midday', 'A recipe for apple pie']);
    expect(cosine(only(a), only(b))).toBeGreaterThan(cosine(only(a), only(c)) + 0.15);
  });

  it('gives a text the same vector in a batch, alone and as a query', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `Step ${i}: ${'restart the worker, '.repeat(i)}then look at the log.`);
    const together = await embedder.embed(texts);
    for (const i of [0, 7, 19]) {
      const text = texts[i] ?? '';
      const [alone] = await embedder.embed([text]);
      expect(cosine(only(together[i]), only(alone))).toBeGreaterThan(1 - 1e-5);
      expect(cosine(await embedder.embedQuery(text), only(alone))).toBeGreaterThan(1 - 1e-5);
    }
  });

  it('finds the tail of a long text, while this thread goes on', async () => {
    let ticks = 0;
    const clock = setInterval(() => ticks++, 1);
    const [windows = []] = await embedder.embed([
      `${'The queue keeps its jobs in a sorted set. '.repeat(200)}Zebras graze behind the office.`,
    ]);
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(50);
    expect(windows.length).toBeGreaterThan(5);
    const query = await embedder.embedQuery('zebras near the office');
    const scores = windows.map((window) => cosine(window, query));
    expect(scores.indexOf(Math.max(...scores))).toBe(windows.length - 1);
  });

  it('refuses blank text and takes any other', async () => {
    await expect(embedder.embed([''])).rejects.toMatchObject({ code: 'VALIDATION' });
    const texts = ['\ud83d', '😀', '\u200b', '你好世界'.repeat(200), 'a'.repeat(3000)];
    expect((await embedder.embed(texts)).map((of) => of.length > 0)).toEqual(texts.map(() => true));
  });
});
