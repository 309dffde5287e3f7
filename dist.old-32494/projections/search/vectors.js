import { setImmediate as nextTurn } from 'node:timers/promises';
import { consider, exactScan } from './exact.js';
import { HnswGraph } from './hnsw.js';
import { rounded, TopK } from './top-k.js';
import { VectorStore } from './vector-store.js';
const GRAPH_FROM = 15_000;
const SCAN_MOST = 10_000;
/** The graph is not asked for more rows than this: a scan is as fast. */
const FETCH_MOST = 2_048;
/** The graph's order is that of half precision: ask for some more and re-score. */
const FETCH_SPARE = 16;
/** About 5 ms of building, then the event loop has its turn. */
const ROWS_PER_TURN = 16;
/**
 * Vectors in this process: an exact scan while there are few or a filter leaves few, beyond that a graph whose finds are
 * scored again exactly. What the graph does not hold yet is scanned, so an answer is never short of what was upserted.
 */
export class InProcessVectorIndex {
    /** Grows with every change; a snapshot is worth keeping only if it did not move meanwhile. */
    revision = 0;
    store;
    graphFrom;
    scanMost;
    graph;
    /** Rows that the graph lacks. */
    pending = new Set();
    building;
    closed = false;
    constructor(options, loaded) {
        this.graphFrom = options.graphFrom ?? GRAPH_FROM;
        this.scanMost = options.scanMost ?? SCAN_MOST;
        this.store = loaded?.store ?? new VectorStore(options.dimension);
        this.graph = loaded?.graph;
        for (const row of loaded?.pending ?? [])
            this.pending.add(row);
        this.build();
    }
    async upsert(key, vectors, facets) {
        for (const vector of vectors)
            this.store.check(vector);
        this.drop(key);
        this.revision++;
        if (vectors.length === 0)
            return;
        const rows = this.store.add(key, vectors, facets);
        if (this.graph)
            for (const row of rows)
                this.pending.add(row);
        this.build();
    }
    async setFacets(key, facets) {
        const slot = this.store.slot(key);
        if (slot === undefined)
            return;
        this.revision++;
        this.store.setFacets(slot, facets);
    }
    async remove(key) {
        this.drop(key);
    }
    async knn(query, k, filter) {
        this.store.check(query);
        if (k < 1)
            return [];
        const matcher = this.store.compile(filter);
        const best = this.throughGraph(query, k, matcher) ?? exactScan(this.store, query, k, matcher);
        return best.sorted().map(({ slot, score }) => this.hit(slot, query, score));
    }
    /** What `knn` approximates. */
    scan(query, k, filter) {
        this.store.check(query);
        const best = exactScan(this.store, query, k, this.store.compile(filter));
        return best.sorted().map(({ slot, score }) => this.hit(slot, query, score));
    }
    async similarities(query, keys) {
        this.store.check(query);
        return keys.flatMap((key) => {
            const slot = this.store.slot(key);
            return slot === undefined ? [] : [this.hit(slot, query, this.store.similarity(slot, query))];
        });
    }
    stats() {
        const { memories, vectors, dimension } = this.store;
        return { memories, vectors, engine: this.graph ? 'hnsw' : 'exact', dimension };
    }
    /** Resolves once the graph holds every vector; at once while there is none. */
    async settled() {
        while (this.building)
            await this.building;
    }
    async close() {
        this.closed = true;
        await this.building;
    }
    /** Valid until the next change: `revision` tells. What the graph holds is settled here, so save the graph in the same turn. */
    dump(to) {
        this.store.dump(to);
        to.array(Uint32Array.from(this.pending));
    }
    /** Writes the graph's file; false when there is no graph. Takes about 1 ms for 1,000 vectors. */
    saveGraph(path) {
        this.graph?.save(path);
        return this.graph !== undefined;
    }
    static load(from, options, graphPath) {
        const store = VectorStore.load(from, options.dimension);
        const pending = from.uint32();
        const graph = graphPath === undefined ? undefined : HnswGraph.load(graphPath, options.dimension);
        return new InProcessVectorIndex(options, { store, graph, pending });
    }
    drop(key) {
        const slot = this.store.slot(key);
        if (slot === undefined)
            return;
        this.revision++;
        for (const row of this.store.remove(slot))
            if (!this.pending.delete(row))
                this.graph?.remove(row);
        if (this.graph && this.store.vectors < this.graphFrom / 2)
            this.forgetGraph();
    }
    build() {
        if (this.closed || this.building)
            return;
        if (!this.graph && this.store.vectors >= this.graphFrom) {
            this.graph = new HnswGraph(this.store.dimension);
            for (const row of this.store.usedRows())
                this.pending.add(row);
        }
        if (this.pending.size === 0)
            return;
        this.building = this.fill().finally(() => {
            this.building = undefined;
        });
    }
    async fill() {
        while (this.graph && this.pending.size > 0 && !this.closed) {
            await nextTurn();
            this.addSome();
        }
    }
    /** Without room for the graph the scan goes on serving: slower, and as right. */
    addSome() {
        try {
            let left = ROWS_PER_TURN;
            for (const row of this.pending) {
                this.graph?.add(row, this.store.vector(row));
                this.pending.delete(row);
                if (--left === 0)
                    return;
            }
        }
        catch {
            this.forgetGraph();
            this.graphFrom = Number.POSITIVE_INFINITY;
        }
    }
    forgetGraph() {
        this.graph = undefined;
        this.pending.clear();
    }
    /** Undefined where a scan is the better way. */
    throughGraph(query, k, matcher) {
        const { graph, store, pending } = this;
        if (!graph || matcher.atMost <= this.scanMost || pending.size > Math.max(this.scanMost, ROWS_PER_TURN))
            return undefined;
        const windows = store.vectors / store.memories;
        const selectivity = matcher.atMost / store.memories;
        let fetch = Math.ceil(((k + FETCH_SPARE) * windows) / selectivity);
        for (; fetch <= FETCH_MOST; fetch *= 2) {
            const found = this.matching(graph.search(query, fetch), matcher);
            if (found.size >= Math.min(k, matcher.atMost))
                return this.scored(query, k, found, this.matching(pending, matcher));
        }
        return undefined;
    }
    matching(rows, { matches }) {
        const slots = new Set();
        for (const row of rows) {
            const slot = this.store.memoryOfRow(row);
            if (slot !== undefined && matches(slot))
                slots.add(slot);
        }
        return slots;
    }
    scored(query, k, found, waiting) {
        const best = new TopK(k, (slot) => this.store.key(slot));
        for (const slot of new Set([...found, ...waiting]))
            consider(this.store, query, slot, best);
        return best;
    }
    hit(slot, query, similarity) {
        return { key: this.store.key(slot), similarity: rounded(similarity), window: this.store.bestWindow(slot, query) };
    }
}
//# sourceMappingURL=vectors.js.map