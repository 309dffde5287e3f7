import { stemmer } from 'stemmer';
import { datesIn, MONTH_NAMES, mayHoldFiguresOfDates } from './dates.js';
import { foldAccents, isAscii } from './fold.js';
import { endingsOf, isCompound, LONGEST_TERM, partsOf } from './identifiers.js';
import { PARTICLE_WORDS, pairsIn, phrasalPairsIn } from './joins.js';
import { functionWordsIn } from './languages.js';
import { isNumberOrStamp, isPasted, linesOfLog, tellsOfTrouble } from './pasted.js';
import { NUMBER_WORDS, quantitiesIn } from './quantities.js';
import { runTerms } from './runs.js';
import { isNameInCapitals } from './shouted.js';
import { oneSpelling } from './spelling.js';
import { STOP_WORDS } from './stop-words.js';

/** Raised when the same text gives other terms, so that word indexes that were kept in files are made anew. */
export const TEXT_EDITION = 5;

/**
 * What a document is indexed under. `silent` terms can be found but do not count towards its length: stop words, single CJK characters,
 * emoji and other symbols, names written in one, names in capitals as they are written (no other term has a capital), dates and
 * quantities as one writes them everywhere (`@03-11`, `#8gb`).
 */
export type DocumentTerms = { readonly terms: readonly string[]; readonly silent: readonly string[] };

/**
 * `weight` is 1, or the share of one identifier's part. `name`: spelt out whole, a code or name that means one thing. `capitals`: the
 * term of a name in capitals as it is written, of memories that write it so. `of`: the identifiers that it is a part of, where it is
 * nothing else.
 */
export type QueryTerm = {
  readonly term: string;
  readonly weight: number;
  readonly name?: true;
  readonly capitals?: string;
  readonly of?: readonly string[];
};

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
const HALF_A_PAIR = /[\ud800-\udbff]$/;
/** What no prose is written with: a digit, an underscore, a path, a scope, a capital inside. A hyphen or a dot alone may be prose. */
const CODE = /[\d_/\\@]|::|\p{Ll}\p{Lu}/u;
/** A capital inside a short word is a brand that many memories may speak of: `iOS`, `macOS`. */
const BRAND = /^\p{Ll}+\p{Lu}+$/u;
const DIGIT = /\d/;
const SMALL_LETTER = /\p{Ll}/u;
/** What a symbol weighs beside a word: it may be decoration. */
const SYMBOL_WEIGHT = 0.5;
const ENGLISH_WORD = /^[a-z]{3,}$/;

/** `capitals`: as it is written where error names are written so (`ECONNREFUSED`). `code`: so, and with figures (`PROJ4711`). */
type Word = {
  readonly kind: 'word';
  readonly plain: string;
  readonly stem: string;
  readonly stop: boolean;
  readonly capitals?: string;
  readonly code?: true;
};
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

const chunksOf = (folded: string): Chunk[] => (folded.match(isAscii(folded) ? ASCII_CHUNK : ANY_CHUNK) ?? []).map(parsedOnce);

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
  if (!isCompound(chunk)) {
    const word = wordOf(chunk.toLowerCase());
    if (word.stop || !isNameInCapitals(chunk)) return word;
    return DIGIT.test(chunk) ? { ...word, code: true } : { ...word, capitals: cut(chunk) };
  }
  const { names, words, joined } = partsOf(chunk);
  return {
    kind: 'identifier',
    whole: cut(chunk.toLowerCase()),
    names: names.map(cut),
    words: words.map(wordOf),
    joined: joinedForms(chunk, joined),
    code: CODE.test(chunk) && !BRAND.test(chunk),
  };
};

const symbolsOf = (sequence: string): string[] =>
  [...new Set([cut(sequence), ...cut(sequence).split('\u200d')])].filter((symbol) => symbol !== '');

const wordOf = (lowerCased: string): Word => {
  const plain = cut(lowerCased);
  return { kind: 'word', plain, stem: stemOf(plain), stop: STOP_WORDS.has(plain) };
};

/** What a lower-cased word is indexed under: without its English ending, in one spelling. */
export const stemOf = (plain: string): string => {
  const known = stems.get(plain);
  if (known !== undefined) return known;
  if (!ENGLISH_WORD.test(plain)) return plain;
  const stem = stemmer(oneSpelling(plain));
  if (stems.size >= CACHE_SIZE) stems.clear();
  if (plain.length <= LONGEST_CACHED) stems.set(plain, stem);
  return stem;
};
const stems = new Map<string, string>();

/** Names written in one, as a code (`noVerify`) and as a word (`noverify`) is indexed. */
const joinedForms = (chunk: string, joined: readonly string[]): string[] => {
  const whole = chunk.toLowerCase();
  return [...new Set([...joined.flatMap((one) => [cut(one), stemOf(cut(one))]), stemOf(whole)])].filter((one) => one !== whole);
};

const cut = (term: string): string => (term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM).replace(HALF_A_PAIR, ''));

const pairs = (characters: readonly string[]): string[] => characters.slice(1).map((second, i) => `${characters[i]}${second}`);

/** Of many more than a call takes as arguments. */
const append = (to: string[], more: readonly string[]): void => {
  for (const one of more) to.push(one);
};

type Telling = 'date' | 'quantity' | 'pair';
/** Words without which a text holds no date, quantity or phrasal verb that is not in figures; most texts hold few. */
const TELLING: ReadonlyMap<string, Telling> = new Map<string, Telling>([
  ...MONTH_NAMES.map((name) => [name, 'date'] as const),
  ...NUMBER_WORDS.map((name) => [name, 'quantity'] as const),
  ...PARTICLE_WORDS.map((name) => [name, 'pair'] as const),
]);
/** The terms of a document, in order and with repeats. Pure; any string is accepted. */
export const documentTerms = (text: string): DocumentTerms => {
  const terms: string[] = [];
  const silent: string[] = [];
  const told = new Set<Telling>();
  const addWord = ({ stop, plain, stem, capitals }: Word) => {
    if (stop) silent.push(plain);
    else terms.push(stem);
    if (capitals !== undefined) silent.push(capitals);
    const telling = TELLING.get(plain);
    if (telling !== undefined) told.add(telling);
  };
  const folded = foldAccents(text);
  for (const chunk of chunksOf(folded)) {
    if (chunk.kind === 'word') addWord(chunk);
    else if (chunk.kind === 'identifier') {
      terms.push(chunk.whole);
      append(terms, chunk.names);
      append(silent, chunk.joined);
      for (const word of chunk.words) addWord(word);
    } else if (chunk.kind === 'symbol') silent.push(...chunk.symbols);
    else {
      append(terms, pairs(chunk.characters));
      append(silent, chunk.characters);
    }
  }
  const hasFigures = DIGIT.test(folded);
  if (told.has('date') || (hasFigures && mayHoldFiguresOfDates(folded))) for (const date of datesIn(folded)) append(silent, date.terms);
  if (told.has('quantity') || hasFigures) for (const quantity of quantitiesIn(folded)) append(silent, quantity.terms);
  if (told.has('pair')) for (const pair of phrasalPairsIn(folded)) append(silent, joinedPair(pair));
  return { terms, silent };
};

/** Two words written in one, the first with and without its ending: `timed out` is `timeout` as well. */
const joinedPair = ({ first, second }: { readonly first: string; readonly second: string }): string[] => {
  const stem = stemOf(first);
  return [...new Set([stemOf(first + second), ...(first.startsWith(stem) ? [stemOf(stem + second)] : [])])];
};

/**
 * The distinct terms to look for. Stop words are dropped, and of German, French and Spanish the function words, unless there is nothing
 * else. An identifier weighs 1 as a whole and 1 shared by its parts, so that its exact spelling wins over documents that hold some of
 * its words.
 */
export const queryTerms = (text: string): QueryTerm[] => {
  const weights = new Map<string, number>();
  const stops = new Set<string>();
  const names = new Set<string>();
  const capitals = new Map<string, string>();
  const wholes = new Map<string, string[]>();
  const alone = new Set<string>();
  const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  // In a text of capitals only they say nothing.
  const capitalsTell = SMALL_LETTER.test(text);
  const pasted = isPasted(text);
  const silent = new Set([...functionWordsIn(text)].map(foldAccents));
  for (const chunk of chunksOf(foldAccents(text))) {
    if (chunk.kind === 'word') {
      if (chunk.stop || silent.has(chunk.plain)) stops.add(chunk.stop ? chunk.plain : chunk.stem);
      else {
        add(chunk.stem, 1);
        alone.add(chunk.stem);
        if (chunk.capitals !== undefined && capitalsTell) capitals.set(chunk.stem, chunk.capitals);
        if (chunk.code && capitalsTell) names.add(chunk.stem);
      }
    } else if (chunk.kind === 'identifier') {
      add(chunk.whole, 1);
      if (chunk.code && !(pasted && isNumberOrStamp(chunk.whole))) names.add(chunk.whole);
      const parts = [...chunk.names, ...chunk.words.filter((word) => !word.stop).map((word) => word.stem)];
      for (const part of parts) {
        add(part, 1 / (chunk.names.length + chunk.words.length));
        wholes.set(part, [...(wholes.get(part) ?? []), chunk.whole]);
      }
    } else if (chunk.kind === 'symbol') {
      const [whole = '', ...parts] = chunk.symbols;
      add(whole, SYMBOL_WEIGHT);
      for (const part of parts) add(part, SYMBOL_WEIGHT / parts.length);
    } else for (const { term, weight } of runTerms(chunk.characters)) add(term, weight);
  }
  if (pasted) weighByLines(weights, text);
  const found = weights.size > 0 ? weights : new Map([...stops].map((stop) => [stop, 1]));
  return [...found].map(([term, weight]) => {
    const of = alone.has(term) ? undefined : wholes.get(term);
    const inCapitals = capitals.get(term);
    return {
      term,
      weight,
      ...(names.has(term) && { name: true as const }),
      ...(inCapitals !== undefined && { capitals: inCapitals }),
      ...(of && { of }),
    };
  });
};

const termsOfChunk = (chunk: Chunk): readonly string[] => {
  if (chunk.kind === 'word') return [chunk.stem];
  if (chunk.kind === 'identifier') return [chunk.whole, ...chunk.names, ...chunk.words.map(({ stem }) => stem)];
  return chunk.kind === 'symbol' ? chunk.symbols : [];
};

/**
 * What every line of a log says is not what it was pasted for: the lines that a term stands in share its weight, but for those that
 * tell of trouble, however often it was met.
 */
const weighByLines = (weights: Map<string, number>, text: string): void => {
  const lines = new Map<string, { all: number; trouble: number }>();
  for (const line of linesOfLog(text) ?? []) {
    const trouble = tellsOfTrouble(line) ? 1 : 0;
    for (const term of new Set(chunksOf(foldAccents(line)).flatMap(termsOfChunk))) {
      const before = lines.get(term);
      lines.set(term, { all: (before?.all ?? 0) + 1, trouble: (before?.trouble ?? 0) + trouble });
    }
  }
  for (const [term, { all, trouble }] of lines) {
    const weight = weights.get(term);
    if (weight !== undefined) weights.set(term, (weight * Math.max(1, trouble)) / all);
  }
};

/** One thing that a query says in several words or signs. */
export type Saying = {
  /** What it may be known by, the most exact first. */
  readonly terms: readonly string[];
  /** The terms of `queryTerms` that it is made of. */
  readonly parts: () => readonly string[];
  /**
   * A day; `loose` is its form in memories that name no year, and for a query without a year in those that do. One of a pasted text
   * is no name.
   */
  readonly day?: { readonly loose: string; readonly hasYear: boolean; readonly mayName: boolean };
  /** Two words that may be written in one; whoever writes them apart is not found by the joined form. */
  readonly pair: boolean;
};

/** Dates, quantities and pairs of words that a query names; of a pasted text no pairs: there are many, and the other words say enough. */
export const sayingsOf = (text: string): Saying[] => {
  const folded = foldAccents(text);
  const pasted = isPasted(text);
  const partsOf = (from: number, to: number) => () => queryTerms(folded.slice(from, to)).map(({ term }) => term);
  return [
    ...datesIn(folded).map(({ from, to, exact, loose, hasYear }) => ({
      terms: [exact],
      parts: partsOf(from, to),
      pair: false,
      ...(loose !== undefined && { day: { loose, hasYear, mayName: !pasted } }),
    })),
    ...quantitiesIn(folded).map(({ from, to, terms }) => ({ terms, parts: partsOf(from, to), pair: false })),
    ...(pasted ? [] : pairsIn(folded))
      .filter(({ first, second }) => !(STOP_WORDS.has(first) && STOP_WORDS.has(second)) && !STOP_WORDS.has(first + second))
      .map((pair) => ({
        terms: joinedPair(pair),
        parts: () => [pair.first, pair.second].filter((word) => !STOP_WORDS.has(word)).map(stemOf),
        pair: !pair.phrasal,
      })),
  ];
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
