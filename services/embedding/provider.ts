import type { FailedRoad, FetchProgress } from './fetch.js';
import type { Embedder } from './port.js';

export const EMBEDDING_CHOICES = ['auto', 'minilm', 'use-lite', 'none'] as const;
/** The setting `EMBEDDING`. `auto` is MiniLM, and the offline encoder for as long as MiniLM cannot be had. */
export type EmbeddingChoice = (typeof EMBEDDING_CHOICES)[number];

export type EmbedderStatus = {
  readonly choice: EmbeddingChoice;
  /** `off` when none was chosen; `ready` when one serves, be it the second choice; `failed` when none serves and one is retried. */
  readonly state: 'off' | 'loading' | 'ready' | 'failed';
  /** The model that serves. */
  readonly modelId: string | undefined;
  readonly name: string | undefined;
  /** Why the preferred model does not serve, in words for a person. Undefined when it does. */
  readonly reason: string | undefined;
  readonly failedRoads: readonly FailedRoad[];
  /** How far the fetch that runs now is. */
  readonly progress: FetchProgress | undefined;
  /** When the preferred model is tried again, in milliseconds since 1970. */
  readonly retryAt: number | undefined;
};

/** The embedder of a running server, which may arrive late and may be replaced by a better one. */
export interface EmbedderProvider {
  /** The best embedder that is ready now. */
  current(): Embedder | undefined;
  status(): EmbedderStatus;
  /** Resolves with the first embedder that is ready. Rejects with UNAVAILABLE for `none` and after `close`, or as the signal does. */
  ready(signal?: AbortSignal): Promise<Embedder>;
  /** Called when an embedder becomes the current one; the former stays open until `release`. Gives the way to stop listening. */
  onChange(listener: (embedder: Embedder) => void): () => void;
  /** The embedder of a given space, opened when that needs no fetch: an index of an older model is queried with it. */
  forModel(modelId: string): Promise<Embedder | undefined>;
  /** Closes an embedder that is no longer needed; the current one stays. */
  release(modelId: string): Promise<void>;
  close(): Promise<void>;
}
