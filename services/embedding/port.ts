/** Thresholds of the specification hold for MiniLM; every model carries its own, measured. Cosines. */
export type Thresholds = {
  readonly duplicate: number;
  readonly contradiction: number;
  readonly cluster: number;
  readonly knowledgeWatch: number;
  readonly skillSuggest: number;
  readonly domainSuggest: number;
  /** Relevance (domain/fusion.ts) below which nothing counts as a match. */
  readonly recallFloor: number;
};

/**
 * The identity of a vector space. Two embedders with the same `id` give the same vectors; vectors of different ids are
 * never compared. `id` is short and safe in a key: `<name>-<dtype>-<dimension>-<first 12 hex of the identity hash>`.
 */
export type ModelIdentity = {
  readonly id: string;
  readonly name: 'all-MiniLM-L6-v2' | 'use-lite' | string;
  readonly dimension: number;
  readonly dtype: string;
  readonly pooling: string;
  readonly graphSha256: string;
  readonly thresholds: Thresholds;
};

/** Turns text into unit vectors, off the event loop. */
export interface Embedder {
  readonly identity: ModelIdentity;
  /** One entry per text; each holds one vector per window (at least one). Empty or blank text throws VALIDATION. */
  embed(texts: readonly string[], options?: { signal?: AbortSignal }): Promise<Float32Array[][]>;
  /** One vector for a query; waits behind no batch of documents. A query longer than a window is cut to its first window. */
  embedQuery(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array>;
  close(): Promise<void>;
}
