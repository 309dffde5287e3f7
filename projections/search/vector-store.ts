import type { BinaryReader, BinaryWriter } from './binary.js';
import { FacetTable, type Matcher } from './facets.js';
import { grown, Slots } from './growable.js';
import type { Facets, Filter } from './ports.js';
import { VectorRows } from './rows.js';
import { rounded } from './top-k.js';
import { assertUnit } from './unit.js';

const NONE = -1;

/** The vectors of memories with what can be filtered on: exact, complete, and the truth that a graph is built from. */
export class VectorStore {
  readonly dimension: number;
  private readonly slotOf = new Map<string, number>();
  private keys: (string | undefined)[] = [];
  private slots = new Slots();
  private facets = new FacetTable();
  /** By memory: its first row. By row: the memory's next one, and its memory; NONE where there is none. */
  private firstRow = new Int32Array(0);
  private nextRow = new Int32Array(0);
  private memoryOf = new Int32Array(0);
  private rowSlots = new Slots();
  private rows: VectorRows;

  constructor(dimension: number) {
    this.dimension = dimension;
    this.rows = new VectorRows(dimension);
  }

  get memories(): number {
    return this.slotOf.size;
  }

  get vectors(): number {
    return this.rowSlots.used;
  }

  /** One beyond the highest memory slot. */
  get end(): number {
    return this.slots.end;
  }

  slot(key: string): number | undefined {
    return this.slotOf.get(key);
  }

  key(slot: number): string {
    return this.keys[slot] as string;
  }

  compile(filter: Filter): Matcher {
    return this.facets.compile(filter);
  }

  /** The key must be absent. Gives the new rows. */
  add(key: string, vectors: readonly Float32Array[], facets: Facets): number[] {
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
      if (last === NONE) this.firstRow[slot] = row;
      else this.nextRow[last] = row;
      last = row;
      return row;
    });
  }

  setFacets(slot: number, facets: Facets): void {
    this.facets.set(slot, facets);
  }

  /** Gives the rows that are free now. */
  remove(slot: number): number[] {
    const rows: number[] = [];
    for (let row = this.firstRow[slot] as number; row !== NONE; row = this.nextRow[row] as number) rows.push(row);
    for (const row of rows) {
      this.rows.clear(row);
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
  similarity(slot: number, query: Float32Array): number {
    let best = Number.NEGATIVE_INFINITY;
    for (let row = this.firstRow[slot] as number; row !== NONE; row = this.nextRow[row] as number) {
      const similarity = this.rows.dot(row, query);
      if (similarity > best) best = similarity;
    }
    return best;
  }

  /** The first window whose cosine is the best one once rounded. */
  bestWindow(slot: number, query: Float32Array): number {
    if (this.nextRow[this.firstRow[slot] as number] === NONE) return 0;
    const best = rounded(this.similarity(slot, query));
    let window = 0;
    for (let row = this.firstRow[slot] as number; row !== NONE; row = this.nextRow[row] as number) {
      if (rounded(this.rows.dot(row, query)) === best) break;
      window++;
    }
    return window;
  }

  /** One beyond the highest row. */
  get rowEnd(): number {
    return this.rowSlots.end;
  }

  /** See `VectorRows.nearestInChunk`. */
  nearestInChunk(chunk: number, query: Float32Array, count: number): { row: number; similarity: number }[] {
    return this.rows.nearestInChunk(chunk, this.rowSlots.end, query, count);
  }

  /** The memory slot of a row, undefined when the row is free. */
  memoryOfRow(row: number): number | undefined {
    const slot = this.memoryOf[row] ?? NONE;
    return slot === NONE ? undefined : slot;
  }

  /** Whether a row holds the memory's first vector. */
  isFirstOf(slot: number, row: number): boolean {
    return this.firstRow[slot] === row;
  }

  *usedRows(): Iterable<number> {
    for (let row = 0; row < this.rowSlots.end; row++) if (this.memoryOf[row] !== NONE) yield row;
  }

  vector(row: number): Float32Array {
    return this.rows.get(row);
  }

  /** Throws VALIDATION for anything but a unit vector of this space. */
  check(vector: Float32Array): void {
    assertUnit(vector, this.dimension);
  }

  dump(to: BinaryWriter): void {
    to.strings(this.keys.map((key) => key ?? ''));
    this.facets.dump(to, this.slots.end);
    to.array(this.firstRow.subarray(0, this.slots.end));
    to.array(this.nextRow.subarray(0, this.rowSlots.end));
    to.array(this.memoryOf.subarray(0, this.rowSlots.end));
    this.rows.dump(to, this.rowSlots.end);
  }

  static load(from: BinaryReader, dimension: number): VectorStore {
    const store = new VectorStore(dimension);
    store.keys = from.strings().map((key, slot) => {
      if (key === '') return undefined;
      store.slotOf.set(key, slot);
      return key;
    });
    store.slots = new Slots(
      store.keys.length,
      positions(store.keys, (key) => key === undefined),
    );
    store.facets = FacetTable.load(from);
    store.firstRow = from.int32();
    store.nextRow = from.int32();
    store.memoryOf = from.int32();
    store.rowSlots = new Slots(
      store.memoryOf.length,
      positions([...store.memoryOf], (slot) => slot === NONE),
    );
    store.rows = VectorRows.load(from, dimension);
    return store;
  }
}

const positions = <T>(values: readonly T[], wanted: (value: T) => boolean): number[] =>
  values.flatMap((value, i) => (wanted(value) ? [i] : []));
