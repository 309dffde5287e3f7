import { createCorpus, type MadeMemory } from '../corpus.js';
import { type Figure, latencies, percentile, ratioFigure } from '../figures.js';
import { openProduct, preparedEmbedder, untilIdle } from '../product.js';
import type { Scenario } from '../scenario.js';
import type { Store } from '../stores.js';

export const visible: Scenario = {
  name: 'visible',
  about: 'time from calling remember() to a recall that finds the memory, without the embedding, against the least durable write',
  run: async ({ quick, sizes, stores }) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(await stores.at(size), quick ? [3, 30] : [5, 60])));
    return figures;
  },
};

const measure = async ({ size, dataDir }: Store, [rounds, count]: readonly [number, number]): Promise<Figure[]> => {
  // Other memories at each run, since those of an earlier one are in the store by now.
  const corpus = createCorpus(Date.now() % 1_000_000, Date.now());
  const memories = Array.from({ length: (rounds + 1) * count }, corpus.memory);
  const questions = memories.map((_, i) => `needle_${Date.now().toString(36)}_${i}`);
  const marked = memories.map((memory, i) => ({ ...memory, content: `${memory.content} ${questions[i]}` }));
  const vectors = new Map(marked.flatMap(({ content, vector }, i) => [[content, vector] as const, [questions[i] ?? '', vector] as const]));
  await using product = await openProduct(dataDir, preparedEmbedder(vectors));
  await product.index.settled();
  await untilIdle();
  const call = { actor: 'bench' };

  const rememberAndFind = async ({ content, namespace, project }: MadeMemory, question: string): Promise<void> => {
    const stored = await product.app.commands.remember({ content, namespace, project }, call);
    if (stored.status !== 'stored') throw new Error('a made memory was taken for a duplicate');
    for (;;) {
      const { results } = await product.app.queries.recall({ query: question }, call);
      if (results.some(({ key }) => key === stored.key)) return;
    }
  };
  const taken: { whole: number[][]; least: number[][] } = { whole: [], least: [] };
  for (let round = 0; round <= rounds; round++) {
    const turn = Array.from({ length: count }, (_, i) => round * count + i);
    const whole = await latencies(turn, (i) => rememberAndFind(marked[i] as MadeMemory, questions[i] ?? ''));
    const least = await latencies(turn, async (i) => {
      const { content, vector } = marked[i] as MadeMemory;
      await product.redis.hset('bench-row', { content, vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength) });
      await product.redis.hgetall('bench-row');
    });
    if (round === 0) continue;
    taken.whole.push(whole);
    taken.least.push(least);
  }
  await product.redis.unlink('bench-row');
  const at = (kind: keyof typeof taken, share: number): number[] => taken[kind].map((times) => percentile(times, share));
  const named = (name: string) => ({ scenario: 'visible', name, size, unit: 'ms' as const });
  return [0.5, 0.95].map((share) => {
    const p = `p${share * 100}`;
    return ratioFigure(named(`remember() to found ${p}`), at('whole', share), {
      name: `one durable HSET, read back, ${p}`,
      rounds: at('least', share),
    });
  });
};
