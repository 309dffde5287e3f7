import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MINILM_Q8 } from '../../../services/embedding/manifest.js';
import { openMiniLm } from '../../../services/embedding/minilm.js';
import { startValkey } from '../../support/valkey.js';
import { type Figure, plainFigure, ratioFigure, timed } from '../figures.js';
import { useModel } from '../model.js';
import type { Context, Scenario } from '../scenario.js';
import { startServer } from '../server.js';

const REPLAYED = 'as after a kill before the first clean stop, or after a forget; the rows above have the index of the last stop';
const QUESTION = 'why does the build fail when the cache is empty';

export const start: Scenario = {
  name: 'start',
  about: 'cold start of the process to /readyz and to the first recall with vectors, against loading the data and the model bare',
  run: async (context) => {
    const found = await context.model();
    if ('missing' in found) {
      context.say(`the model is not here (${found.missing})`);
      return [];
    }
    const figures: Figure[] = [];
    // Starting costs seconds each time: a quick run looks at its largest store only.
    for (const size of context.quick ? context.sizes.slice(-1) : context.sizes) figures.push(...(await measure(context, size, found.dir)));
    return figures;
  },
};

const measure = async ({ quick, stores }: Context, size: number, modelDir: string): Promise<Figure[]> => {
  const { dataDir } = await stores.at(size);
  await useModel(dataDir, modelDir);
  const rounds = quick ? 2 : size > 20_000 ? 3 : 5;
  const taken: Record<'load' | 'model' | 'bare' | 'ready' | 'first' | 'fused' | 'replayed', number[]> = {
    load: [],
    model: [],
    bare: [],
    ready: [],
    first: [],
    fused: [],
    replayed: [],
  };
  for (let round = 0; round <= rounds; round++) {
    const load = await bareLoad(join(dataDir, 'valkey'));
    const model = await timed(async () => {
      const embedder = await openMiniLm({ dir: modelDir, manifest: MINILM_Q8 });
      await embedder.embedQuery(QUESTION);
      await embedder.close();
    });
    const started = await productStart(dataDir);
    await rm(join(dataDir, 'index'), { recursive: true, force: true });
    const replayed = await productStart(dataDir);
    // The first round warms up the file cache.
    if (round === 0) continue;
    taken.load.push(load);
    taken.model.push(model);
    taken.bare.push(load + model);
    for (const kind of ['ready', 'first', 'fused'] as const) taken[kind].push(started[kind]);
    taken.replayed.push(replayed.fused);
  }
  const named = (name: string) => ({ scenario: 'start', name, size, unit: 'ms' as const });
  const bare = { name: 'bare load + model load', rounds: taken.bare };
  return [
    plainFigure(named('bare valkey-server, data loaded'), taken.load),
    plainFigure(named('model loaded, one query embedded'), taken.model),
    ratioFigure(named('to /readyz'), taken.ready, bare),
    ratioFigure(named('to the first recall'), taken.first, bare),
    ratioFigure(named('to the first recall with vectors'), taken.fused, bare, size === 10_000 ? { most: 3 } : undefined),
    ratioFigure({ ...named('the same, the search index made from the log'), note: REPLAYED }, taken.replayed, bare),
  ];
};

const bareLoad = async (dir: string): Promise<number> => {
  if (!existsSync(join(dir, 'appendonlydir'))) throw new Error(`no append-only file in ${dir}`);
  const begun = performance.now();
  await using _server = await startValkey({ aof: 'always', dir, config: { loglevel: 'warning', 'auto-aof-rewrite-percentage': '0' } });
  return performance.now() - begun;
};

const productStart = async (dataDir: string): Promise<Record<'ready' | 'first' | 'fused', number>> => {
  await using server = await startServer(dataDir, { EMBEDDING: 'minilm' });
  const since = (): number => performance.now() - server.spawned;
  await server.ready();
  const ready = since();
  let search = await server.recall(QUESTION);
  const first = since();
  while (search !== 'fused') search = await server.recall(QUESTION);
  return { ready, first, fused: since() };
};
