import { packVectors } from '../../projections/recall/vector-cache.js';
import type { Embedder } from '../embedding/port.js';
import type { CommandParts } from './parts.js';

/** A missing or failing model never blocks remembering: then the vectors follow later. */
export type Embedded =
  | { readonly state: 'stored'; readonly embedder: Embedder; readonly windows: readonly (readonly Float32Array[])[] }
  | { readonly state: 'pending' }
  | { readonly state: 'off' };

const PATIENCE_MS = 15_000;

/** Embeds texts for a write. `pending` when no model is ready, it fails, or it takes too long. */
export const embedForWrite = async (parts: CommandParts, texts: readonly string[], signal?: AbortSignal): Promise<Embedded> => {
  const embedder = parts.embedder();
  if (embedder === 'off') return { state: 'off' };
  if (!embedder) return { state: 'pending' };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const windows = await embedder.embed(texts, { signal: signal ? AbortSignal.any([signal, patience]) : patience });
    return { state: 'stored', embedder, windows };
  } catch {
    signal?.throwIfAborted();
    return { state: 'pending' };
  }
};

/** The vectors of the i-th text as a write takes them. */
export const vectorsOf = (embedded: Embedded, i: number): { readonly model: string; readonly bytes: Buffer } | undefined =>
  embedded.state === 'stored' ? { model: embedded.embedder.identity.id, bytes: packVectors(embedded.windows[i] ?? []) } : undefined;
