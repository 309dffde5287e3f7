import { DomainError } from '../../domain/errors.js';
import { documentTerms } from '../../domain/text/tokens.js';
import type { BinaryReader, BinaryWriter } from './binary.js';
import { type Collection, FREQUENCY_BITS, type SearchTerm, type WeighedQuery, weigh } from './bm25.js';
import { Bm25Search } from './bm25-search.js';
import { FacetTable } from './facets.js';
import { grown, Slots } from './growable.js';
import type { Facets, Filter, LexicalHit, LexicalIndex } from './ports.js';
import { SortedLists } from './posting-lists.js';
import { meantBy } from './query-reading.js';
import { TermDictionary } from './term-dictionary.js';

const MOST_OFTEN = 2 ** FREQUENCY_BITS - 1;
const MOST_DOCUMENTS = 2 ** (32 - FREQUENCY_BITS);
/** No document lists it. */
const NO_TERM = 0xffffffff;
const MOST_SEEN_TOGETHER = 1_000;
const everything = (): boolean => true;
/**
 * BM25 over the words and identifiers of memories, in memory. The answer depends on the set of documents only, never on
 * the order in which they came, changed and went.
 */
export class InMemoryLexicalIndex implements LexicalIndex {
  /** Grows with every change; a snapshot is worth keeping only if it did not move meanwhile. */
  revision = 0;
  private slots = new Slots();
  private keys: (string | undefined)[] = [];
  private readonly slotOf = new Map<string, number>();
  private dictionary = new TermDictionary();
  /** By term: the documents that hold it. */
  private postings = new SortedLists();
  /** By document: its terms, each with its frequency in the same bits as a posting. */
  private termsOf = new SortedLists();
  private lengths = new Uint32Array(0);
  private totalLength = 0;
  private facets = new FacetTable();
  private frequencies = new Uint8Array(0);
  private lastAsked: { readonly query: string; readonly revision: number; readonly weighed: WeighedQuery } | undefined;
  private readonly frequencyIn = (slot: number, term: number): number => {
    const least = term * (MOST_OFTEN + 1);
    const entry = this.termsOf.firstFrom(slot, least) - least;
    return entry <= MOST_OFTEN ? entry : 0;
  };
  private readonly bm25 = new Bm25Search((slot) => this.keys[slot] as string);

  upsert(key: string, text: string, facets: Facets): void {
    this.remove(key);
    if (this.slotOf.size >= MOST_DOCUMENTS)
      throw new DomainError(
        'TOO_LARGE',
        `The in-memory word index holds at most ${MOST_DOCUMENTS} memories`,
        'Use a Valkey with the search module',
      );
    const slot = this.slots.take();
    this.revision++;
    this.keys[slot] = key;
    this.slotOf.set(key, slot);
    this.facets.set(slot, facets);
    const { terms, silent } = documentTerms(text);
    this.lengths = grown(this.lengths, slot + 1);
    this.lengths[slot] = terms.length;
    this.totalLength += terms.length;
    const distinct: number[] = [];
    for (const list of [terms, silent]) for (const term of list) this.countTerm(term, distinct);
    for (const term of distinct.sort((a, b) => a - b)) {
      const frequency = this.frequencies[term] as number;
      this.frequencies[term] = 0;
      this.postings.insert(term, slot * (MOST_OFTEN + 1) + frequency);
      this.termsOf.insert(slot, term * (MOST_OFTEN + 1) + frequency);
      this.dictionary.widen(term, frequency, terms.length);
    }
  }

  setFacets(key: string, facets: Facets): void {
    const slot = this.slotOf.get(key);
    if (slot === undefined) return;
    this.revision++;
    this.facets.set(slot, facets);
  }

  remove(key: string): void {
    const slot = this.slotOf.get(key);
    if (slot === undefined) return;
    this.revision++;
    while (this.termsOf.length(slot) > 0) {
      const entry = this.termsOf.data[this.termsOf.start(slot) + this.termsOf.length(slot) - 1] as number;
      const term = entry >>> FREQUENCY_BITS;
      this.termsOf.removeWithin(slot, entry);
      this.postings.removeWithin(term, slot * (MOST_OFTEN + 1));
      if (this.postings.length(term) === 0) this.dictionary.remove(term);
    }
    this.totalLength -= this.lengths[slot] as number;
    this.facets.clear(slot);
    this.slotOf.delete(key);
    this.keys[slot] = undefined;
    this.slots.give(slot);
  }

  /** An empty query, or one without a known word, finds nothing. */
  search(query: string, k: number, filter: Filter): LexicalHit[] {
    if (k < 1 || this.slotOf.size === 0) return [];
    const collection = this.collection(this.facets.compile(filter).matches);
    return this.bm25.search(this.weighed(query, collection), Math.min(k, this.slotOf.size), collection);
  }

  scores(query: string, keys: readonly string[]): LexicalHit[] {
    const slots = keys.map((key) => this.slotOf.get(key)).filter((slot) => slot !== undefined);
    if (slots.length === 0) return [];
    const collection = this.collection(everything);
    return this.bm25.scores(this.weighed(query, collection), slots, collection);
  }

  stats(): { memories: number; terms: number } {
    return { memories: this.slotOf.size, terms: this.dictionary.size };
  }

  dump(to: BinaryWriter): void {
    to.strings(this.keys.map((key) => key ?? ''));
    to.array(this.lengths.subarray(0, this.slots.end));
    this.facets.dump(to, this.slots.end);
    this.dictionary.dump(to);
    this.postings.dump(to, this.dictionary.end);
    this.termsOf.dump(to, this.slots.end);
  }

  static load(from: BinaryReader): InMemoryLexicalIndex {
    const index = new InMemoryLexicalIndex();
    const free: number[] = [];
    index.keys = from.strings().map((key, slot) => {
      if (key === '') {
        free.push(slot);
        return undefined;
      }
      index.slotOf.set(key, slot);
      return key;
    });
    index.slots = new Slots(index.keys.length, free);
    index.lengths = from.uint32();
    for (const slot of index.slotOf.values()) index.totalLength += index.lengths[slot] as number;
    index.facets = FacetTable.load(from);
    index.dictionary = TermDictionary.load(from);
    index.frequencies = new Uint8Array(index.dictionary.end);
    index.postings = SortedLists.load(from);
    index.termsOf = SortedLists.load(from);
    return index;
  }

  /** A search is followed by a look at the hits of the vectors: the same query of the same index. */
  private weighed(query: string, collection: Collection): WeighedQuery {
    const { revision, lastAsked } = this;
    if (lastAsked?.query === query && lastAsked.revision === revision) return lastAsked.weighed;
    const weighed = weigh(this.termsFor(query), collection);
    this.lastAsked = { query, revision, weighed };
    return weighed;
  }

  private termsFor(query: string): SearchTerm[] {
    const { dictionary, postings } = this;
    const known = {
      dictionary,
      documentsWith: (id: number) => postings.length(id),
      together: (id: number, other: number) => this.together(id, other),
    };
    return meantBy(query, known).map(({ term, id, weight, name }) => {
      if (id === undefined) return { term, id: NO_TERM, weight, name: undefined, documents: 0, start: 0, mostOften: 0, leastSpread: 0 };
      const [mostOften, leastSpread] = [dictionary.mostOftenIn(id), dictionary.leastSpreadOf(id)];
      return { term, id, weight, name, documents: postings.length(id), start: postings.start(id), mostOften, leastSpread };
    });
  }

  /** Whether one of the first documents of the rarer term holds the other as well. */
  private together(id: number, other: number): boolean {
    const { postings } = this;
    const [rarer, commoner] = postings.length(id) <= postings.length(other) ? [id, other] : [other, id];
    const [start, end] = [postings.start(rarer), postings.start(rarer) + Math.min(postings.length(rarer), MOST_SEEN_TOGETHER)];
    for (let at = start; at < end; at++) if (this.frequencyIn((postings.data[at] as number) >>> FREQUENCY_BITS, commoner) > 0) return true;
    return false;
  }

  private collection(matches: (slot: number) => boolean): Collection {
    return {
      documents: this.slotOf.size,
      end: this.slots.end,
      averageLength: Math.max(1, this.totalLength / this.slotOf.size),
      lengths: this.lengths,
      postings: this.postings.data,
      matches,
      frequencyIn: this.frequencyIn,
    };
  }

  private countTerm(term: string, distinct: number[]): void {
    const id = this.dictionary.findOrAdd(term);
    this.frequencies = grown(this.frequencies, id + 1);
    const frequency = this.frequencies[id] as number;
    if (frequency === 0) distinct.push(id);
    if (frequency < MOST_OFTEN) this.frequencies[id] = frequency + 1;
  }
}
