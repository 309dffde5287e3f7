/** The slots of the k largest sums of a stream. Which of equal ones is kept depends on the order of arrival. */
export class Largest {
  private readonly sums: Float64Array;
  private readonly slots: Uint32Array;
  private size = 0;
  /** A sum that is not above it changes nothing any more. */
  floor = 0;

  constructor(k: number) {
    this.sums = new Float64Array(k);
    this.slots = new Uint32Array(k);
  }

  /** The k slots in no order, or none when fewer came. */
  full(): Uint32Array {
    return this.size === this.slots.length ? this.slots : new Uint32Array(0);
  }

  /** Sums are above 0. */
  offer(slot: number, sum: number): void {
    if (this.size < this.slots.length) this.rise(slot, sum);
    else if (sum > this.floor) this.sink(slot, sum);
    else return;
    if (this.size === this.slots.length) this.floor = this.sums[0] as number;
  }

  private rise(slot: number, sum: number): void {
    const { sums, slots } = this;
    let child = this.size++;
    for (; child > 0; ) {
      const parent = (child - 1) >> 1;
      if ((sums[parent] as number) <= sum) break;
      sums[child] = sums[parent] as number;
      slots[child] = slots[parent] as number;
      child = parent;
    }
    sums[child] = sum;
    slots[child] = slot;
  }

  private sink(slot: number, sum: number): void {
    const { sums, slots, size } = this;
    let parent = 0;
    for (let child = 1; child < size; child = 2 * parent + 1) {
      if (child + 1 < size && (sums[child + 1] as number) < (sums[child] as number)) child++;
      if ((sums[child] as number) >= sum) break;
      sums[parent] = sums[child] as number;
      slots[parent] = slots[child] as number;
      parent = child;
    }
    sums[parent] = sum;
    slots[parent] = slot;
  }
}
