import { Beginnings } from './beginnings.js';
import type { BinaryReader, BinaryWriter } from './binary.js';
import { grown, Slots } from './growable.js';

/** Numbers the terms that at least one document holds, and bounds how much each can weigh anywhere. */
export class TermDictionary {
  private readonly ids = new Map<string, number>();
  private terms: (string | undefined)[] = [];
  private slots = new Slots();
  private beginnings = new Beginnings();
  private mostOften = new Uint8Array(0);
  private leastSpread = new Float64Array(0);

  get size(): number {
    return this.ids.size;
  }

  /** One beyond the highest id in use. */
  get end(): number {
    return this.slots.end;
  }

  find(term: string): number | undefined {
    return this.ids.get(term);
  }

  /** The shortest terms that begin with this, which has at least three characters; at most so many, ties by the alphabet. */
  beginningWith(start: string, most: number): readonly string[] {
    const found: string[] = [];
    for (const ids of this.beginnings.candidates(start)) for (const id of ids) this.offer(found, most, this.terms[id], start);
    return found;
  }

  /** Terms with the first six characters of this one, or its first three where it is short; in no order, at most so many are gone through. */
  *akinTo(term: string, most: number): Generator<string> {
    let left = most;
    const start = term.slice(0, term.length < LONG ? SHORT_START : LONG_START);
    for (const ids of this.beginnings.candidates(start)) {
      for (const id of ids) {
        if (left-- === 0) return;
        const known = this.terms[id];
        if (known?.startsWith(start)) yield known;
      }
    }
  }

  findOrAdd(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.slots.take();
    this.ids.set(term, id);
    this.terms[id] = term;
    this.list(term, id);
    this.mostOften = grown(this.mostOften, id + 1);
    this.leastSpread = grown(this.leastSpread, id + 1);
    this.mostOften[id] = 0;
    this.leastSpread[id] = Number.POSITIVE_INFINITY;
    return id;
  }

  remove(id: number): void {
    this.ids.delete(this.terms[id] as string);
    this.terms[id] = undefined;
    this.slots.give(id);
  }

  /** Remembers that a document of this length holds the term so often. */
  widen(id: number, frequency: number, length: number): void {
    if (frequency > (this.mostOften[id] as number)) this.mostOften[id] = frequency;
    const spread = length / frequency;
    if (spread < (this.leastSpread[id] as number)) this.leastSpread[id] = spread;
  }

  /** No document that is left holds the term more often; removals may leave it too high. */
  mostOftenIn(id: number): number {
    return this.mostOften[id] as number;
  }

  /** In no document that is left is length divided by frequency smaller; removals may leave it too low. */
  leastSpreadOf(id: number): number {
    return this.leastSpread[id] as number;
  }

  dump(to: BinaryWriter): void {
    to.strings(this.terms.map((term) => term ?? ''));
    to.array(this.mostOften.subarray(0, this.end));
    to.array(this.leastSpread.subarray(0, this.end));
  }

  static load(from: BinaryReader): TermDictionary {
    const dictionary = new TermDictionary();
    const free: number[] = [];
    dictionary.terms = from.strings().map((term, id) => {
      if (term === '') {
        free.push(id);
        return undefined;
      }
      dictionary.ids.set(term, id);
      dictionary.beginnings.add(term, id);
      return term;
    });
    dictionary.slots = new Slots(dictionary.terms.length, free);
    dictionary.mostOften = from.uint8();
    dictionary.leastSpread = from.float64();
    return dictionary;
  }

  /** Puts a term in its place among the `most` shortest, if it begins so and is one of them. */
  private offer(found: string[], most: number, term: string | undefined, start: string): void {
    if (term === undefined || (found.length === most && !shorter(term, found[most - 1] as string))) return;
    if (!term.startsWith(start) || found.includes(term)) return;
    let at = found.length < most ? found.length : most - 1;
    for (; at > 0 && shorter(term, found[at - 1] as string); at--) found[at] = found[at - 1] as string;
    found[at] = term;
  }

  private list(term: string, id: number): void {
    if (this.beginnings.entries > FEW + 2 * this.ids.size) {
      // Terms that came and went would otherwise add up.
      this.beginnings = new Beginnings();
      for (const [known, number] of this.ids) if (number !== id) this.beginnings.add(known, number);
    }
    this.beginnings.add(term, id);
  }
}

/** From so many characters on a term is looked for by its longer beginning. */
const LONG = 8;
const [SHORT_START, LONG_START] = [3, 6];

/** Entries with which nothing is tidied up. */
const FEW = 10_000;

const shorter = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);
