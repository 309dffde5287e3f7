import type { BinaryReader, BinaryWriter } from './binary.js';
import { grown } from './growable.js';

/** The smallest block holds two values; each class doubles it. */
const CLASSES = 28;
const NO_BLOCK = 0xffffffff;
const classFor = (length: number): number => Math.max(0, 31 - Math.clz32(length - 1));

/**
 * Many sorted lists of distinct uint32 values, numbered by the caller, in one array: no object per list. A list lies in
 * a block of a power of two; blocks that are left behind are used again.
 */
export class SortedLists {
  /** Read it anew after every change: growing replaces it. */
  data = new Uint32Array(1024);
  private end = 0;
  private starts = new Uint32Array(0);
  private lengths = new Uint32Array(0);
  /** The size of each list's block; a list that shrinks keeps its block until it is empty. */
  private classes = new Uint8Array(0);
  private readonly freeBlocks: number[][] = Array.from({ length: CLASSES }, () => []);

  start(list: number): number {
    return this.starts[list] as number;
  }

  length(list: number): number {
    return this.lengths[list] ?? 0;
  }

  /** The value must not be in the list. Cheapest when it is larger than all before. */
  insert(list: number, value: number): void {
    this.starts = grown(this.starts, list + 1, NO_BLOCK);
    this.lengths = grown(this.lengths, list + 1);
    this.classes = grown(this.classes, list + 1);
    const length = this.lengths[list] as number;
    const start = this.withRoom(list, length);
    const end = start + length;
    const at = length === 0 || value > (this.data[end - 1] as number) ? end : this.lowerBound(start, end, value);
    this.data.copyWithin(at + 1, at, end);
    this.data[at] = value;
    this.lengths[list] = length + 1;
  }

  /** The first value that is not below `value`; infinity if there is none. */
  firstFrom(list: number, value: number): number {
    const start = this.starts[list] as number;
    const end = start + this.length(list);
    const at = this.lowerBound(start, end, value);
    return at < end ? (this.data[at] as number) : Number.POSITIVE_INFINITY;
  }

  /** Takes out the one value `v` with `from <= v < to`; the list must hold it. */
  removeWithin(list: number, from: number): void {
    const start = this.starts[list] as number;
    const length = this.lengths[list] as number;
    const at = this.lowerBound(start, start + length, from);
    this.data.copyWithin(at, at + 1, start + length);
    this.lengths[list] = length - 1;
    if (length === 1) {
      this.giveBack(list);
      this.starts[list] = NO_BLOCK;
    }
  }

  /** Index into `data` of the first value that is not below `value`. */
  lowerBound(from: number, to: number, value: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.data[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  dump(to: BinaryWriter, lists: number): void {
    let total = 0;
    for (let list = 0; list < lists; list++) total += this.length(list);
    const values = new Uint32Array(total);
    let at = 0;
    for (let list = 0; list < lists; list++) {
      const length = this.length(list);
      if (length > 0) values.set(this.data.subarray(this.start(list), this.start(list) + length), at);
      at += length;
    }
    to.array(Uint32Array.from({ length: lists }, (_, list) => this.length(list)));
    to.array(values);
  }

  static load(from: BinaryReader): SortedLists {
    const lists = new SortedLists();
    lists.lengths = from.uint32();
    const values = from.uint32();
    lists.classes = Uint8Array.from(lists.lengths, classFor);
    const sizes = lists.lengths.map((length, list) => (length === 0 ? 0 : 2 << (lists.classes[list] as number)));
    lists.starts = new Uint32Array(lists.lengths.length).fill(NO_BLOCK);
    lists.data = new Uint32Array(sizes.reduce((sum, size) => sum + size, 0) + 1024);
    let at = 0;
    lists.lengths.forEach((length, list) => {
      if (length === 0) return;
      lists.starts[list] = lists.end;
      lists.data.set(values.subarray(at, at + length), lists.end);
      at += length;
      lists.end += sizes[list] as number;
    });
    return lists;
  }

  /** Where the list starts once it can take one more value. */
  private withRoom(list: number, length: number): number {
    const start = this.starts[list] as number;
    if (length > 0 && length < 2 << (this.classes[list] as number)) return start;
    const blockClass = classFor(length + 1);
    const larger = this.takeBlock(blockClass);
    if (length > 0) {
      this.data.copyWithin(larger, start, start + length);
      this.giveBack(list);
    }
    this.starts[list] = larger;
    this.classes[list] = blockClass;
    return larger;
  }

  private takeBlock(blockClass: number): number {
    const free = (this.freeBlocks[blockClass] as number[]).pop();
    if (free !== undefined) return free;
    const start = this.end;
    this.end += 2 << blockClass;
    this.data = grown(this.data, this.end);
    return start;
  }

  private giveBack(list: number): void {
    (this.freeBlocks[this.classes[list] as number] as number[]).push(this.starts[list] as number);
  }
}
