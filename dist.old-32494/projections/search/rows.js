import { exactSearch, MetricKind } from 'usearch';
const CHUNK_BITS = 10;
export const ROWS_PER_CHUNK = 1 << CHUNK_BITS;
const ROW_MASK = ROWS_PER_CHUNK - 1;
/** Vectors by row number in chunked arrays: growing copies nothing, and a row given up is written over. */
export class VectorRows {
    chunks = [];
    dimension;
    constructor(dimension) {
        this.dimension = dimension;
    }
    set(row, vector) {
        const chunk = row >>> CHUNK_BITS;
        while (this.chunks.length <= chunk)
            this.chunks.push(new Float32Array(ROWS_PER_CHUNK * this.dimension));
        this.chunks[chunk].set(vector, (row & ROW_MASK) * this.dimension);
    }
    /** A view, valid until the row is written over. */
    get(row) {
        const start = (row & ROW_MASK) * this.dimension;
        return this.chunks[row >>> CHUNK_BITS].subarray(start, start + this.dimension);
    }
    /** The dot product with a row; the cosine, as both are unit vectors. Summed in a fixed order, so that it repeats exactly. */
    dot(row, query) {
        return dot(this.chunks[row >>> CHUNK_BITS], (row & ROW_MASK) * this.dimension, query, this.dimension);
    }
    /**
     * The `count` nearest rows of one chunk below `end`, with cosines to single precision, found by vector instructions:
     * five times as fast as `dot` over all of them. Rows given up are among them.
     */
    nearestInChunk(chunk, end, query, count) {
        const first = chunk * ROWS_PER_CHUNK;
        const rows = Math.min(ROWS_PER_CHUNK, end - first);
        const dataset = this.chunks[chunk].subarray(0, rows * this.dimension);
        const { keys, distances } = exactSearch(dataset, query, this.dimension, Math.min(count, rows), MetricKind.IP, 1);
        return Array.from(distances, (distance, i) => ({ row: first + Number(keys[i]), similarity: 1 - distance }));
    }
    dump(to, end) {
        to.numbers(this.chunks.length, end);
        for (const [i, chunk] of this.chunks.entries()) {
            const rows = Math.min(ROWS_PER_CHUNK, Math.max(0, end - i * ROWS_PER_CHUNK));
            to.array(chunk.subarray(0, rows * this.dimension));
        }
    }
    static load(from, dimension) {
        const rows = new VectorRows(dimension);
        const [chunks = 0] = from.numbers();
        for (let i = 0; i < chunks; i++) {
            const loaded = from.float32();
            const full = ROWS_PER_CHUNK * dimension;
            if (loaded.length === full)
                rows.chunks.push(loaded);
            else {
                const chunk = new Float32Array(full);
                chunk.set(loaded);
                rows.chunks.push(chunk);
            }
        }
        return rows;
    }
}
const dot = (rows, start, query, dimension) => {
    const even = dimension & ~3;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < even; i += 4) {
        a += rows[start + i] * query[i];
        b += rows[start + i + 1] * query[i + 1];
        c += rows[start + i + 2] * query[i + 2];
        d += rows[start + i + 3] * query[i + 3];
    }
    for (let i = even; i < dimension; i++)
        a += rows[start + i] * query[i];
    return a + b + (c + d);
};
//# sourceMappingURL=rows.js.map