import { stemOf } from '../../domain/text/tokens.js';
import type { TermDictionary } from './term-dictionary.js';

/** A term that a word which no memory holds may mean, with what it is worth beside the word itself. */
export type NearTerm = { readonly term: string; readonly weight: number; readonly isSlip?: true };

/** Shorter words are like too many others. */
const SHORTEST = 5;
const WORD = /^\p{L}+$/u;
const FIGURES = /\d+/g;
/** Endings of German nouns and adjectives, the longest first, from words that are long enough to lose them. */
const ENDING = /(?<=.{5})(?:ern|en|em|er|es|e|n|s)$/u;
/** Letters between the parts of a German compound. */
const LINK = /^(?:es|s|en|n|er|e)?$/;
/** Parts of a compound. */
const SHORTEST_PART = 4;
const WORTH = { begun: 0.8, halves: 0.9, misspelt: 0.8 } as const;
const MOST_BEGUN = 4;
const MOST_SEEN = 2_000;

/**
 * What to look for in place of a word that no memory holds: another ending of it or a compound that it begins (`Rechnungen` for
 * `Rechnungslauf`), else its two halves (`Datenbankverbindung`, `loadtest`), else the one term that it is a slip of (`lastSenAt`).
 * Of an identifier only slips are looked for, and never in its figures.
 */
export const nearTerms = (word: string, dictionary: TermDictionary): readonly NearTerm[] => {
  if (word.length < SHORTEST) return [];
  if (WORD.test(word)) {
    const begun = begunBy(word, dictionary);
    if (begun.length > 0) return begun.map((term) => ({ term, weight: WORTH.begun / begun.length }));
    const halves = halvesOf(word, dictionary);
    if (halves.length > 0) return halves.map((term) => ({ term, weight: WORTH.halves / halves.length }));
  }
  const meant = misspelt(word, dictionary);
  return meant === undefined ? [] : [{ term: meant, weight: WORTH.misspelt, isSlip: true }];
};

const begunBy = (word: string, dictionary: TermDictionary): readonly string[] => {
  const base = word.replace(ENDING, '');
  return dictionary
    .beginningWith(base, 2 * MOST_BEGUN)
    .filter((term) => WORD.test(term))
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

const figuresOf = (text: string): string => text.match(FIGURES)?.join(' ') ?? '';

/** The nearest term by letters left out, added, changed or swapped, if there is one near enough and no second as near. */
const misspelt = (word: string, dictionary: TermDictionary): string | undefined => {
  if (word.length < SHORTEST + 1) return undefined;
  const most = word.length < 10 ? 1 : 2;
  const figures = figuresOf(word);
  let best: string | undefined;
  let distance = most + 1;
  for (const term of dictionary.akinTo(word, MOST_SEEN)) {
    if (Math.abs(term.length - word.length) > most || term === best || figuresOf(term) !== figures) continue;
    const apart = slips(word, term, distance);
    if (apart < distance) [best, distance] = [term, apart];
    else if (apart === distance && apart <= most && best !== undefined && term < best) best = term;
  }
  return best;
};

/**
 * Optimal string alignment (Damerau and Levenshtein with every pair swapped at most once): how many letters to leave out, add, change
 * or swap with the next. Answers `enough` as soon as it is sure to be no less.
 */
export const slips = (a: string, b: string, enough: number): number => {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > enough) return enough;
    [before, last] = [last, row];
  }
  return Math.min(enough, last[b.length] ?? enough);
};
