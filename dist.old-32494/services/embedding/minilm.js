import { availableParallelism } from 'node:os';
import { modelIdentity } from './identity.js';
import { launch } from './thread/launch.js';
import { threadEmbedder } from './thread-embedder.js';
/** One core stays free for the server, and two are as many as a short text can use. */
const mathThreads = () => Math.max(1, Math.min(2, availableParallelism() - 1));
export const miniLmIdentity = (manifest) => modelIdentity({ ...manifest, graphSha256: manifest.graph.sha256, tokenizerSha256: manifest.tokenizer.sha256 });
/** What starts the model's thread, once at the beginning and again after a crash. */
export const miniLmStarter = ({ dir, manifest }) => {
    const { graph, tokenizer, dimension, windowTokens, overlapTokens, batch } = manifest;
    const data = { dir, graph, tokenizer, dimension, windowTokens, overlapTokens, batch, threads: mathThreads() };
    return () => launch('minilm-thread', data);
};
/**
 * Opens a fetched model in a thread of its own; resolves when it can embed. The thread checks the SHA-256 of the very bytes
 * that it loads and rejects with AlteredModel when they are not the pinned ones.
 */
export const openMiniLm = ({ signal, ...options }) => threadEmbedder(miniLmIdentity(options.manifest), miniLmStarter(options), signal);
//# sourceMappingURL=minilm.js.map