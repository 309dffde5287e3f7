import { createCorpus } from '../corpus.js';
import { type Figure, latencies, percentile, ratioFigure } from '../figures.js';
import { openProduct, preparedEmbedder, untilIdle } from '../product.js';
import type { Scenario } from '../scenario.js';
import type { Store } from '../stores.js';

const PROJECTS = 30;

export const briefing: Scenario = {
  name: 'briefing',
  about: 'a briefing of one of 200 projects, with every part, against ten recalls',
  run: async ({ quick, sizes, stores }) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(await stores.at(size), quick ? 3 : 5)));
    return figures;
  },
};

const measure = async ({ size, dataDir }: Store, rounds: number): Promise<Figure[]> => {
  const corpus = createCorpus(3, Date.now());
  const queries = Array.from({ length: PROJECTS }, () => corpus.query(corpus.memory()));
  await using product = await openProduct(dataDir, preparedEmbedder(new Map(queries.map(({ text, vector }) => [text, vector]))));
  await product.index.settled();
  await untilIdle();
  const call = { actor: 'bench' };
  const { queries: app } = product.app;
  const taken: { briefing: number[][]; recalls: number[][] } = { briefing: [], recalls: [] };
  for (let round = 0; round <= rounds; round++) {
    const briefed = await latencies(queries, () => app.briefing({ project: `project-${corpus.pick(200)}` }, call));
    const recalled = await latencies(queries, ({ text }) => app.recall({ query: text }, call));
    // The first round warms up.
    if (round === 0) continue;
    taken.briefing.push(briefed);
    taken.recalls.push(recalled.map((milliseconds) => 10 * milliseconds));
  }
  const named = (name: string) => ({ scenario: 'briefing', name, size, unit: 'ms' as const });
  return [0.5, 0.95].map((share) => {
    const at = (kind: keyof typeof taken): number[] => taken[kind].map((times) => percentile(times, share));
    const p = `p${share * 100}`;
    return ratioFigure(
      named(`briefing ${p}`),
      at('briefing'),
      { name: `ten recalls ${p}`, rounds: at('recalls') },
      size === 100_000 ? { most: 1 } : undefined,
    );
  });
};
