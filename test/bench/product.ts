import type { DomainEvent } from '../../domain/catalogue.js';
import { memoryKey } from '../../domain/memory/key.js';
import { packVectors } from '../../projections/recall/vector-cache.js';
import { type OpenApp, openApp } from '../../services/app.js';
import { loadConfig } from '../../services/config.js';
import { MINILM_Q8 } from '../../services/embedding/manifest.js';
import { miniLmIdentity } from '../../services/embedding/minilm.js';
import type { Embedder } from '../../services/embedding/port.js';
import type { Append, SubjectWrite } from '../../services/eventlog/append.js';
import { systemRandom } from '../../services/eventlog/random.js';
import { createLogger } from '../../services/log.js';
import { startSupervisor } from '../../services/valkey/supervisor.js';
import { providerOf } from '../support/embedders.js';
import { TIED_VALKEY } from '../support/valkey.js';
import type { MadeMemory } from './corpus.js';

/** Made vectors pass for the real model's, so that a server started on the same store serves them. */
export const MODEL = miniLmIdentity(MINILM_Q8);

export const quiet = createLogger({ level: 'silent' });

const random = systemRandom();

/** Answers at once with the vector that was prepared for a text. Throws for a text it does not know. */
export const preparedEmbedder = (vectors: ReadonlyMap<string, Float32Array>): Embedder => {
  const vectorOf = (text: string): Float32Array => {
    const vector = vectors.get(text);
    if (!vector) throw new Error('no vector was prepared for this text');
    return vector;
  };
  return {
    identity: MODEL,
    embed: async (texts) => texts.map((text) => [vectorOf(text)]),
    embedQuery: async (text) => vectorOf(text),
    close: async () => undefined,
  };
};

export type OpenedProduct = OpenApp & AsyncDisposable & { readonly socket: string };

/** The whole product in this process, over a Valkey as the product runs it. */
export const openProduct = async (dataDir: string, embedder: Embedder | undefined): Promise<OpenedProduct> => {
  const { config } = loadConfig({
    OMNIMEM_DATA_DIR: dataDir,
    OMNIMEM_MIN_FREE_MB: '0',
    ...(embedder ? {} : { EMBEDDING: 'none' }),
  });
  const supervisor = await startSupervisor({ dataDir, log: quiet, minFreeBytes: 0, command: TIED_VALKEY });
  const opened = await openApp({ config, logger: quiet, target: supervisor.target, provider: providerOf(embedder) });
  await opened.app.whenReady(600_000);
  const close = async (): Promise<void> => {
    await opened.close();
    await supervisor.stop();
  };
  return { ...opened, socket: supervisor.target.path, close, [Symbol.asyncDispose]: close };
};

/** Resolves once nothing in this process works any more: graphs are built, views have caught up. */
export const untilIdle = async (): Promise<void> => {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (performance.eventLoopUtilization(before).utilization < 0.15) return;
  }
};

export const rememberedEvent = ({ content, namespace, project }: MadeMemory): DomainEvent => ({
  type: 'MemoryRemembered',
  data: { namespace, content, project, tags: ['made'], mode: 'raw', licence: 'own', provenance: 'concluded' },
});

export const writeOf = (memory: MadeMemory, withVector = true): SubjectWrite => ({
  subject: memoryKey(memory.namespace, random.ulid(memory.at)),
  expected: 0,
  events: [rememberedEvent(memory)],
  ...(withVector && { vectors: { model: MODEL.id, bytes: packVectors([memory.vector]) } }),
});

export const appendOf = (writes: readonly SubjectWrite[], at: number): Append => ({
  commandId: random.ulid(Date.now()),
  actor: 'bench',
  at: new Date(at).toISOString(),
  writes,
  result: {},
});
