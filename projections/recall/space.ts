import type { Redis } from 'iovalkey';
import { DomainError, isDomainError } from '../../domain/errors.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import type { Keys } from '../keys.js';
import type { Facets, VectorIndex } from '../search/ports.js';
import type { Document } from './document.js';
import { type CachedVectors, readVectors } from './vector-cache.js';

export type Model = { readonly id: string; readonly name: string; readonly dimension: number };

/** The vectors that the cache has of each memory. */
export type VectorsRead = ReadonlyMap<string, CachedVectors | undefined>;

const BATCH = 500;

/**
 * The vectors of every memory under one model, one index per namespace, so that a large namespace never takes the
 * candidates of a small one. Vectors come from the cache; a memory that has none yet is `missing`.
 */
export class VectorSpace {
  readonly model: Model;
  /** Memories without a vector of their present text. */
  readonly missing = new Set<string>();
  /** Memories whose stored vector was refused (wrong length, NaN, zero), until it is made anew. */
  readonly refused = new Set<string>();
  #indexes: ReadonlyMap<Namespace, VectorIndex>;
  #redis: Redis;
  #keys: Keys;

  #onRead: (hits: number, misses: number) => void;

  constructor(
    model: Model,
    redis: Redis,
    keys: Keys,
    createIndex: (dimension: number, namespace: Namespace, model: string) => VectorIndex,
    onRead: (hits: number, misses: number) => void,
  ) {
    this.model = model;
    this.#onRead = onRead;
    this.#redis = redis;
    this.#keys = keys;
    this.#indexes = new Map(NAMESPACES.map((namespace) => [namespace, createIndex(model.dimension, namespace, model.id)]));
  }

  /** Begins to read the vectors of these memories, for `load` to take in. */
  async read(memories: readonly string[]): Promise<VectorsRead> {
    const found = await readVectors(this.#redis, this.#keys, this.model, memories);
    const hits = found.filter((cached) => cached !== undefined).length;
    this.#onRead(hits, memories.length - hits);
    return new Map(memories.map((key, i) => [key, found[i]]));
  }

  /**
   * Takes in the vectors of these memories; `current` gives a memory's document at the moment its vectors arrive. `begun`
   * is a read of them all that is on its way.
   */
  async load(memories: readonly string[], current: (key: string) => Document | undefined, begun?: Promise<VectorsRead>): Promise<void> {
    for (let from = 0; from < memories.length; from += BATCH) {
      const batch = memories.slice(from, from + BATCH);
      const found = await (begun ?? this.read(batch));
      // All at once: an index outside this process takes as long for one as for many.
      const taken = await Promise.allSettled(
        batch.map(async (key) => {
          const document = current(key);
          const cached = found.get(key);
          if (!document) return;
          if (cached?.contentVersion !== document.contentVersion) this.missing.add(key);
          else await this.#take(document, cached.vectors);
        }),
      );
      const failed = taken.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  async #take(document: Document, vectors: readonly Float32Array[]): Promise<void> {
    try {
      if (vectors.length === 0) throw new DomainError('VALIDATION', 'Bytes that are no vectors', 'Embed the text again');
      await this.index(document.namespace).upsert(document.key, vectors, document);
      this.missing.delete(document.key);
      this.refused.delete(document.key);
    } catch (error) {
      // An index outside this process may be out of reach, which says nothing of the vectors.
      if (!isDomainError(error, 'VALIDATION')) throw error;
      this.refused.add(document.key);
      this.missing.add(document.key);
    }
  }

  /** Forgets the vectors of an older text. */
  async drop(document: Document): Promise<void> {
    this.missing.delete(document.key);
    this.refused.delete(document.key);
    await this.index(document.namespace).remove(document.key);
  }

  async setFacets(key: string, facets: Facets): Promise<void> {
    await this.index(facets.namespace).setFacets(key, facets);
  }

  stats(): Record<string, ReturnType<VectorIndex['stats']>> {
    return Object.fromEntries([...this.#indexes].map(([namespace, index]) => [namespace, index.stats()]));
  }

  /** Rows outside this process that no memory is behind, by namespace; only those that have any. */
  async phantoms(): Promise<Readonly<Record<string, number>>> {
    const counted = await Promise.all(
      [...this.#indexes].map(async ([namespace, index]) => [namespace, (await index.phantoms?.()) ?? 0] as const),
    );
    return Object.fromEntries(counted.filter(([, count]) => count > 0));
  }

  async close(): Promise<void> {
    for (const index of this.#indexes.values()) await index.close();
  }

  /** The index of one namespace. */
  index(namespace: Namespace): VectorIndex {
    const index = this.#indexes.get(namespace);
    if (!index) throw new Error(`no vector index for ${namespace}`);
    return index;
  }
}
