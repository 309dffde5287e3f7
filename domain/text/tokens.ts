import { stemmer } from 'stemmer';
import { foldAccents, isAscii } from './fold.js';
import { isCompound, partsOf } from './identifiers.js';
import { STOP_WORDS } from './stop-words.js';

/** What a document is indexed under. `silent` terms can be found but do not count towards its length: stop words, single CJK characters. */
export type DocumentTerms = { readonly terms: readonly string[]; readonly silent: readonly string[] };

/** `weight` is 1, or the share of one identifier's part. */
export type QueryTerm = { readonly term: string; readonly weight: number };

/** Scripts written without blanks between words (Korean has them, but its endings make whole words useless). */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const LETTER = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]`;
const JOINT = '(?:::|://|[\\-.\\/:\\\\@+~])';
const ANY_CHUNK = new RegExp(`(?<run>[${UNSPACED}]+)|${LETTER}+(?:${JOINT}${LETTER}+)*(?:\\+\\+|#)?`, 'gv');
const ASCII_CHUNK = /[A-Za-z0-9_]+(?:(?:::|:\/\/|[-./:\\@+~])[A-Za-z0-9_]+)*(?:\+\+|#)?/g;
/** Longer names are cut on both sides, so that they still meet. Room for a SHA-512 in hex. */
const LONGEST_TERM = 128;
const ENGLISH_WORD = /^[a-z]{3,}$/;

const STEM_CACHE_SIZE = 50_000;
const stems = new Map<string, string>();
const stem = (word: string): string => {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const found = ENGLISH_WORD.test(word) ? stemmer(word) : word;
  if (stems.size >= STEM_CACHE_SIZE) stems.clear();
  stems.set(word, found);
  return found;
};

type Visitor = {
  word(word: string): void;
  /** `names` are taken as they are, `words` are plain words; the identifier itself is among neither. */
  identifier(whole: string, names: readonly string[], words: readonly string[]): void;
  run(characters: readonly string[]): void;
};

const visit = (text: string, to: Visitor): void => {
  const folded = foldAccents(text);
  for (const match of folded.matchAll(isAscii(folded) ? ASCII_CHUNK : ANY_CHUNK)) {
    const chunk = match[0];
    if (match.groups?.run !== undefined) to.run([...chunk]);
    else if (isCompound(chunk)) {
      const { names, words } = partsOf(chunk);
      to.identifier(cut(chunk.toLowerCase()), names.map(cut), words.map(cut));
    } else to.word(cut(chunk.toLowerCase()));
  }
};

const HALF_A_PAIR = /[\ud800-\udbff]$/;
const cut = (term: string): string => (term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM).replace(HALF_A_PAIR, ''));

const pairs = (characters: readonly string[]): string[] => characters.slice(1).map((second, i) => `${characters[i]}${second}`);

/** The terms of a document, in order and with repeats. Pure; any string is accepted. */
export const documentTerms = (text: string): DocumentTerms => {
  const terms: string[] = [];
  const silent: string[] = [];
  const word = (plain: string) => {
    if (STOP_WORDS.has(plain)) silent.push(plain);
    else terms.push(stem(plain));
  };
  visit(text, {
    word,
    identifier(whole, names, words) {
      terms.push(whole, ...names);
      for (const part of words) word(part);
    },
    run(characters) {
      terms.push(...pairs(characters));
      silent.push(...characters);
    },
  });
  return { terms, silent };
};

/**
 * The distinct terms to look for. Stop words are dropped, unless there is nothing else. An identifier weighs 1 as a
 * whole and 1 shared by its parts, so that its exact spelling wins over documents that hold some of its words.
 */
export const queryTerms = (text: string): QueryTerm[] => {
  const weights = new Map<string, number>();
  const stops = new Set<string>();
  const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  visit(text, {
    word(plain) {
      if (STOP_WORDS.has(plain)) stops.add(plain);
      else add(stem(plain), 1);
    },
    identifier(whole, names, words) {
      add(whole, 1);
      const parts = [...names, ...words.filter((part) => !STOP_WORDS.has(part)).map(stem)];
      for (const part of parts) add(part, 1 / parts.length);
    },
    run(characters) {
      for (const term of characters.length === 1 ? characters : pairs(characters)) add(term, 1);
    },
  });
  const found = weights.size > 0 ? weights : new Map([...stops].map((stop) => [stop, 1]));
  return [...found].map(([term, weight]) => ({ term, weight }));
};
