/** Similarities and scores are compared and returned with 6 digits, so that the last bits of a sum never decide. */
export const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

/** Whatever is below `floor - ROUNDING` cannot come out at or above `floor` when rounded. */
const ROUNDING = 1e-6;

/**
 * The k best of a stream of (slot, score): rounded score first, then the slot's key in code unit order. The order of
 * arrival does not matter.
 */
export class TopK {
  private readonly slots: number[] = [];
  private readonly scores: number[] = [];
  private readonly k: number;
  private readonly keyOf: (slot: number) => string;
  /** Raw scores below this one cannot enter any more. */
  floor = Number.NEGATIVE_INFINITY;

  constructor(k: number, keyOf: (slot: number) => string) {
    this.k = k;
    this.keyOf = keyOf;
  }

  offer(slot: number, rawScore: number): void {
    const score = rounded(rawScore);
    if (this.slots.length < this.k) {
      this.slots.push(slot);
      this.scores.push(score);
      this.siftUp(this.slots.length - 1);
    } else if (this.k > 0 && this.worse(this.scores[0] as number, this.slots[0] as number, score, slot)) {
      this.slots[0] = slot;
      this.scores[0] = score;
      this.siftDown();
    } else return;
    if (this.slots.length === this.k) this.floor = (this.scores[0] as number) - ROUNDING;
  }

  /** Best first. */
  sorted(): { slot: number; score: number }[] {
    return this.slots
      .map((slot, i) => ({ slot, score: this.scores[i] as number }))
      .sort((a, b) => (this.worse(a.score, a.slot, b.score, b.slot) ? 1 : -1));
  }

  private worse(score: number, slot: number, otherScore: number, otherSlot: number): boolean {
    return score !== otherScore ? score < otherScore : this.keyOf(slot) > this.keyOf(otherSlot);
  }

  private worseAt(i: number, j: number): boolean {
    return this.worse(this.scores[i] as number, this.slots[i] as number, this.scores[j] as number, this.slots[j] as number);
  }

  private swap(i: number, j: number): void {
    [this.slots[i], this.slots[j]] = [this.slots[j] as number, this.slots[i] as number];
    [this.scores[i], this.scores[j]] = [this.scores[j] as number, this.scores[i] as number];
  }

  private siftUp(start: number): void {
    for (let child = start; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.worseAt(child, parent)) return;
      this.swap(child, parent);
      child = parent;
    }
  }

  private siftDown(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      if (left >= this.slots.length) return;
      const right = left + 1;
      const worst = right < this.slots.length && this.worseAt(right, left) ? right : left;
      if (!this.worseAt(worst, parent)) return;
      this.swap(worst, parent);
      parent = worst;
    }
  }
}
