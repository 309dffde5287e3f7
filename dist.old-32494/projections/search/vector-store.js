import { DomainError } from '../../domain/errors.js';
import { FacetTable } from './facets.js';
import { grown, Slots } from './growable.js';
import { VectorRows } from './rows.js';
import { rounded } from './top-k.js';
const NONE = -1;
const NORM_TOLERANCE = 1e-2;
/** The vectors of memories with what can be filtered on: exact, complete, and the truth that a graph is built from. */
export class VectorStore {
    dimension;
    slotOf = new Map();
    keys = [];
    slots = new Slots();
    facets = new FacetTable();
    /** By memory: its first row. By row: the memory's next one, and its memory; NONE where there is none. */
    firstRow = new Int32Array(0);
    nextRow = new Int32Array(0);
    memoryOf = new Int32Array(0);
    rowSlots = new Slots();
    rows;
    constructor(dimension) {
        this.dimension = dimension;
        this.rows = new VectorRows(dimension);
    }
    get memories() {
        return this.slotOf.size;
    }
    get vectors() {
        return this.rowSlots.used;
    }
    /** One beyond the highest memory slot. */
    get end() {
        return this.slots.end;
    }
    slot(key) {
        return this.slotOf.get(key);
    }
    key(slot) {
        return this.keys[slot];
    }
    compile(filter) {
        return this.facets.compile(filter);
    }
    /** The key must be absent. Gives the new rows. */
    add(key, vectors, facets) {
        const slot = this.slots.take();
        this.slotOf.set(key, slot);
        this.keys[slot] = key;
        this.facets.set(slot, facets);
        this.firstRow = grown(this.firstRow, slot + 1, NONE);
        this.firstRow[slot] = NONE;
        let last = NONE;
        return vectors.map((vector) => {
            const row = this.rowSlots.take();
            this.nextRow = grown(this.nextRow, row + 1, NONE);
            this.memoryOf = grown(this.memoryOf, row + 1, NONE);
            this.nextRow[row] = NONE;
            this.memoryOf[row] = slot;
            this.rows.set(row, vector);
            if (last === NONE)
                this.firstRow[slot] = row;
            else
                this.nextRow[last] = row;
            last = row;
            return row;
        });
    }
    setFacets(slot, facets) {
        this.facets.set(slot, facets);
    }
    /** Gives the rows that are free now. */
    remove(slot) {
        const rows = [];
        for (let row = this.firstRow[slot]; row !== NONE; row = this.nextRow[row])
            rows.push(row);
        for (const row of rows) {
            this.memoryOf[row] = NONE;
            this.rowSlots.give(row);
        }
        this.facets.clear(slot);
        this.slotOf.delete(this.key(slot));
        this.keys[slot] = undefined;
        this.firstRow[slot] = NONE;
        this.slots.give(slot);
        return rows;
    }
    /** The highest cosine of a memory's windows. */
    similarity(slot, query) {
        let best = Number.NEGATIVE_INFINITY;
        for (let row = this.firstRow[slot]; row !== NONE; row = this.nextRow[row]) {
            const similarity = this.rows.dot(row, query);
            if (similarity > best)
                best = similarity;
        }
        return best;
    }
    /** The first window whose cosine is the best one once rounded. */
    bestWindow(slot, query) {
        const best = rounded(this.similarity(slot, query));
        let window = 0;
        for (let row = this.firstRow[slot]; row !== NONE; row = this.nextRow[row]) {
            if (rounded(this.rows.dot(row, query)) === best)
                break;
            window++;
        }
        return window;
    }
    /** One beyond the highest row. */
    get rowEnd() {
        return this.rowSlots.end;
    }
    /** See `VectorRows.nearestInChunk`. */
    nearestInChunk(chunk, query, count) {
        return this.rows.nearestInChunk(chunk, this.rowSlots.end, query, count);
    }
    /** The memory slot of a row, undefined when the row is free. */
    memoryOfRow(row) {
        const slot = this.memoryOf[row] ?? NONE;
        return slot === NONE ? undefined : slot;
    }
    *usedRows() {
        for (let row = 0; row < this.rowSlots.end; row++)
            if (this.memoryOf[row] !== NONE)
                yield row;
    }
    vector(row) {
        return this.rows.get(row);
    }
    /** Throws VALIDATION for anything but a unit vector of this space: a NaN would come back as everybody's nearest. */
    check(vector) {
        let square = 0;
        for (let i = 0; i < vector.length; i++)
            square += vector[i] ** 2;
        const unit = Math.abs(Math.sqrt(square) - 1) <= NORM_TOLERANCE;
        if (vector.length === this.dimension && unit)
            return;
        throw new DomainError('VALIDATION', `Not a unit vector of ${this.dimension} numbers: it has ${vector.length} and the norm ${Math.sqrt(square)}`, 'Embed the text again with the model of this index');
    }
    dump(to) {
        to.strings(this.keys.map((key) => key ?? ''));
        this.facets.dump(to, this.slots.end);
        to.array(this.firstRow.subarray(0, this.slots.end));
        to.array(this.nextRow.subarray(0, this.rowSlots.end));
        to.array(this.memoryOf.subarray(0, this.rowSlots.end));
        this.rows.dump(to, this.rowSlots.end);
    }
    static load(from, dimension) {
        const store = new VectorStore(dimension);
        store.keys = from.strings().map((key, slot) => {
            if (key === '')
                return undefined;
            store.slotOf.set(key, slot);
            return key;
        });
        store.slots = new Slots(store.keys.length, positions(store.keys, (key) => key === undefined));
        store.facets = FacetTable.load(from);
        store.firstRow = from.int32();
        store.nextRow = from.int32();
        store.memoryOf = from.int32();
        store.rowSlots = new Slots(store.memoryOf.length, positions([...store.memoryOf], (slot) => slot === NONE));
        store.rows = VectorRows.load(from, dimension);
        return store;
    }
}
const positions = (values, wanted) => values.flatMap((value, i) => (wanted(value) ? [i] : []));
//# sourceMappingURL=vector-store.js.map