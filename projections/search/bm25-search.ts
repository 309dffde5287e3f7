import { type Collection, namesAmong, share, type Weighed, type WeighedQuery } from './bm25.js';
import { Largest } from './largest.js';
import type { LexicalHit } from './ports.js';
import { rounded, TopK } from './top-k.js';
import { WINDOW, WindowSums } from './window-sums.js';

/** The rarest terms that are read ahead hold at most so many documents, and at most this share of all that the query's terms do. */
const AHEAD = { documents: 4096, share: 1 / 8, shareOfSmall: 1 / 4 } as const;

/** Up to so many slots a search is over before the best of those read ahead are scored by all terms: their sums so far must do. */
const SMALL = 2 * WINDOW;

/** Scores closer than this share of the ideal may come out equal once rounded. */
const SLACK = 2e-6;

/**
 * MaxScore over document-ordered postings (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995),
 * rarest term first and one window of documents after another. A bar is found before: the documents of the rarest terms
 * are ranked by those, and the k best of them scored by all. In every window only the terms whose followers cannot lift
 * a document over the bar are walked; the followers are added to what the walk left in play, and dropped early. One
 * search runs at a time.
 */
export class Bm25Search {
  private readonly window = new WindowSums();
  private readonly keyOf: (slot: number) => string;

  constructor(keyOf: (slot: number) => string) {
    this.keyOf = keyOf;
  }

  search({ known, ideal }: WeighedQuery, k: number, collection: Collection): LexicalHit[] {
    const { window } = this;
    const left = boundsFrom(known);
    const best = new TopK(k, this.keyOf);
    const take = (slot: number, sum: number): void => {
      const score = sum / ideal;
      if (score >= best.floor) best.offer(slot, score);
    };
    let bar = this.barAhead(known, k, collection) - ideal * SLACK;
    let walked = known.length;
    window.rewind(known);
    for (let from = 0; from < collection.end; from += WINDOW) {
      while (walked > 0 && (left[walked - 1] as number) < bar) walked--;
      if (walked === 0) break;
      window.enter(from);
      for (let t = 0; t < walked; t++) window.addAll(t, known[t] as Weighed, collection);
      window.dropBelow(bar - (left[walked] as number));
      window.dropUnmatched(collection.matches);
      for (let t = walked; t < known.length; t++) {
        window.addToTouched(t, known[t] as Weighed, collection);
        window.dropBelow(bar - (left[t + 1] as number));
      }
      // Numbers are ranked faster than keys.
      if (window.inPlay > 2 * k) window.dropBelow(window.kthLargest(k) - ideal * SLACK);
      window.drain(take);
      bar = Math.max(bar, best.floor * ideal);
    }
    const names = namesAmong(known, collection);
    return best.sorted().map(({ slot, score }) => {
      let covered = 0;
      for (const term of known) if (collection.frequencyIn(slot, term.id) > 0) covered += term.ideal;
      return this.hit(slot, score, rounded(covered / ideal), names, collection);
    });
  }

  /** What `search` would say of these slots, in their order, without those that hold no term. */
  scores({ known, ideal }: WeighedQuery, slots: readonly number[], collection: Collection): LexicalHit[] {
    const names = namesAmong(known, collection);
    const hits: LexicalHit[] = [];
    for (const slot of slots) {
      const { sum, covered } = sumOf(slot, known, collection);
      if (covered > 0) hits.push(this.hit(slot, rounded(sum / ideal), rounded(covered / ideal), names, collection));
    }
    return hits;
  }

  private hit(slot: number, score: number, coverage: number, names: readonly Weighed[], { frequencyIn }: Collection): LexicalHit {
    const hit = { key: this.keyOf(slot), score, coverage };
    return names.some((name) => frequencyIn(slot, name.id) > 0) ? { ...hit, named: true } : hit;
  }

  /** A sum that at least k documents reach; minus infinity where the rarest terms do not tell. */
  private barAhead(known: readonly Weighed[], k: number, collection: Collection): number {
    const { window } = this;
    const { matches } = collection;
    const ahead = rarest(known, collection.end <= SMALL ? AHEAD.shareOfSmall : AHEAD.share);
    if (ahead.reduce((sum, { documents }) => sum + documents, 0) < k) return Number.NEGATIVE_INFINITY;
    const largest = new Largest(k);
    const take = (slot: number, sum: number): void => {
      if (sum > largest.floor && matches(slot)) largest.offer(slot, sum);
    };
    window.rewind(ahead);
    for (let from = 0; from < collection.end; from += WINDOW) {
      window.enter(from);
      for (const [t, term] of ahead.entries()) window.addAll(t, term, collection);
      window.drain(take);
    }
    const full = largest.full();
    if (full.length > 0 && collection.end <= SMALL) return largest.floor;
    return full.length === 0
      ? Number.NEGATIVE_INFINITY
      : full.reduce((least, slot) => Math.min(least, sumOf(slot, known, collection).sum), Number.POSITIVE_INFINITY);
  }
}

/** What all terms add to a document, and the ideal of those that it holds. */
const sumOf = (slot: number, known: readonly Weighed[], { lengths, averageLength, frequencyIn }: Collection) => {
  let sum = 0;
  let covered = 0;
  for (const { id, ideal } of known) {
    const frequency = frequencyIn(slot, id);
    if (frequency === 0) continue;
    covered += ideal;
    sum += share(ideal, frequency, lengths[slot] as number, averageLength);
  }
  return { sum, covered };
};

/** The first terms, as many as are read ahead. */
const rarest = (known: readonly Weighed[], share: number): readonly Weighed[] => {
  const all = known.reduce((sum, { documents }) => sum + documents, 0);
  let room = Math.min(AHEAD.documents, all * share);
  const common = known.findIndex(({ documents }) => {
    room -= documents;
    return room < 0;
  });
  return known.slice(0, common);
};

/** At [i]: what the terms from i on can add together. */
const boundsFrom = (terms: readonly Weighed[]): number[] => {
  const sums = new Array<number>(terms.length + 1).fill(0);
  for (let i = terms.length - 1; i >= 0; i--) sums[i] = (sums[i + 1] as number) + (terms[i] as Weighed).bound;
  return sums;
};
