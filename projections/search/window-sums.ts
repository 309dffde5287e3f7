import { type Collection, FREQUENCY_BITS, FREQUENCY_MASK, MOST_TERMS, share, type Weighed } from './bm25.js';
import { Largest } from './largest.js';

/** Documents whose sums are made together: so few that they stay in the processor's cache. */
export const WINDOW = 8192;

/** A look into a term's postings of one window takes about as long as so many steps along them. */
const STEPS_OF_A_LOOKUP = 24;

/** Of so few documents each is asked for its own terms, without going to the postings. */
const FEW = 2;

/**
 * What the terms of a query add to the documents of one window of slots after another, as accumulators (Moffat and
 * Zobel, "Self-indexing inverted files for fast text retrieval", 1996) that one window leaves empty for the next. A
 * term's postings are only ever walked forward.
 */
export class WindowSums {
  private readonly sums = new Float64Array(WINDOW);
  /** The documents in play, counted from the first of the window; one more than there can be, see `addAll`. */
  private readonly touched = new Uint16Array(WINDOW + 1);
  private count = 0;
  private from = 0;
  /** By term: the first posting that was not passed yet. Indexes of 31 bits are 8 GB of postings. */
  private readonly cursors = new Int32Array(MOST_TERMS);

  /** How many documents of the window are in play. */
  get inPlay(): number {
    return this.count;
  }

  /** Goes back to the first slot. */
  rewind(terms: readonly Weighed[]): void {
    for (const [t, term] of terms.entries()) this.cursors[t] = term.start;
  }

  enter(from: number): void {
    this.from = from;
  }

  /** Adds the t-th term to every document of the window that holds it. */
  addAll(t: number, term: Weighed, { postings, lengths, averageLength }: Collection): void {
    const { sums, touched, from } = this;
    const { ideal, start, documents } = term;
    const end = start + documents;
    let { count } = this;
    let i = this.seek(t, end, from, postings);
    for (; i < end; i++) {
      const posting = postings[i] as number;
      const slot = posting >>> FREQUENCY_BITS;
      const at = slot - from;
      if (at >= WINDOW) break;
      const sum = sums[at] as number;
      // Written in any case: whether it counts cannot be foretold, and a wrong guess costs the processor more.
      touched[count] = at;
      if (sum === 0) count++;
      sums[at] = sum + share(ideal, posting & FREQUENCY_MASK, lengths[slot] as number, averageLength);
    }
    this.cursors[t] = i;
    this.count = count;
  }

  /** Adds the t-th term to the documents in play, in whichever way is the shortest. */
  addToTouched(t: number, term: Weighed, collection: Collection): void {
    const { count } = this;
    if (count === 0) return;
    if (count <= FEW) this.ask(term, collection);
    else if (count * STEPS_OF_A_LOOKUP * collection.end < term.documents * WINDOW) this.lookUp(t, term, collection);
    else this.walk(t, term, collection);
  }

  dropBelow(least: number): void {
    const { sums, touched, count } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      if ((sums[at] as number) >= least) touched[kept++] = at;
      else sums[at] = 0;
    }
    this.count = kept;
  }

  dropUnmatched(matches: (slot: number) => boolean): void {
    const { sums, touched, count, from } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      if (matches(from + at)) touched[kept++] = at;
      else sums[at] = 0;
    }
    this.count = kept;
  }

  /** The k-th largest sum in play, where at least k are. */
  kthLargest(k: number): number {
    const { sums, touched, count, from } = this;
    const largest = new Largest(k);
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      largest.offer(from + at, sums[at] as number);
    }
    return largest.floor;
  }

  /** Hands over what is left in play and leaves the window empty. */
  drain(take: (slot: number, sum: number) => void): void {
    const { sums, touched, count, from } = this;
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      take(from + at, sums[at] as number);
      sums[at] = 0;
    }
    this.count = 0;
  }

  private ask(term: Weighed, { lengths, averageLength, frequencyIn }: Collection): void {
    const { sums, touched, count, from } = this;
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      const frequency = frequencyIn(from + at, term.id);
      if (frequency > 0) sums[at] = (sums[at] as number) + share(term.ideal, frequency, lengths[from + at] as number, averageLength);
    }
  }

  private lookUp(t: number, term: Weighed, { postings, lengths, averageLength }: Collection): void {
    const { sums, touched, count, from } = this;
    const last = term.start + term.documents;
    const start = this.seek(t, last, from, postings);
    this.cursors[t] = start;
    const end = this.seek(t, last, from + WINDOW, postings);
    this.cursors[t] = end;
    for (let i = 0; i < count; i++) {
      const at = touched[i] as number;
      const slot = from + at;
      const found = lowerBound(postings, start, end, slot);
      if (found === end) continue;
      const posting = postings[found] as number;
      if (posting >>> FREQUENCY_BITS !== slot) continue;
      sums[at] = (sums[at] as number) + share(term.ideal, posting & FREQUENCY_MASK, lengths[slot] as number, averageLength);
    }
  }

  private walk(t: number, { ideal, start, documents }: Weighed, { postings, lengths, averageLength }: Collection): void {
    const { sums, from } = this;
    const end = start + documents;
    let i = this.seek(t, end, from, postings);
    for (; i < end; i++) {
      const posting = postings[i] as number;
      const slot = posting >>> FREQUENCY_BITS;
      const at = slot - from;
      if (at >= WINDOW) break;
      const sum = sums[at] as number;
      if (sum > 0) sums[at] = sum + share(ideal, posting & FREQUENCY_MASK, lengths[slot] as number, averageLength);
    }
    this.cursors[t] = i;
  }

  /** The t-th term's first posting from this slot on, by doubled steps (Bentley and Yao, 1976): windows may have been left out. */
  private seek(t: number, end: number, slot: number, postings: Uint32Array): number {
    let at = this.cursors[t] as number;
    if (at >= end || (postings[at] as number) >>> FREQUENCY_BITS >= slot) return at;
    let step = 1;
    for (; at + step < end && (postings[at + step] as number) >>> FREQUENCY_BITS < slot; step *= 2) at += step;
    return lowerBound(postings, at + 1, Math.min(end, at + step), slot);
  }
}

/** The first of some postings that is not before the slot. */
const lowerBound = (postings: Uint32Array, from: number, to: number, slot: number): number => {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((postings[middle] as number) >>> FREQUENCY_BITS < slot) low = middle + 1;
    else high = middle;
  }
  return low;
};
