import { foldForMatching, UNSPACED_SCRIPTS } from './characters.js';

const MARK = '...';
/** How far a cut may move to fall between words, in UTF-16 units. */
const WORD_SLACK = 24;
/** Enough text before a position to find the start of any sane grapheme. */
const GRAPHEME_REACH = 64;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const startsMidPair = (text: string, index: number): boolean => {
  const low = text.charCodeAt(index);
  const high = text.charCodeAt(index - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
};

/** The nearest place at or before `index` that splits no surrogate pair and no grapheme (of sane length). */
const cutBefore = (text: string, index: number): number => {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = Math.max(0, index - GRAPHEME_REACH);
  const base = startsMidPair(text, from) ? from - 1 : from;
  const segment = graphemes.segment(text.slice(base, index + GRAPHEME_REACH)).containing(index - base);
  const start = base + (segment?.index ?? index - base);
  if (start > base || base === 0) return start;
  return startsMidPair(text, index) ? index - 1 : index;
};

/** The longest prefix of at most `length` UTF-16 units that splits no grapheme. When the first grapheme is longer, no surrogate pair. */
export const clip = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const cut = cutBefore(text, length);
  return text.slice(0, cut > 0 ? cut : Math.max(0, startsMidPair(text, length) ? length - 1 : length));
};

type Hit = { readonly start: number; readonly end: number; readonly term: number };

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/** A word of the text answers a term when they are equal, or when either is a long prefix of the other (deploy, deploys). */
const answers = (word: string, term: string): boolean =>
  word === term ||
  (UNSPACED.test(term) && word.includes(term)) ||
  (term.length >= 4 && word.length >= 4 && (word.startsWith(term) || (term.startsWith(word) && term.length - word.length <= 3)));

const findHits = (text: string, terms: readonly string[]): Hit[] => {
  const wanted = [...new Set(terms.flatMap((term) => foldForMatching(term).match(WORD) ?? []))];
  const answered = new Map<string, readonly number[]>();
  const hits: Hit[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const folded = word.toLowerCase();
    let found = answered.get(folded);
    if (!found) {
      const form = foldForMatching(word);
      found = wanted.flatMap((term, at) => (answers(form, term) ? [at] : []));
      answered.set(folded, found);
    }
    for (const term of found) {
      const inside = UNSPACED.test(word) ? Math.max(0, folded.indexOf(wanted[term] ?? '')) : 0;
      hits.push({ start: index + inside, end: index + (inside > 0 ? inside + (wanted[term] ?? '').length : word.length), term });
    }
  }
  return hits;
};

/** The run of hits that fits in `length` and answers most different terms; then most hits; then the first. */
const densest = (hits: readonly Hit[], length: number): { readonly start: number; readonly end: number } | undefined => {
  let best: { start: number; end: number; terms: number; hits: number } | undefined;
  const counts = new Map<number, number>();
  let last = 0;
  for (const [first, { start, term }] of hits.entries()) {
    for (let next = hits[last]; next !== undefined && (last === first || next.end - start <= length); next = hits[++last])
      counts.set(next.term, (counts.get(next.term) ?? 0) + 1);
    const end = hits[last - 1]?.end ?? start;
    const size = last - first;
    if (!best || counts.size > best.terms || (counts.size === best.terms && size > best.hits))
      best = { start, end, terms: counts.size, hits: size };
    const left = (counts.get(term) ?? 1) - 1;
    if (left > 0) counts.set(term, left);
    else counts.delete(term);
  }
  return best;
};

const isBlankAt = (text: string, index: number): boolean => /\s/u.test(text.charAt(index));

/** Moves a start forward to the beginning of a word, at most `WORD_SLACK` and never beyond `limit`. */
const wordStart = (text: string, start: number, limit: number): number => {
  if (start === 0 || isBlankAt(text, start - 1)) return start;
  for (let at = start; at < Math.min(start + WORD_SLACK, limit); at++) if (isBlankAt(text, at)) return at + 1;
  return start;
};

/** Moves an end back to the end of a word, at most `WORD_SLACK` and never before `limit`. */
const wordEnd = (text: string, end: number, limit: number): number => {
  if (end === text.length || isBlankAt(text, end)) return end;
  for (let at = end - 1; at >= Math.max(end - WORD_SLACK, limit); at--) if (isBlankAt(text, at)) return at;
  return end;
};

/**
 * The part of `text` that answers the query best: a window of at most `length` UTF-16 units around the densest run of `terms` (lower case),
 * or the beginning when no term occurs. Cut between graphemes and, where near, between words; `...` stands where text was left out and is
 * not counted in `length`.
 */
export const passageAround = (text: string, terms: readonly string[], length: number): string => {
  if (text.length <= length) return text;
  const run = densest(findHits(text, terms), length) ?? { start: 0, end: 0 };
  const runEnd = Math.min(run.end, run.start + length);
  const slack = Math.max(0, length - (runEnd - run.start));
  const from = Math.min(Math.max(0, run.start - Math.floor(slack / 2)), text.length - length);
  const start = cutBefore(text, wordStart(text, from, run.start));
  const end = cutBefore(text, wordEnd(text, Math.min(text.length, start + length), runEnd));
  const body = end > start ? text.slice(start, end) : clip(text.slice(start), length);
  return `${start > 0 ? MARK : ''}${body.trim()}${start + body.length < text.length ? MARK : ''}`;
};
