import { env, pipeline } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMiniLm } from '../../../services/embedding/minilm.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { cosine } from '../../../services/embedding/vectors.js';
import { realModel } from '../../support/real-model.js';

const model = await realModel();
const unreachable = typeof model === 'string' ? `: SKIPPED, no road leads to the model. ${model}` : '';

const only = (windows: Float32Array[] | undefined): Float32Array => windows?.[0] ?? new Float32Array();
const paragraph = 'The queue keeps its jobs in a sorted set and a worker takes the first one. Failed jobs wait longer each time. ';

describe.skipIf(typeof model === 'string')(`all-MiniLM-L6-v2${unreachable}`, () => {
  let embedder: Embedder;
  beforeAll(async () => {
    if (typeof model === 'string') throw new Error(model);
    embedder = await openMiniLm(model);
  });
  afterAll(() => embedder?.close());

  it('is the pinned graph, and says so in its identity', () => {
    expect(embedder.identity).toMatchObject({ name: 'all-MiniLM-L6-v2', dimension: 384, dtype: 'q8', pooling: 'mean' });
    expect(embedder.identity.id).toMatch(/^minilm-q8-384-[0-9a-f]{12}$/);
  });

  it('gives the vectors that transformers.js itself gives', async () => {
    if (typeof model === 'string') return;
    env.allowRemoteModels = false;
    const extract = await pipeline('feature-extraction', model.dir, { dtype: 'q8', local_files_only: true });
    for (const text of ['The database crashed at noon.', 'Ünïcode, C++ & ERR_4711?', paragraph.repeat(5), '数据库在中午崩溃了']) {
      const theirs = await extract(text, { pooling: 'mean', normalize: true });
      const [ours] = await embedder.embed([text]);
      expect(cosine(only(ours), Float32Array.from(theirs.data as Float32Array))).toBeGreaterThan(1 - 1e-5);
    }
    await extract.dispose();
  });

  it.each([
    ['The database crashed at noon', 'Postgres went down around midday', 'A recipe for apple pie'],
    ['Use pnpm instead of npm in this repository', 'Our package manager is pnpm', 'The office closes at six'],
    ['Rotate the signing key every ninety days', 'Keys for signatures are replaced each quarter', 'The dark theme uses grey'],
    ['Der Server ist abgestürzt', 'Der Server ist heute ausgefallen', 'Ich esse gern Kuchen'],
  ])('puts a paraphrase above the unrelated: %s', async (text, paraphrase, unrelated) => {
    const [a, b, c] = await embedder.embed([text, paraphrase, unrelated]);
    expect(cosine(only(a), only(b))).toBeGreaterThan(cosine(only(a), only(c)) + 0.15);
  });

  it('gives a text the same vector in a batch, alone and as a query', async () => {
    const texts = ['short', paragraph, `${paragraph}${paragraph}`, 'ERR_4711', 'Größe', '你好，世界'];
    const together = await embedder.embed(texts);
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      const query = await embedder.embedQuery(text);
      expect(Math.max(...only(alone).map((x, d) => Math.abs(x - (together[i]?.[0]?.[d] ?? 9))))).toBeLessThan(1e-5);
      expect(cosine(query, only(alone))).toBeGreaterThan(1 - 1e-5);
    }
  });

  it('finds what stands at the end, the middle and the start of 50,000 characters, while this thread goes on', async () => {
    const filler = paragraph.repeat(500);
    const at = (share: number) => filler.indexOf('. ', filler.length * share) + 2;
    const facts = [
      'The espresso machine on floor three takes oat milk. ',
      'Zebras graze behind the office. ',
      'The pilot prefers Norwegian fjords. ',
    ];
    const text = [facts[0], filler.slice(0, at(0.4)), facts[1], filler.slice(at(0.4), 49_850), facts[2]].join('').slice(-50_000);

    let ticks = 0;
    const clock = setInterval(() => ticks++, 1);
    const [windows = []] = await embedder.embed([text]);
    clearInterval(clock);

    expect(ticks).toBeGreaterThan(100);
    expect(windows.length).toBeGreaterThan(30);
    const best = async (query: string) => {
      const vector = await embedder.embedQuery(query);
      const scores = windows.map((window) => cosine(window, vector));
      return scores.indexOf(Math.max(...scores)) / (windows.length - 1);
    };
    expect(await best('Where do aircrew like to travel in Scandinavia?')).toBe(1);
    expect(await best('striped animals eating grass')).toBeGreaterThan(0.3);
    expect(await best('striped animals eating grass')).toBeLessThan(0.5);
    expect(await best('coffee with a plant-based drink')).toBeLessThan(0.05);
  });

  it('does not lose a word of 2,000 characters', async () => {
    const [a, b] = await embedder.embed(['q7x'.repeat(700), 'zz9'.repeat(700)]);
    expect(a?.length).toBeGreaterThan(1);
    expect(cosine(only(a), only(b))).toBeLessThan(0.99);
  });

  it('is not upset by any text', async () => {
    const texts = ['\ud83d', '😀😀😀', '\u0000', 'a\r\nb', '\u202e\u200f', '[CLS] [SEP] [PAD]', '𝕏'.repeat(300), '数据库'.repeat(2000)];
    const windows = await embedder.embed(texts);
    expect(windows.map((of) => of.length >= 1)).toEqual(texts.map(() => true));
    expect(windows.at(-1)?.length).toBeGreaterThan(20);
  });
});
