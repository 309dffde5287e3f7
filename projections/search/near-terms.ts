import { stemOf } from '../../domain/text/tokens.js';
import type { TermDictionary } from './term-dictionary.js';

/** A term that a word which no memory holds may mean, with what it is worth beside the word itself. */
export type NearTerm = { readonly term: string; readonly weight: number };

/** How a query writes a word. */
export type Writing = {
  /** In small letters only, with no mark in it or next to it. */
  readonly isPlain: boolean;
  readonly isGerman: boolean;
};

/** Shorter words are like too many others. */
const SHORTEST = 5;
const SHORTEST_MISSPELT = 6;
const LONGEST_MISSPELT = 40;
const WORD = /^\p{L}+$/u;
/** Endings of German nouns and adjectives, the longest first, from words that are long enough to lose them. */
const ENDING = /(?<=.{5})(?:ern|en|em|er|es|e|n|s)$/u;
/** Of compounds; alone they do not show that a query is German. */
const GERMAN_NOUN = /.{6}(?:ung|ungen|schaft|schaften|keit|keiten|heiten)$/u;
/** What is done, by the verb that does it: `Stornierung`, `stornieren`. */
const GERMAN_DEED = /(?<=.{4})ung(?:en)?$/u;
/** Letters between the parts of a German compound. */
const LINK = /^(?:es|s|en|n|er|e)?$/;
/** Parts of a compound. */
const SHORTEST_PART = 4;
const WORTH = { begun: 0.8, halves: 0.9, misspelt: 0.8 } as const;
const MOST_BEGUN = 4;
/** `Katrina` is another than `Katrin`; a compound has more behind its first noun. */
const LEAST_BEHIND_A_NAME = 4;
const MOST_SEEN = 500;

/**
 * What to look for in place of a word that no memory holds: the verb of a German noun (`Stornierung`), another ending of it or a
 * compound that it begins (`Rechnungen` for `Rechnungslauf`), else in German its two halves (`Datenbankverbindung`), else the one word
 * that it is a slip of (`distutlis`).
 * Codes, figures and names stand for themselves: nothing is near an identifier, no slip near a word with a capital.
 */
export const nearTerms = (word: string, { isPlain, isGerman }: Writing, dictionary: TermDictionary): readonly NearTerm[] => {
  if (word.length < SHORTEST || !WORD.test(word)) return [];
  const verb = word.replace(GERMAN_DEED, 'en');
  if (verb !== word && dictionary.find(verb) !== undefined) return [{ term: verb, weight: WORTH.begun }];
  const begun = begunBy(word, isPlain || isGerman ? 0 : LEAST_BEHIND_A_NAME, dictionary);
  if (begun.length > 0) return begun.map((term) => ({ term, weight: WORTH.begun / begun.length }));
  const halves = isGerman || GERMAN_NOUN.test(word) ? halvesOf(word, dictionary) : [];
  if (halves.length > 0) return halves.map((term) => ({ term, weight: WORTH.halves / halves.length }));
  const meant = isPlain ? (misspelt(word, dictionary) ?? misspeltBehindStem(word, dictionary)) : undefined;
  return meant === undefined ? [] : [{ term: meant, weight: WORTH.misspelt }];
};

const begunBy = (word: string, leastBehind: number, dictionary: TermDictionary): readonly string[] => {
  const base = word.replace(ENDING, '');
  return dictionary
    .beginningWith(base, 2 * MOST_BEGUN)
    .filter((term) => WORD.test(term) && (term === base || term.length >= base.length + leastBehind))
    .slice(0, MOST_BEGUN);
};

/** The two known words that this one is put together from, the halves as even as they can be. */
const halvesOf = (word: string, dictionary: TermDictionary): readonly string[] => {
  let best: readonly string[] = [];
  let evenness = 0;
  for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++) {
    const second = [word.slice(at), stemOf(word.slice(at)), word.slice(at).replace(ENDING, '')].find(
      (half) => dictionary.find(half) !== undefined,
    );
    const even = Math.min(at, word.length - at);
    if (second === undefined || even <= evenness) continue;
    const first = firstHalf(word.slice(0, at), dictionary);
    if (first === undefined) continue;
    [best, evenness] = [[first, second], even];
  }
  return best;
};

const firstHalf = (half: string, dictionary: TermDictionary): string | undefined => {
  for (let end = half.length; end >= Math.max(SHORTEST_PART, half.length - 2); end--) {
    if (!LINK.test(half.slice(end))) continue;
    const known = [half.slice(0, end), stemOf(half.slice(0, end))].find((term) => dictionary.find(term) !== undefined);
    if (known !== undefined) return known;
  }
  return undefined;
};

/** The nearest word by letters left out, added, changed or swapped, if there is one near enough; of two as near the first by the alphabet. */
const misspelt = (word: string, dictionary: TermDictionary): string | undefined => {
  if (word.length < SHORTEST_MISSPELT || word.length > LONGEST_MISSPELT) return undefined;
  const most = word.length < 10 ? 1 : 2;
  let best: string | undefined;
  let distance = most + 1;
  for (const term of dictionary.akinTo(word, MOST_SEEN)) {
    if (Math.abs(term.length - word.length) > Math.min(most, distance) || term === best || !WORD.test(term)) continue;
    const apart = slips(word, term, distance);
    if (apart < distance) [best, distance] = [term, apart];
    else if (apart === distance && best !== undefined && term < best) best = term;
  }
  return best;
};

/** Long endings that a term is without. */
const LOST_ENDINGS = 'ation ations ication ications ization izations ement ements ational ability'.split(' ');

/** The longest term that a word begins with, where what follows is a slip of an ending that terms lose: `deduplicaton`. */
const misspeltBehindStem = (word: string, dictionary: TermDictionary): string | undefined => {
  let best: string | undefined;
  for (const term of dictionary.akinTo(word, MOST_SEEN)) {
    if (term.length < SHORTEST || term.length <= (best?.length ?? 0) || !word.startsWith(term)) continue;
    const ending = word.slice(term.length);
    if (LOST_ENDINGS.some((lost) => slips(ending, lost, 2) === 1)) best = term;
  }
  return best;
};

/** Three rows of distances, kept from one pair of words to the next. */
let rows: readonly [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];
const MOST_SLIPS = 255;

/**
 * Optimal string alignment (Damerau and Levenshtein with every pair swapped at most once): how many letters to leave out, add, change
 * or swap with the next. Answers `enough` as soon as it is sure to be no less; only cells that near the diagonal are filled (Ukkonen).
 */
export const slips = (a: string, b: string, enough: number): number => {
  const limit = Math.min(enough, MOST_SLIPS - 1);
  if (Math.abs(a.length - b.length) >= limit) return limit;
  if (rows[0].length <= b.length) rows = [new Uint8Array(b.length + 1), new Uint8Array(b.length + 1), new Uint8Array(b.length + 1)];
  let [before, last, row] = rows;
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, limit);
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - limit), Math.min(b.length, i + limit)];
    row[from - 1] = from === 1 ? Math.min(i, limit) : limit;
    let least = row[from - 1] as number;
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      const above = j === i + limit ? limit : (last[j] as number);
      let cost = Math.min(above + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + same, limit);
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least >= limit) return limit;
    [before, last, row] = [last, row, before];
  }
  return Math.min(limit, last[b.length] as number);
};
