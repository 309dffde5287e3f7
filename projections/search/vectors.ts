import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { BinaryReader, BinaryWriter } from './binary.js';
import { consider, exactScan } from './exact.js';
import type { Matcher } from './facets.js';
import { HnswGraph } from './hnsw.js';
import type { Facets, Filter, VectorHit, VectorIndex, VectorStats } from './ports.js';
import { rounded, TopK } from './top-k.js';
import { VectorStore } from './vector-store.js';

export type VectorIndexOptions = {
  readonly dimension: number;
  /** Vectors from which a graph is built. @defaultValue 5000 */
  readonly graphFrom?: number;
  /** Up to so many matching memories, and so many vectors that the graph lacks, a scan answers. @defaultValue 2500 */
  readonly scanMost?: number;
};

type Loaded = { readonly store: VectorStore; readonly graph: HnswGraph | undefined; readonly pending: Iterable<number> };

const GRAPH_FROM = 5_000;
const SCAN_MOST = 2_500;
/** The graph is not asked for more rows than this: a scan is as fast. */
const FETCH_MOST = 2_048;
/** The graph compares numbers of 8 bits: ask for some more and re-score. */
const FETCH_SPARE = 16;
/** About 5 ms of building, then the event loop has its turn. */
const ROWS_PER_TURN = 16;
/** While vectors come in bulk, as at a start, building waits: whoever brings them needs the event loop more. */
const REST_MS = 50;

/**
 * Vectors in this process: an exact scan while there are few or a filter leaves few, beyond that a graph whose finds are
 * scored again exactly. What the graph does not hold yet is scanned, so an answer is never short of what was upserted.
 */
export class InProcessVectorIndex implements VectorIndex {
  /** Grows with every change; a snapshot is worth keeping only if it did not move meanwhile. */
  revision = 0;
  private readonly store: VectorStore;
  private graphFrom: number;
  private readonly scanMost: number;
  private graph: HnswGraph | undefined;
  /** Rows that the graph lacks. */
  private readonly pending = new Set<number>();
  private building: Promise<void> | undefined;
  private closed = false;

  constructor(options: VectorIndexOptions, loaded?: Loaded) {
    this.graphFrom = options.graphFrom ?? GRAPH_FROM;
    this.scanMost = options.scanMost ?? SCAN_MOST;
    this.store = loaded?.store ?? new VectorStore(options.dimension);
    this.graph = loaded?.graph;
    for (const row of loaded?.pending ?? []) this.pending.add(row);
    this.build();
  }

  async upsert(key: string, vectors: readonly Float32Array[], facets: Facets): Promise<void> {
    for (const vector of vectors) this.store.check(vector);
    this.drop(key);
    this.revision++;
    if (vectors.length === 0) return;
    const rows = this.store.add(key, vectors, facets);
    if (this.graph) for (const row of rows) this.pending.add(row);
    this.build();
  }

  async setFacets(key: string, facets: Facets): Promise<void> {
    const slot = this.store.slot(key);
    if (slot === undefined) return;
    this.revision++;
    this.store.setFacets(slot, facets);
  }

  async remove(key: string): Promise<void> {
    this.drop(key);
  }

  async knn(query: Float32Array, k: number, filter: Filter): Promise<VectorHit[]> {
    this.store.check(query);
    if (k < 1) return [];
    const matcher = this.store.compile(filter);
    const best = this.throughGraph(query, k, matcher) ?? exactScan(this.store, query, k, matcher);
    return best.sorted().map(({ slot, score }) => this.hit(slot, query, score));
  }

  /** What `knn` approximates. */
  scan(query: Float32Array, k: number, filter: Filter): VectorHit[] {
    this.store.check(query);
    const best = exactScan(this.store, query, k, this.store.compile(filter));
    return best.sorted().map(({ slot, score }) => this.hit(slot, query, score));
  }

  async similarities(query: Float32Array, keys: readonly string[]): Promise<VectorHit[]> {
    this.store.check(query);
    const hits: VectorHit[] = [];
    for (const key of keys) {
      const slot = this.store.slot(key);
      if (slot !== undefined) hits.push(this.hit(slot, query, this.store.similarity(slot, query)));
    }
    return hits;
  }

  stats(): VectorStats {
    const { memories, vectors, dimension } = this.store;
    return { memories, vectors, engine: this.graph ? 'hnsw' : 'exact', dimension };
  }

  /** Vectors that the graph still lacks. */
  get waiting(): number {
    return this.pending.size;
  }

  /** Resolves once the graph holds every vector; at once while there is none. */
  async settled(): Promise<void> {
    while (this.building) await this.building;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.building;
  }

  /** Valid until the next change: `revision` tells. What the graph holds is settled here, so save the graph in the same turn. */
  dump(to: BinaryWriter): void {
    this.store.dump(to);
    to.array(Uint32Array.from(this.pending));
  }

  /** Writes the graph's file; false when there is no graph. Takes about 1 ms for 1,000 vectors. */
  saveGraph(path: string): boolean {
    this.graph?.save(path);
    return this.graph !== undefined;
  }

  static load(from: BinaryReader, options: VectorIndexOptions, graphPath: string | undefined): InProcessVectorIndex {
    const store = VectorStore.load(from, options.dimension);
    const pending = from.uint32();
    const graph = graphPath === undefined ? undefined : HnswGraph.load(graphPath, options.dimension);
    return new InProcessVectorIndex(options, { store, graph, pending });
  }

  private drop(key: string): void {
    const slot = this.store.slot(key);
    if (slot === undefined) return;
    this.revision++;
    for (const row of this.store.remove(slot)) if (!this.pending.delete(row)) this.graph?.remove(row);
    if (this.graph && this.store.vectors < this.graphFrom / 2) this.forgetGraph();
  }

  private build(): void {
    if (this.closed || this.building) return;
    if (!this.graph && this.store.vectors >= this.graphFrom) {
      this.graph = new HnswGraph(this.store.dimension);
      for (const row of this.store.usedRows()) this.pending.add(row);
    }
    if (this.pending.size === 0) return;
    this.building = this.fill().finally(() => {
      this.building = undefined;
    });
  }

  private async fill(): Promise<void> {
    let seen = this.revision;
    while (this.graph && this.pending.size > 0 && !this.closed) {
      await nextTurn();
      const changes = this.revision - seen;
      seen = this.revision;
      if (changes > ROWS_PER_TURN) await delay(REST_MS);
      else this.addSome();
    }
  }

  /** Without room for the graph the scan goes on serving: slower, and as right. */
  private addSome(): void {
    try {
      let left = ROWS_PER_TURN;
      for (const row of this.pending) {
        this.graph?.add(row, this.store.vector(row));
        this.pending.delete(row);
        if (--left === 0) return;
      }
    } catch {
      this.forgetGraph();
      this.graphFrom = Number.POSITIVE_INFINITY;
    }
  }

  private forgetGraph(): void {
    this.graph = undefined;
    this.pending.clear();
  }

  /** Undefined where a scan is the better way. */
  private throughGraph(query: Float32Array, k: number, matcher: Matcher): TopK | undefined {
    const { graph, store, pending } = this;
    if (!graph || matcher.atMost <= this.scanMost || pending.size > Math.max(this.scanMost, ROWS_PER_TURN)) return undefined;
    const windows = store.vectors / store.memories;
    const selectivity = matcher.atMost / store.memories;
    let fetch = Math.ceil(((k + FETCH_SPARE) * windows) / selectivity);
    for (; fetch <= FETCH_MOST; fetch *= 2) {
      const found = this.matching(graph.search(query, fetch), matcher);
      if (found.size >= Math.min(k, matcher.atMost)) return this.scored(query, k, found, this.matching(pending, matcher));
    }
    return undefined;
  }

  private matching(rows: Iterable<number>, { matches }: Matcher): Set<number> {
    const slots = new Set<number>();
    for (const row of rows) {
      const slot = this.store.memoryOfRow(row);
      if (slot !== undefined && matches(slot)) slots.add(slot);
    }
    return slots;
  }

  private scored(query: Float32Array, k: number, found: Set<number>, waiting: Set<number>): TopK {
    const best = new TopK(k, (slot) => this.store.key(slot));
    for (const slot of found) consider(this.store, query, slot, best);
    for (const slot of waiting) if (!found.has(slot)) consider(this.store, query, slot, best);
    return best;
  }

  private hit(slot: number, query: Float32Array, similarity: number): VectorHit {
    return { key: this.store.key(slot), similarity: rounded(similarity), window: this.store.bestWindow(slot, query) };
  }
}
