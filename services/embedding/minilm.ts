import { availableParallelism } from 'node:os';
import { modelIdentity } from './identity.js';
import type { ModelManifest } from './manifest.js';
import type { Embedder } from './port.js';
import { launch } from './thread/launch.js';
import type { MiniLmThreadData } from './thread/minilm-thread.js';
import { threadEmbedder } from './thread-embedder.js';

export type MiniLmOptions = {
  /** The model's folder, as `fetchModel` gives it. */
  readonly dir: string;
  readonly manifest: ModelManifest;
  readonly signal?: AbortSignal;
};

/** One core stays free for the server, and two are as many as a short text can use. */
const mathThreads = () => Math.max(1, Math.min(2, availableParallelism() - 1));

export const miniLmIdentity = (manifest: ModelManifest) =>
  modelIdentity({ ...manifest, graphSha256: manifest.graph.sha256, tokenizerSha256: manifest.tokenizer.sha256 });

/** What starts the model's thread, once at the beginning and again after a crash. */
export const miniLmStarter = ({ dir, manifest }: Omit<MiniLmOptions, 'signal'>) => {
  const { graph, tokenizer, dimension, windowTokens, overlapTokens, batch } = manifest;
  const data: MiniLmThreadData = { dir, graph, tokenizer, dimension, windowTokens, overlapTokens, batch, threads: mathThreads() };
  return () => launch('minilm-thread', data);
};

/**
 * Opens a fetched model in a thread of its own; resolves when it can embed. The thread checks the SHA-256 of the very bytes
 * that it loads and rejects with AlteredModel when they are not the pinned ones.
 */
export const openMiniLm = ({ signal, ...options }: MiniLmOptions): Promise<Embedder> =>
  threadEmbedder(miniLmIdentity(options.manifest), miniLmStarter(options), signal);
