import { Index, MetricKind, ScalarKind } from 'usearch';

/** Rows that a search keeps in view. Its time is in proportion; the fuller the clusters, the more it needs: docs/retrieval.md. */
const BREADTH = { least: 64, enoughUpTo: 10_000, growth: 0.36 } as const;
/** Without a number the library starts a thread for every core at each call. */
const THREADS = 1;

/**
 * How a graph over unit vectors is made. Measured on made and on real sentence vectors (docs/benchmarks.md): at a million,
 * 32 links find more with 128 rows in view than 16 links with 1,024, and numbers of 16 bits with the exponent of single
 * precision are compared faster than half precision, whose digits scoring again makes needless.
 */
export const graphSettings = (dimension: number) =>
  ({
    dimensions: dimension,
    metric: MetricKind.IP,
    quantization: ScalarKind.BF16,
    connectivity: 32,
    expansion_add: 128,
    expansion_search: BREADTH.least,
    multi: false,
  }) as const;

/** An approximate graph over unit vectors, by row number, to 8 bits of precision: re-score what it finds. Not for NaN. */
export class HnswGraph {
  private readonly index: Index;

  constructor(dimension: number) {
    this.index = new Index(graphSettings(dimension));
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

  /** Rows near the query, nearest first as far as 8 bits tell. */
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

/** Rows that a search of a graph of so many keeps in view. */
export const breadthOf = (rows: number): number => Math.round(BREADTH.least * Math.max(1, rows / BREADTH.enoughUpTo) ** BREADTH.growth);
