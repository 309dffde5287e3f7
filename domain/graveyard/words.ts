import { stemmer } from 'stemmer';
import { UNSPACED_SCRIPTS } from '../characters.js';
import { foldAccents } from '../text/fold.js';
import { STOP_WORDS } from '../text/stop-words.js';
import { COMMON_STEMS, COMMON_WORDS, DRESSING_WORDS, OTHER_SPELLINGS } from './common-words.js';

/** One word of a name or a question. Names that are written in one are taken apart: `pg-boss` is `pg` and `boss`. */
export type Word = {
  /** Folded and lower-cased. */
  readonly plain: string;
  /** Without its English ending. */
  readonly stem: string;
  /** Says nothing: `the`, `on`. */
  readonly stop: boolean;
  /** Dresses what is spoken of: `using`, `library`. */
  readonly dressing: boolean;
  /** Too common, or too short, to mean a thing by itself. */
  readonly common: boolean;
  /** How it hangs on the word before: not at all, by a mark (`pg-boss`), by a capital (`GraphQL`), or with nothing between (CJK). */
  readonly joint: 'apart' | 'mark' | 'hump' | 'run';
  /** A sentence or a list went to its end before it. */
  readonly afterBreak: boolean;
};

/** A piece without blanks, as it was written. `from` and `to` are the places of its words; `to` is behind the last. */
export type Piece = {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly quoted: boolean;
  readonly afterBreak: boolean;
  /** Followed by `@` and a version. */
  readonly versioned: boolean;
};

export type Text = { readonly words: readonly Word[]; readonly pieces: readonly Piece[] };

const UNSPACED = UNSPACED_SCRIPTS;
const LETTER = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}ー]]`;
const PIECE = new RegExp(`[${UNSPACED}ー]+|${LETTER}+(?:(?:::|://|[\\-.\\/:\\\\@+~])${LETTER}+)*(?:\\+\\+|#(?!\\p{N}))?`, 'gv');
const RUN = new RegExp(`^[${UNSPACED}ー]`, 'v');
const ONE_LETTER = /^(?:.|\p{N}+)$/u;
const BREAK = /[.,;:!?()[\]{}\n]/;
const OPENING = /[`'"\u2018\u201c]$/;
const CLOSING = /^[`'"\u2019\u201d]/;
const VERSIONED = /^[^@]+@[\dvl^~]/;
const MARKS = /[-._/:\\@~]+|\+(?!\+|$)/;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
const INFLECTED = /(?:ed|ing|s|ly)$/;
const ENGLISH_WORD = /^[a-z]{3,}$/;
/** A name that begins with a mark, and without it is another word. */
const DOT_NET = /(?<![\p{L}\p{N}])\.net(?![\p{L}\p{N}])/giu;

/** The words of a text in order, and the pieces they were written in. Any string may come in. */
export const wordsOf = (text: string): Text => {
  const folded = foldAccents(text).replace(DOT_NET, 'dotnet');
  const words: Word[] = [];
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of folded.matchAll(PIECE)) {
    const [written] = match;
    const between = folded.slice(end, match.index);
    end = match.index + written.length;
    const afterBreak = BREAK.test(between);
    const from = words.length;
    const parts = partsOf(written);
    for (const [plain, joint] of parts) words.push(wordOf(plain, joint, parts.length > 1, afterBreak && words.length === from));
    const quoted = OPENING.test(between) && CLOSING.test(folded.slice(end, end + 1));
    if (words.length > from) pieces.push({ text: written, from, to: words.length, quoted, afterBreak, versioned: VERSIONED.test(written) });
  }
  return { words, pieces };
};

const partsOf = (written: string): readonly (readonly [string, Word['joint']])[] => {
  if (RUN.test(written)) return [...written].map((character, i) => [character, i === 0 ? 'apart' : 'run'] as const);
  const known = OTHER_SPELLINGS.get(written.toLowerCase());
  if (known !== undefined) return [[known, 'apart']];
  const parts: (readonly [string, Word['joint']])[] = [];
  for (const marked of written.split(MARKS)) {
    if (marked === '') continue;
    for (const [i, part] of marked.split(HUMP).entries()) {
      parts.push([part.toLowerCase(), parts.length === 0 ? 'apart' : i === 0 ? 'mark' : 'hump']);
    }
  }
  return parts;
};

/** A common word that is part of a longer name (`next.js`) is not common there. */
const wordOf = (plain: string, joint: Word['joint'], inName: boolean, afterBreak: boolean): Word => ({
  plain,
  stem: ENGLISH_WORD.test(plain) ? stemmer(plain) : plain,
  stop: !inName && STOP_WORDS.has(plain),
  dressing: !inName && DRESSING_WORDS.has(plain),
  common: !inName && (COMMON_WORDS.has(plain) || ONE_LETTER.test(plain)),
  joint,
  afterBreak,
});

/** Whether a word is an everyday one with an English ending (`shared`), which alone is no name either. */
export const isEverydayForm = (plain: string): boolean =>
  INFLECTED.test(plain) && ENGLISH_WORD.test(plain) && COMMON_STEMS.has(stemmer(plain));
