import { stemmer } from 'stemmer';
import { foldAccents, isAscii } from './fold.js';
import { endingsOf, isCompound, partsOf } from './identifiers.js';
import { STOP_WORDS } from './stop-words.js';

/** Raised when the same text gives other terms, so that word indexes that were kept in files are made anew. */
export const TEXT_EDITION = 2;

/**
 * What a document is indexed under. `silent` terms can be found but do not count towards its length: stop words, single CJK characters,
 * emoji and other symbols, names written in one.
 */
export type DocumentTerms = { readonly terms: readonly string[]; readonly silent: readonly string[] };

/** `weight` is 1, or the share of one identifier's part. `name`: spelt out whole, a code or name that means one thing. */
export type QueryTerm = { readonly term: string; readonly weight: number; readonly name?: true };

/** Scripts written without blanks between words (Korean has them, but its endings make whole words useless). */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const LETTER = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]`;
const JOINT = '(?:::|://|[\\-.\\/:\\\\@+~])';
/** Emoji and other symbols, but those that tables and pictures are drawn with and what stands for a lost character. */
const SYMBOL = '[\\p{So}--[\\u2500-\\u259f\\u2800-\\u28ff\\ufffc\\ufffd]]';
const FLAG = '[\\u{1f1e6}-\\u{1f1ff}]{2}';
const SKIN_TONES = '[\\u{1f3fb}-\\u{1f3ff}]';
const SYMBOLS = `${FLAG}|${SYMBOL}${SKIN_TONES}?(?:\\u200d${SYMBOL}${SKIN_TONES}?)*`;
const SYMBOL_FIRST = new RegExp(`^${SYMBOL}`, 'v');
const NOT_SAID = new RegExp(SKIN_TONES, 'gv');
const ANY_CHUNK = new RegExp(`[${UNSPACED}]+|${SYMBOLS}|${LETTER}+(?:${JOINT}${LETTER}+)*(?:\\+\\+|#)?`, 'gv');
const ASCII_CHUNK = /[A-Za-z0-9_]+(?:(?:::|:\/\/|[-./:\\@+~])[A-Za-z0-9_]+)*(?:\+\+|#)?/g;
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'v');
/** Longer names are cut on both sides, so that they still meet. Room for a SHA-512 in hex. */
const LONGEST_TERM = 128;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
/** What no prose is written with: a digit, an underscore, a path, a scope, a capital inside. A hyphen or a dot alone may be prose. */
const CODE = /[\d_/\\@]|::|\p{Ll}\p{Lu}/u;
const CAPITALS = /^[A-Z][A-Z\d]{4,}$/;
const SMALL_LETTER = /\p{Ll}/u;
/** What a symbol weighs beside a word: it may be decoration. */
const SYMBOL_WEIGHT = 0.5;
const ENGLISH_WORD = /^[a-z]{3,}$/;

/** `code`: all capitals, as error names are written (`ECONNREFUSED`). */
type Word = { readonly kind: 'word'; readonly plain: string; readonly stem: string; readonly stop: boolean; readonly code?: true };
type Chunk =
  | Word
  /** `names` are taken as they are; the identifier itself is not among them. */
  | {
      readonly kind: 'identifier';
      readonly whole: string;
      readonly names: readonly string[];
      readonly words: readonly Word[];
      readonly joined: readonly string[];
      readonly code: boolean;
    }
  /** Emoji by what they show, whatever the colour of the skin: the whole, and what it was put together from. */
  | { readonly kind: 'symbol'; readonly symbols: readonly string[] }
  | { readonly kind: 'run'; readonly characters: readonly string[] };

const chunksOf = (text: string): Chunk[] => {
  const folded = foldAccents(text);
  return (folded.match(isAscii(folded) ? ASCII_CHUNK : ANY_CHUNK) ?? []).map(parsedOnce);
};

const CACHE_SIZE = 50_000;
const LONGEST_CACHED = 40;
const cache = new Map<string, Chunk>();
const parsedOnce = (chunk: string): Chunk => {
  if (chunk.length > LONGEST_CACHED) return parsed(chunk);
  const known = cache.get(chunk);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const found = parsed(chunk);
  cache.set(chunk, found);
  return found;
};

const parsed = (chunk: string): Chunk => {
  if (UNSPACED_RUN.test(chunk)) return { kind: 'run', characters: [...chunk] };
  if (SYMBOL_FIRST.test(chunk)) return { kind: 'symbol', symbols: symbolsOf(chunk.replace(NOT_SAID, '')) };
  if (!isCompound(chunk)) return { ...wordOf(chunk.toLowerCase()), ...(CAPITALS.test(chunk) && { code: true as const }) };
  const { names, words, joined } = partsOf(chunk);
  return {
    kind: 'identifier',
    whole: cut(chunk.toLowerCase()),
    names: names.map(cut),
    words: words.map(wordOf),
    joined: joined.map(cut),
    code: CODE.test(chunk),
  };
};

const symbolsOf = (sequence: string): string[] =>
  [...new Set([cut(sequence), ...cut(sequence).split('\u200d')])].filter((symbol) => symbol !== '');

const wordOf = (lowerCased: string): Word => {
  const plain = cut(lowerCased);
  return { kind: 'word', plain, stem: ENGLISH_WORD.test(plain) ? stemmer(plain) : plain, stop: STOP_WORDS.has(plain) };
};

const cut = (term: string): string => (term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM).replace(HALF_A_PAIR, ''));

const pairs = (characters: readonly string[]): string[] => characters.slice(1).map((second, i) => `${characters[i]}${second}`);

/** The terms of a document, in order and with repeats. Pure; any string is accepted. */
export const documentTerms = (text: string): DocumentTerms => {
  const terms: string[] = [];
  const silent: string[] = [];
  const addWord = ({ stop, plain, stem }: Word) => (stop ? silent.push(plain) : terms.push(stem));
  for (const chunk of chunksOf(text)) {
    if (chunk.kind === 'word') addWord(chunk);
    else if (chunk.kind === 'identifier') {
      terms.push(chunk.whole, ...chunk.names);
      silent.push(...chunk.joined);
      for (const word of chunk.words) addWord(word);
    } else if (chunk.kind === 'symbol') silent.push(...chunk.symbols);
    else {
      terms.push(...pairs(chunk.characters));
      silent.push(...chunk.characters);
    }
  }
  return { terms, silent };
};

/**
 * The distinct terms to look for. Stop words are dropped, unless there is nothing else. An identifier weighs 1 as a
 * whole and 1 shared by its parts, so that its exact spelling wins over documents that hold some of its words.
 */
export const queryTerms = (text: string): QueryTerm[] => {
  const weights = new Map<string, number>();
  const stops = new Set<string>();
  const names = new Set<string>();
  const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  // In a text of capitals only they say nothing.
  const capitalsTell = SMALL_LETTER.test(text);
  for (const chunk of chunksOf(text)) {
    if (chunk.kind === 'word') {
      if (chunk.stop) stops.add(chunk.plain);
      else add(chunk.stem, 1);
      if (chunk.code && capitalsTell) names.add(chunk.stem);
    } else if (chunk.kind === 'identifier') {
      add(chunk.whole, 1);
      if (chunk.code) names.add(chunk.whole);
      const parts = [...chunk.names, ...chunk.words.filter((word) => !word.stop).map((word) => word.stem)];
      for (const part of parts) add(part, 1 / parts.length);
    } else if (chunk.kind === 'symbol') {
      const [whole = '', ...parts] = chunk.symbols;
      add(whole, SYMBOL_WEIGHT);
      for (const part of parts) add(part, SYMBOL_WEIGHT / parts.length);
    } else for (const term of chunk.characters.length === 1 ? chunk.characters : pairs(chunk.characters)) add(term, 1);
  }
  const found = weights.size > 0 ? weights : new Map([...stops].map((stop) => [stop, 1]));
  return [...found].map(([term, weight]) => ({ term, weight, ...(names.has(term) && { name: true as const }) }));
};

/** How a text ends: in its last word or identifier, and in what that ends in from each of its parts on. Lower-cased as terms are. */
export type Ending = { readonly whole: string; readonly isWord: boolean; readonly tails: readonly string[] };

const LAST_BLANK_FREE = /\S+$/;
const OPEN_END = /[/\\:@-]+$/;

/** Undefined where a text ends in a stop word, in a mark that closes a word, in a symbol, or in a script without blanks. */
export const endingOf = (text: string): Ending | undefined => {
  const [end] = LAST_BLANK_FREE.exec(text.slice(-2 * LONGEST_TERM)) ?? [];
  const folded = foldAccents(end ?? '').replace(OPEN_END, '');
  const chunk = folded.match(isAscii(folded) ? ASCII_CHUNK : ANY_CHUNK)?.at(-1);
  if (chunk === undefined || chunk.length > LONGEST_TERM || !folded.endsWith(chunk)) return undefined;
  const last = parsedOnce(chunk);
  if (last.kind === 'run' || last.kind === 'symbol' || (last.kind === 'word' && last.stop)) return undefined;
  return { whole: chunk.toLowerCase(), isWord: last.kind === 'word', tails: endingsOf(chunk) };
};
