import {
  type Collection,
  FREQUENCY_BITS,
  FREQUENCY_MASK,
  frequencyIn,
  namesAmong,
  share,
  type Weighed,
  type WeighedQuery,
} from './bm25.js';
import type { LexicalHit } from './ports.js';
import { rounded, TopK } from './top-k.js';

/**
 * MaxScore over document-ordered postings (Turtle and Flood, 1995), rarest term first: once the terms that are left
 * cannot lift a new document among the k best, they are only looked up for the candidates there are. Scratch arrays are
 * kept between searches; one search runs at a time.
 */
export class Bm25Search {
  private sums = new Float64Array(0);
  /** The search that last touched a slot. */
  private touchedIn = new Uint32Array(0);
  private touched = new Uint32Array(0);
  private touchedCount = 0;
  private run = 0;
  private heap = new Float64Array(0);
  private readonly keyOf: (slot: number) => string;

  constructor(keyOf: (slot: number) => string) {
    this.keyOf = keyOf;
  }

  search({ known, ideal }: WeighedQuery, k: number, collection: Collection): LexicalHit[] {
    this.prepare(collection.end, k);
    const left = boundsFrom(known);
    /** Scores closer than this may come out equal once divided and rounded. */
    const slack = ideal * 2e-6;
    let next = 0;
    let bar = Number.NEGATIVE_INFINITY;
    for (; next < known.length; next++) {
      bar = this.kthBest(k) - slack;
      if ((left[next] as number) < bar) break;
      this.addAll(known[next] as Weighed, collection);
    }
    for (; next < known.length; next++) {
      this.dropBelow(bar - (left[next] as number));
      this.addToCandidates(known[next] as Weighed, collection);
      bar = this.kthBest(k) - slack;
    }
    const best = new TopK(k, this.keyOf);
    for (let i = 0; i < this.touchedCount; i++) {
      const slot = this.touched[i] as number;
      const score = (this.sums[slot] as number) / ideal;
      if (score >= best.floor) best.offer(slot, score);
    }
    const names = namesAmong(known, collection);
    return best.sorted().map(({ slot, score }) => {
      let covered = 0;
      for (const term of known) if (collection.holds(slot, term.id)) covered += term.ideal;
      return this.hit(slot, score, rounded(covered / ideal), names, collection);
    });
  }

  /** What `search` would say of these slots, in their order, without those that hold no term. */
  scores({ known, ideal }: WeighedQuery, slots: readonly number[], collection: Collection): LexicalHit[] {
    const names = namesAmong(known, collection);
    const { postings, lengths, averageLength } = collection;
    const hits: LexicalHit[] = [];
    for (const slot of slots) {
      let covered = 0;
      let score = 0;
      for (const term of known) {
        if (!collection.holds(slot, term.id)) continue;
        covered += term.ideal;
        score += share(term.ideal, frequencyIn(term, slot, postings), lengths[slot] as number, averageLength);
      }
      if (covered > 0) hits.push(this.hit(slot, rounded(score / ideal), rounded(covered / ideal), names, collection));
    }
    return hits;
  }

  private hit(slot: number, score: number, coverage: number, names: readonly Weighed[], { holds }: Collection): LexicalHit {
    const hit = { key: this.keyOf(slot), score, coverage };
    return names.some((name) => holds(slot, name.id)) ? { ...hit, named: true } : hit;
  }

  private prepare(end: number, k: number): void {
    if (this.sums.length < end) {
      this.sums = new Float64Array(Math.ceil(end * 1.25));
      this.touchedIn = new Uint32Array(this.sums.length);
      this.touched = new Uint32Array(this.sums.length);
      this.run = 0;
    }
    if (this.run === 0xffffffff) {
      this.touchedIn.fill(0);
      this.run = 0;
    }
    if (this.heap.length < k) this.heap = new Float64Array(Math.min(k, end) + 16);
    this.run++;
    this.touchedCount = 0;
  }

  /** Adds a term to every document that holds it and passes the filter. */
  private addAll({ start, documents, ideal }: Weighed, { postings, lengths, averageLength, matches }: Collection): void {
    const { sums, touchedIn, touched, run } = this;
    const end = start + documents;
    let count = this.touchedCount;
    for (let i = start; i < end; i++) {
      const posting = postings[i] as number;
      const slot = posting >>> FREQUENCY_BITS;
      if (touchedIn[slot] !== run) {
        touchedIn[slot] = run;
        if (matches(slot)) {
          sums[slot] = 0;
          touched[count++] = slot;
        } else sums[slot] = REFUSED;
      }
      const sum = sums[slot] as number;
      if (sum >= 0) sums[slot] = sum + share(ideal, posting & FREQUENCY_MASK, lengths[slot] as number, averageLength);
    }
    this.touchedCount = count;
  }

  /** Adds a term to the documents that are still in play, by looking each up or by running along the postings, whichever is shorter. */
  private addToCandidates(term: Weighed, collection: Collection): void {
    if (this.touchedCount * STEPS_OF_A_LOOKUP > term.documents) {
      this.addToTouched(term, collection);
      return;
    }
    const { sums, touched } = this;
    const { postings, lengths, averageLength } = collection;
    for (let i = 0; i < this.touchedCount; i++) {
      const slot = touched[i] as number;
      if (!collection.holds(slot, term.id)) continue;
      const frequency = frequencyIn(term, slot, postings);
      sums[slot] = (sums[slot] as number) + share(term.ideal, frequency, lengths[slot] as number, averageLength);
    }
  }

  /** Documents that fell out of play are added to as well: nobody looks at them any more. */
  private addToTouched({ start, documents, ideal }: Weighed, { postings, lengths, averageLength }: Collection): void {
    const { sums, touchedIn, run } = this;
    const end = start + documents;
    for (let i = start; i < end; i++) {
      const posting = postings[i] as number;
      const slot = posting >>> FREQUENCY_BITS;
      if (touchedIn[slot] !== run) continue;
      const sum = sums[slot] as number;
      if (sum >= 0) sums[slot] = sum + share(ideal, posting & FREQUENCY_MASK, lengths[slot] as number, averageLength);
    }
  }

  private dropBelow(least: number): void {
    let kept = 0;
    for (let i = 0; i < this.touchedCount; i++) {
      const slot = this.touched[i] as number;
      if ((this.sums[slot] as number) >= least) this.touched[kept++] = slot;
    }
    this.touchedCount = kept;
  }

  /** The k-th best score so far, minus infinity while there are fewer. */
  private kthBest(k: number): number {
    if (this.touchedCount < k) return Number.NEGATIVE_INFINITY;
    const { heap, sums, touched } = this;
    for (let i = 0; i < k; i++) heap[i] = sums[touched[i] as number] as number;
    for (let i = (k >> 1) - 1; i >= 0; i--) siftDown(heap, i, k);
    for (let i = k; i < this.touchedCount; i++) {
      const score = sums[touched[i] as number] as number;
      if (score <= (heap[0] as number)) continue;
      heap[0] = score;
      siftDown(heap, 0, k);
    }
    return heap[0] as number;
  }
}

/** A binary search among 100,000 postings against one step along them. */
const STEPS_OF_A_LOOKUP = 12;

/** The score of a document that the filter refused. */
const REFUSED = -1;

/** At [i]: what the terms from i on can add together. */
const boundsFrom = (terms: readonly Weighed[]): number[] => {
  const sums = new Array<number>(terms.length + 1).fill(0);
  for (let i = terms.length - 1; i >= 0; i--) sums[i] = (sums[i + 1] as number) + (terms[i] as Weighed).bound;
  return sums;
};

const siftDown = (heap: Float64Array, start: number, size: number): void => {
  const value = heap[start] as number;
  let parent = start;
  for (let child = 2 * parent + 1; child < size; child = 2 * parent + 1) {
    if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child++;
    if ((heap[child] as number) >= value) break;
    heap[parent] = heap[child] as number;
    parent = child;
  }
  heap[parent] = value;
};
