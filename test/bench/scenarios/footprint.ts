import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../services/valkey/client.js';
import { findInstance } from '../../../services/valkey/instance.js';
import { type Figure, ratioFigure } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import { useModel } from '../model.js';
import type { Context, Scenario } from '../scenario.js';
import { processorMs, residentBytes, startServer } from '../server.js';

export const footprint: Scenario = {
  name: 'footprint',
  about: "memory that one memory takes, in the product's process and in Valkey, against its plain text and vector",
  run: async (context) => {
    if (process.platform !== 'linux') {
      context.say('resident memory is read from /proc, which is not here');
      return [];
    }
    const model = await context.model();
    const modelDir = 'dir' in model ? model.dir : undefined;
    const empty = await inTemporaryFolder('empty', (dataDir) => weigh(dataDir, modelDir));
    const figures: Figure[] = [];
    for (const size of context.quick ? context.sizes.slice(-1) : context.sizes)
      figures.push(...(await measure(context, size, modelDir, empty)));
    return figures;
  },
};

type Weight = { readonly process: number; readonly valkey: number };

const measure = async ({ stores }: Context, size: number, modelDir: string | undefined, empty: Weight): Promise<Figure[]> => {
  const { dataDir, plainBytes } = await stores.at(size);
  const full = await weigh(dataDir, modelDir);
  const plain = { name: 'text + float32 vector', rounds: [plainBytes] };
  const named = (name: string) => ({ scenario: 'footprint', name, size, unit: 'bytes' as const });
  const each = (kind: keyof Weight): number[] => [(full[kind] - empty[kind]) / size];
  return [
    ratioFigure(
      { ...named("the process's RSS per memory"), note: `${mebibytes(full.process)} in all, ${mebibytes(empty.process)} empty` },
      each('process'),
      plain,
    ),
    ratioFigure({ ...named("Valkey's used_memory per memory"), note: `${mebibytes(full.valkey)} in all` }, each('valkey'), plain),
  ];
};

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Bytes after the start, once the process has come to rest. Without a model the process keeps words only. */
const weigh = async (dataDir: string, modelDir: string | undefined): Promise<Weight> => {
  if (modelDir !== undefined) await useModel(dataDir, modelDir);
  await using server = await startServer(dataDir, { EMBEDDING: modelDir === undefined ? 'none' : 'minilm' });
  await server.ready();
  while ((await server.recall('warm up')) !== (modelDir === undefined ? 'lexical' : 'fused')) await sleep(50);
  await atRest(server.pid);
  const instance = await findInstance(dataDir);
  if (!instance?.socket) throw new Error('the server does not say where its Valkey is');
  const redis = connect({ path: instance.socket }, 'general');
  const info = await redis.info('memory');
  redis.disconnect();
  return { process: residentBytes(server.pid), valkey: Number(/^used_memory:(\d+)/m.exec(info)?.[1]) };
};

const STEP_MS = 1_000;

/** Until the process uses next to no processor time for two seconds. */
const atRest = async (pid: number): Promise<void> => {
  for (let calm = 0, before = processorMs(pid); calm < 2; ) {
    await sleep(STEP_MS);
    const now = processorMs(pid);
    calm = now - before < STEP_MS / 10 ? calm + 1 : 0;
    before = now;
  }
};
