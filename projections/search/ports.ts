import type { Licence, Namespace, State } from '../../domain/vocabulary.js';

/** What a search may filter on. One value of each list must match; an absent list matches everything, an empty one nothing. */
export type Filter = {
  readonly states?: readonly State[];
  readonly namespaces?: readonly Namespace[];
  readonly projects?: readonly string[];
  readonly licences?: readonly Licence[];
  /** Epoch milliseconds, inclusive. */
  readonly createdFrom?: number;
  readonly createdTo?: number;
};

/** The filterable side of a memory. */
export type Facets = {
  readonly namespace: Namespace;
  readonly state: State;
  readonly project: string | undefined;
  readonly licence: Licence;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Grows with each change of the memory: where several processes write one index, the newest is kept. */
  readonly version?: number;
};

/** `similarity` is the cosine, rounded to 6 digits; `window` names the part of a long text that matched best. */
export type VectorHit = { readonly key: string; readonly similarity: number; readonly window: number };

export type VectorStats = {
  readonly memories: number;
  readonly vectors: number;
  /** `exact` while small, `hnsw` beyond; an external engine says its own name. */
  readonly engine: string;
  readonly dimension: number;
  /** Of an external engine: `ready`, or what keeps its answers from being whole. */
  readonly state?: string;
  readonly detail?: string;
  /** What an external engine's answers had to be mended for, by kind, since the start. */
  readonly notes?: Readonly<Record<string, number>>;
};

/** Nearest neighbours over the vectors of one model. A memory may own several vectors; it is found by its best one. */
export interface VectorIndex {
  /** Replaces whatever the key had. Vectors are unit length; a wrong length, NaN or zero vector throws VALIDATION. */
  upsert(key: string, vectors: readonly Float32Array[], facets: Facets): Promise<void>;
  /** Changes the filterable side only; a key that has no vector yet is ignored. */
  setFacets(key: string, facets: Facets): Promise<void>;
  remove(key: string): Promise<void>;
  /** The k best distinct keys under the filter, best first, ties by key. The filter acts inside the search: k is filled when k exist. */
  knn(query: Float32Array, k: number, filter: Filter): Promise<VectorHit[]>;
  /** The same for these keys, in their order; a key without a vector is left out. For hits that only the words found. */
  similarities(query: Float32Array, keys: readonly string[]): Promise<VectorHit[]>;
  stats(): VectorStats;
  /** Of an external engine: rows in it that no memory is behind, so that a rebuild should remove them. */
  phantoms?(): Promise<number>;
  close(): Promise<void>;
}

/**
 * `score` is BM25 divided by the query's ideal (0..1), so that no evidence is 0 whatever else matched. `coverage` is the
 * share of the query's words that the memory holds, weighed by how rare they are (0..1): unlike the score it is the same
 * in a long text. Both rounded to 6 digits. `named`: the memory holds, whole, a rare code or name that the query spells out.
 */
export type LexicalHit = { readonly key: string; readonly score: number; readonly coverage: number; readonly named?: true };

/** Word search with identifiers kept whole and split. */
export interface LexicalIndex {
  upsert(key: string, text: string, facets: Facets): void;
  setFacets(key: string, facets: Facets): void;
  remove(key: string): void;
  /**
   * The k best with at least one word of the query, best first, ties by key. Stop words count only in a query of nothing else.
   * A last word that no memory holds is taken for the beginning of one.
   */
  search(query: string, k: number, filter: Filter): LexicalHit[];
  /** The same for these keys, in their order; a key without any word of the query is left out. For hits that only the vectors found. */
  scores(query: string, keys: readonly string[]): LexicalHit[];
  stats(): { readonly memories: number; readonly terms: number };
}
