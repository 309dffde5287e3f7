import { packVectors } from '../../projections/recall/vector-cache.js';
const PATIENCE_MS = 15_000;
/** Embeds texts for a write. `pending` when no model is ready, it fails, or it takes too long. */
export const embedForWrite = async (parts, texts, signal) => {
    const embedder = parts.embedder();
    if (embedder === 'off')
        return { state: 'off' };
    if (!embedder)
        return { state: 'pending' };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
        const windows = await embedder.embed(texts, { signal: signal ? AbortSignal.any([signal, patience]) : patience });
        return { state: 'stored', embedder, windows };
    }
    catch {
        signal?.throwIfAborted();
        return { state: 'pending' };
    }
};
/** The vectors of the i-th text as a write takes them. */
export const vectorsOf = (embedded, i) => embedded.state === 'stored' ? { model: embedded.embedder.identity.id, bytes: packVectors(embedded.windows[i] ?? []) } : undefined;
//# sourceMappingURL=embed.js.map