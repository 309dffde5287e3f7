import { Index, MetricKind, ScalarKind } from 'usearch';

/** Measured on clustered and on real sentence vectors: recall@10 of 0.99 and above. */
const CONNECTIVITY = 16;
const EXPANSION_ADD = 128;
/** Rows that a search keeps in view. Its time is in proportion; a small graph needs fewer, a very large one more: docs/retrieval.md. */
const BREADTH = { least: 64, usual: 128, usualFrom: 40_000, tooFewFrom: 100_000, growth: 0.903 } as const;
/** Without a number the library starts a thread for every core at each call. */
const THREADS = 1;

/** An approximate graph over unit vectors, by row number, half precision: re-score what it finds. Not for NaN. */
export class HnswGraph {
  private readonly index: Index;

  constructor(dimension: number) {
    this.index = new Index({
      dimensions: dimension,
      metric: MetricKind.IP,
      quantization: ScalarKind.F16,
      connectivity: CONNECTIVITY,
      expansion_add: EXPANSION_ADD,
      expansion_search: BREADTH.least,
      multi: false,
    });
  }

  get size(): number {
    return this.index.size();
  }

  /** The row must not be in the graph. About 0.3 ms at 100,000 rows. */
  add(row: number, vector: Float32Array): void {
    this.index.add(BigInt(row), vector, THREADS);
  }

  remove(row: number): void {
    this.index.remove(BigInt(row));
  }

  /** Rows near the query, nearest first as far as half precision tells. */
  search(query: Float32Array, k: number): number[] {
    const rows = this.index.size();
    if (rows === 0) return [];
    // The library keeps at least as many in view as it is asked for.
    const { keys } = this.index.search(query, Math.max(k, breadthOf(rows)), THREADS);
    // The lower halves of 64-bit numbers: a big integer for each would cost more than it is worth.
    const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
    const found: number[] = [];
    for (let i = 0; i < k && i < keys.length; i++) found.push(halves[2 * i] as number);
    return found;
  }

  save(path: string): void {
    this.index.save(path);
  }

  /** The file must be whole: check its digest first. */
  static load(path: string, dimension: number): HnswGraph {
    const graph = new HnswGraph(dimension);
    graph.index.load(path);
    return graph;
  }
}

const breadthOf = (rows: number): number => {
  const { least, usual, usualFrom, tooFewFrom, growth } = BREADTH;
  if (rows > tooFewFrom) return Math.round(usual * (rows / tooFewFrom) ** growth);
  return Math.round(Math.min(usual, Math.max(least, usual * Math.sqrt(rows / usualFrom))));
};
