import { exactSearch, type Matches, MetricKind } from 'usearch';
import type { BinaryReader, BinaryWriter } from './binary.js';

const CHUNK_BITS = 10;
export const ROWS_PER_CHUNK = 1 << CHUNK_BITS;
const ROW_MASK = ROWS_PER_CHUNK - 1;

/** Vectors by row number in chunked arrays: growing copies nothing, and a row given up is written over. */
export class VectorRows {
  private readonly chunks: Float32Array[] = [];
  readonly dimension: number;

  constructor(dimension: number) {
    this.dimension = dimension;
  }

  set(row: number, vector: Float32Array): void {
    const chunk = row >>> CHUNK_BITS;
    while (this.chunks.length <= chunk) this.chunks.push(new Float32Array(ROWS_PER_CHUNK * this.dimension));
    (this.chunks[chunk] as Float32Array).set(vector, (row & ROW_MASK) * this.dimension);
  }

  /** Nothing of a vector that was removed stays in memory or in a snapshot's rows. */
  clear(row: number): void {
    this.get(row).fill(0);
  }

  /** A view, valid until the row is written over. */
  get(row: number): Float32Array {
    const start = (row & ROW_MASK) * this.dimension;
    return (this.chunks[row >>> CHUNK_BITS] as Float32Array).subarray(start, start + this.dimension);
  }

  /** The dot product with a row; the cosine, as both are unit vectors. Summed in a fixed order, so that it repeats exactly. */
  dot(row: number, query: Float32Array): number {
    return dot(this.chunks[row >>> CHUNK_BITS] as Float32Array, (row & ROW_MASK) * this.dimension, query, this.dimension);
  }

  /**
   * The `count` nearest rows of one chunk below `end`, with cosines to single precision, found by vector instructions:
   * five times as fast as `dot` over all of them. Rows given up are among them.
   */
  nearestInChunk(chunk: number, end: number, query: Float32Array, count: number): { row: number; similarity: number }[] {
    const first = chunk * ROWS_PER_CHUNK;
    const rows = Math.min(ROWS_PER_CHUNK, end - first);
    const dataset = (this.chunks[chunk] as Float32Array).subarray(0, rows * this.dimension);
    const { keys, distances } = exactSearch(dataset, query, this.dimension, Math.min(count, rows), MetricKind.IP, 1) as Matches;
    return Array.from(distances, (distance, i) => ({ row: first + Number(keys[i]), similarity: 1 - distance }));
  }

  dump(to: BinaryWriter, end: number): void {
    to.numbers(this.chunks.length, end);
    for (const [i, chunk] of this.chunks.entries()) {
      const rows = Math.min(ROWS_PER_CHUNK, Math.max(0, end - i * ROWS_PER_CHUNK));
      to.array(chunk.subarray(0, rows * this.dimension));
    }
  }

  static load(from: BinaryReader, dimension: number): VectorRows {
    const rows = new VectorRows(dimension);
    const [chunks = 0] = from.numbers();
    for (let i = 0; i < chunks; i++) {
      const loaded = from.float32();
      const full = ROWS_PER_CHUNK * dimension;
      if (loaded.length === full) rows.chunks.push(loaded);
      else {
        const chunk = new Float32Array(full);
        chunk.set(loaded);
        rows.chunks.push(chunk);
      }
    }
    return rows;
  }
}

const dot = (rows: Float32Array, start: number, query: Float32Array, dimension: number): number => {
  const even = dimension & ~3;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < even; i += 4) {
    a += (rows[start + i] as number) * (query[i] as number);
    b += (rows[start + i + 1] as number) * (query[i + 1] as number);
    c += (rows[start + i + 2] as number) * (query[i + 2] as number);
    d += (rows[start + i + 3] as number) * (query[i + 3] as number);
  }
  for (let i = even; i < dimension; i++) a += (rows[start + i] as number) * (query[i] as number);
  return a + b + (c + d);
};
