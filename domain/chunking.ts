import { UNSPACED_SCRIPTS } from './characters.js';
import { DomainError } from './errors.js';
import { clip } from './passage.js';
import { type ChunkStrategy, LIMITS } from './vocabulary.js';

/** Words in a window of `fixed_tokens`. */
export const DEFAULT_CHUNK_SIZE = 200;
const OVERLAP = 0.1;

const TURN_MARKER = /^[^\S\n]*(user|assistant|system)[^\S\n]*:/gim;

/** A user turn with the assistant turn that answers it; any other turn, and the text before the first, alone. */
const turnPairs = (text: string): string[] => {
  const turns = [...text.matchAll(TURN_MARKER)].map(({ index, 1: speaker }) => ({ index, speaker: speaker?.toLowerCase() }));
  const starts = turns.filter((turn, at) => !(turn.speaker === 'assistant' && turns[at - 1]?.speaker === 'user')).map(({ index }) => index);
  return [0, ...starts].map((start, at) => text.slice(start, starts[at]));
};

/** A stop after one of these ends no sentence; nor does one after initials (J. R. R., U.S.). */
const ABBREVIATION =
  /(?<![\p{L}.])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|cf|approx|ca|al|inc|ltd|corp|dept|est|z\.b|d\.h|bzw)\.$/iu;
const INITIALS = /(?<!\p{L})(?:\p{Lu}\.)*\p{Lu}\.$/u;
/** An end mark, closing quotes, then a blank before a capital, quote or bracket; or a full-width end mark, which needs no blank. */
const SENTENCE_END = /[.!?]["'”’»)\]]*(?=\s+["'“‘«([\p{Lu}\p{Lo}])|[。！？]["'”’」』）]*/gu;

const sentences = (text: string): string[] => {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(SENTENCE_END)) {
    const end = index + mark.length;
    const tail = text.slice(Math.max(start, end - 16), end);
    if (mark === '.' && (ABBREVIATION.test(tail) || INITIALS.test(tail))) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
};

const BLANK_LINES = /\r?\n(?:[^\S\n]*\n)+/gu;
/** Headings and nothing else: a line of `#`, or one underlined by `=` or `-`. */
const ONLY_HEADINGS = /^(?:\s*(?:#{1,6}\s[^\n]*|[^\n]+\r?\n(?:=+|-{2,}))\s*)+$/u;

/** Parts between blank lines; a heading stays with the text that follows it, however many headings stand above. */
const paragraphs = (text: string): string[] => {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: gap, index } of [...text.matchAll(BLANK_LINES)]) {
    const part = text.slice(start, index);
    if (ONLY_HEADINGS.test(part) || part.trim() === '') continue;
    parts.push(part);
    start = index + gap.length;
  }
  return [...parts, text.slice(start)];
};

/** A word, or one character of a script that does not separate words. */
const WINDOW_WORD = new RegExp(`[${UNSPACED_SCRIPTS}]|[^\\s${UNSPACED_SCRIPTS}]+`, 'gu');

const windows = (text: string, size: number): string[] => {
  const words = [...text.matchAll(WINDOW_WORD)].map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
  const step = size - Math.floor(size * OVERLAP);
  const parts: string[] = [];
  for (let first = 0; first < words.length; first += step) {
    const last = words[Math.min(first + size, words.length) - 1];
    parts.push(text.slice(words[first]?.start, last?.end));
    if (first + size >= words.length) break;
  }
  return parts;
};

/** Pieces no memory is too small for, cut at a blank in the last tenth where there is one. Nothing is left out. */
const withinLimit = (chunk: string): string[] => {
  const pieces: string[] = [];
  let rest = chunk;
  while (rest.length > LIMITS.content) {
    const head = clip(rest, LIMITS.content);
    const blank = head.search(/\s\S*$/u);
    const cut = blank > head.length * 0.9 ? blank : head.length;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...pieces, rest];
};

const split = (text: string, strategy: ChunkStrategy, size: number): string[] => {
  switch (strategy) {
    case 'turn_pairs':
      return turnPairs(text);
    case 'sentences':
      return sentences(text);
    case 'paragraphs':
      return paragraphs(text);
    case 'fixed_tokens':
      return windows(text, size);
  }
};

/**
 * A document in parts, in order, outer white space trimmed, none blank, none over 50,000 UTF-16 units (a longer one becomes several; nothing
 * is lost). `size` is in words and matters to `fixed_tokens` only, whose windows overlap by a tenth. A size that is no whole number from 1
 * throws VALIDATION.
 */
export const chunkText = (text: string, strategy: ChunkStrategy, size: number = DEFAULT_CHUNK_SIZE): readonly string[] => {
  if (!Number.isSafeInteger(size) || size < 1)
    throw new DomainError('VALIDATION', 'chunk_size must be a whole number of words, 1 or more', `Leave it out for ${DEFAULT_CHUNK_SIZE}.`);
  return split(text, strategy, size)
    .flatMap((chunk) => withinLimit(chunk.trim()))
    .filter((chunk) => chunk !== '');
};
