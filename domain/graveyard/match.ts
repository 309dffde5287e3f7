import type { AbandonedType } from '../vocabulary.js';
import { COMMON_STEMS, COMMON_WORDS, NAME_TAILS, USING_WORDS } from './common-words.js';
import { isEverydayForm, type Piece, type Text, type Word, wordsOf } from './words.js';

/** Words of a name that are looked for as a whole; of a longer one parts are still found by a question about them. */
const LONGEST_NAME = 16;
/** Letters of what a thing is called by when the rest of its name is left out. */
const SHORTEST_NAME = 4;
/** Words that are looked at of a name. */
const WORDS_OF_NAME = 40;
/** Words that are looked at of a question: all of 10,000 characters of prose, of more words the first and the last half of so many. */
const WORDS_OF_QUERY = 2_000;
const NUMBER = /^\p{N}+$/u;
/** The site that a product is called by. */
const SITE = /^[^.]+\.(?:ai|app|cloud|com|dev|io|org|sh|so)$/i;

/** Words that follow one another in a text: those at `from` to before `to`. */
type Stretch = { readonly of: readonly Word[]; readonly from: number; readonly to: number };

/** A name of something that was given up, read once for many questions. */
export type ReadName = {
  readonly name: string;
  readonly type: AbandonedType;
  readonly text: Text;
  /** Without words that say nothing or only dress. */
  readonly core: readonly Word[];
  /** Without common words as well: what it is about. */
  readonly bare: readonly Word[];
  /** What the whole name is found under. */
  readonly keys: readonly string[];
  /** What parts of it are found under, by a question that is about a part. */
  readonly inside: readonly string[];
  /** What it begins with, by word: a question of one word has to be among these. */
  readonly leading: readonly (readonly Word[])[];
  /** What `leading` is found under. */
  readonly beginnings: readonly string[];
};

/** A question, read once for many names. */
export type ReadQuery = {
  readonly text: Text;
  readonly bare: readonly Word[];
  /** Every stretch of words, by what it says. */
  readonly stretches: ReadonlyMap<string, readonly Stretch[]>;
  /** What the question as a whole is found under; empty when it is about nothing. */
  readonly about: readonly string[];
};

export const joined = (words: readonly Word[]): string => words.map(({ plain }) => plain).join('');
export const joinedStems = (words: readonly Word[]): string => words.map(({ stem }) => stem).join('');
/** The same words apart or joined have one key; endings count or do not. The mark keeps a stem from meeting a word. */
export const keysOf = (words: readonly Word[]): readonly string[] => (words.length === 0 ? [] : [joined(words), `~${joinedStems(words)}`]);

/** Some words of a text; the end of a sentence that fell on one of the others is not lost. */
const only = (words: readonly Word[], wanted: (word: Word) => boolean): readonly Word[] => {
  const kept: Word[] = [];
  let broken = false;
  for (const word of words) {
    broken ||= word.afterBreak;
    if (!wanted(word)) continue;
    kept.push(word.afterBreak === broken ? word : { ...word, afterBreak: broken });
    broken = false;
  }
  return kept;
};
const coreOf = (words: readonly Word[]): readonly Word[] => only(words, ({ stop, dressing }) => !stop && !dressing);
/** Numbers stay: `webpack 5` is not about `webpack 4`. */
const bareOf = (words: readonly Word[]): readonly Word[] =>
  only(words, ({ stop, dressing, common, plain }) => !stop && !dressing && (!common || NUMBER.test(plain)));

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

export const readName = (name: string, type: AbandonedType): ReadName => {
  const text = wordsOf(name);
  const core = coreOf(text.words);
  const bare = bareOf(text.words).slice(0, WORDS_OF_NAME);
  const inside: string[] = [];
  for (let from = 0; from < bare.length; from++)
    for (let to = from + 1; to <= Math.min(bare.length, from + LONGEST_NAME); to++) inside.push(...keysOf(bare.slice(from, to)));
  const leading = (isThing(type) ? core : bare).slice(0, LONGEST_NAME).map((_, i, parts) => parts.slice(0, i + 1));
  return {
    name,
    type,
    text,
    core,
    bare,
    keys: distinct([...keysOf(text.words), ...keysOf(core), ...otherNames(text.words, type)]),
    inside: distinct(inside),
    leading,
    beginnings: distinct(leading.flatMap(keysOf)),
  };
};

export const readQuery = (query: string): ReadQuery => {
  const text = wordsOf(query);
  const half = WORDS_OF_QUERY / 2;
  const parts = text.words.length <= WORDS_OF_QUERY ? [text.words] : [text.words.slice(0, half), text.words.slice(-half)];
  const stretches = new Map<string, Stretch[]>();
  for (const part of parts) {
    const core = coreOf(part);
    addStretches(stretches, part);
    if (core.length < part.length) addStretches(stretches, core);
  }
  const bare = bareOf(text.words);
  return { text, bare, stretches, about: bare.slice(1).some(({ afterBreak }) => afterBreak) ? [] : keysOf(bare) };
};

/** Every stretch under its two keys. A question may be long, so the keys grow word by word. */
const addStretches = (stretches: Map<string, Stretch[]>, words: readonly Word[]): void => {
  const add = (key: string, stretch: Stretch): void => {
    const known = stretches.get(key);
    if (known) known.push(stretch);
    else stretches.set(key, [stretch]);
  };
  for (let from = 0; from < words.length; from++) {
    let [plain, stems] = ['', '~'];
    for (const [length, word] of words.slice(from, from + LONGEST_NAME).entries()) {
      plain += word.plain;
      stems += word.stem;
      const stretch = { of: words, from, to: from + length + 1 };
      add(plain, stretch);
      add(stems, stretch);
    }
  }
};

/**
 * Whether a question speaks of what was given up: it holds the name, its words apart or joined (`use onnx runtime?` holds
 * `onnxruntime`), or it is about a part of the name (`redis streams` is about `Redis Streams consumer groups`). A name that
 * is a common word is found only where it is written as a name: in quotes, with a version, or with its capital inside a
 * sentence. A question without words matches nothing.
 */
export const speaksOf = (query: ReadQuery, name: ReadName): boolean =>
  holdsWhole(query, name) || isAboutPart(query, name) || (isThing(name.type) && isWrittenAsName(query.text, name));

/** Whether two names are one, their words apart or joined, whatever the case. */
export const sameName = (a: string, b: string): boolean => {
  const [one, other] = [a, b].map((name) => joined(wordsOf(name).words));
  return one === '' ? a.toLowerCase() === b.toLowerCase() : one === other;
};

/** Whether a name is one or more common words and nothing else: it says too little to leave memories out for. */
export const saysTooLittle = (name: string): boolean => bareOf(wordsOf(name).words).every(({ common }) => common);

const holdsWhole = (query: ReadQuery, { text, core, type }: ReadName): boolean =>
  [text.words, core].some((words) => holds(query, words, type));

/** Whether a question has a stretch with this key within one run of words. */
export const hasRun = ({ stretches }: Pick<ReadQuery, 'stretches'>, key: string): boolean =>
  (stretches.get(key) ?? []).some(({ of, from, to }) => !isBroken(of.slice(from, to)));

/** Whether a question holds these words, one after the other, apart or joined. */
export const holds = ({ stretches }: Pick<ReadQuery, 'stretches'>, words: readonly Word[], type: AbandonedType): boolean =>
  keysOf(words).some((key) => (stretches.get(key) ?? []).some((stretch) => isName(stretch, words, type)));

/** Whether a stretch that reads like the name is it. */
const isName = (stretch: Stretch, name: readonly Word[], type: AbandonedType): boolean => {
  const words = stretch.of.slice(stretch.from, stretch.to);
  if (name.length === 1 && name[0]?.common) return false;
  if (name.every(({ stop, dressing }) => stop || dressing)) return false;
  // The name of a thing is not its word in another form: `nesting` is not `nest`.
  if (name.length === 1 && isThing(type) && joined(words) !== joined(name)) return false;
  // Words on both sides of a break are a name only where the name has one there, too: `pg-boss: v9`.
  if (isBroken(words) && !brokenAlike(words, name)) return false;
  // `in line` is not `inline`.
  if (words.length !== name.length && words.some(({ stop }) => stop)) return false;
  return words.length > 1 || isWhole(stretch);
};

const isBroken = (words: readonly Word[]): boolean => words.some(({ afterBreak }, i) => i > 0 && afterBreak);

const brokenAlike = (words: readonly Word[], name: readonly Word[]): boolean =>
  words.length === name.length && words.every(({ afterBreak }, i) => i === 0 || afterBreak === name[i]?.afterBreak);

/** A single word out of a name that is written in one is no name when a capital parts it (`TypeScript`), or it is short (`next.js`). */
const isWhole = ({ of, from, to }: Stretch): boolean => {
  const joints = [of[from]?.joint ?? 'apart', of[to]?.joint ?? 'apart'].filter((joint) => joint !== 'apart');
  return joints.length === 0 || (joints.every((joint) => joint === 'mark') && (of[from]?.plain.length ?? 0) >= 3);
};

const isAboutPart = ({ bare: asked, about }: ReadQuery, { inside, leading, type }: ReadName): boolean => {
  if (asked.length > 1) return about.some((key) => inside.includes(key));
  const [word] = asked;
  if (word === undefined || word.common || isEverydayForm(word.plain) || word.plain.length < 3) return false;
  // One word has to be what the name begins with, or every name is about its last word: `boot` is not `Spring Boot`.
  return leading.some((words) => joined(words) === word.plain || (!isThing(type) && joinedStems(words) === word.stem));
};

/** What has a name of its own; an approach or a pattern is described. */
const isThing = (type: AbandonedType): boolean => type !== 'approach' && type !== 'pattern';

export const isWrittenAsName = ({ words, pieces }: Text, name: ReadName): boolean => {
  const plain = joined(name.text.words);
  const others = otherNames(name.text.words, name.type);
  const [only] = pieces.length === 1 ? pieces : [];
  return pieces.some((piece, place) => {
    const own = joined(words.slice(piece.from, piece.to));
    if (others.includes(own) && (own.endsWith('js') || own === 'golang' || own === shortName(plain))) return true;
    if ((piece.versioned || SITE.test(piece.text)) && words[piece.from]?.plain === plain) return true;
    if (own !== plain && !others.includes(own)) return false;
    const spelt = others.includes('go') ? [name.name, 'Go'] : [name.name];
    return (
      piece.quoted ||
      spelt.some((one) => isProper(piece, place, one)) ||
      isUsed(words, piece) ||
      (piece === only && !words[piece.from]?.stop)
    );
  });
};

/** Spelt with the name's own capitals, where a sentence would not put one. */
const isProper = ({ text, afterBreak }: Piece, place: number, name: string): boolean =>
  place > 0 && !afterBreak && /\p{Lu}/u.test(text) && name.startsWith(text);

/** What is said to be used, and is no part of something longer: `use react for the UI`, and not `use next week's build`. */
const isUsed = (words: readonly Word[], { from, to, afterBreak }: Piece): boolean => {
  const [before, after] = [words[from - 1], words[to]];
  return before !== undefined && !afterBreak && USING_WORDS.has(before.plain) && (!after || after.afterBreak || after.stop);
};

/** `vue`, `Vue.js` and `vuejs` are one library, and a word that says little has a longer name. */
const otherNames = (words: readonly Word[], type: AbandonedType): readonly string[] => {
  const whole = joined(words);
  if (whole === 'go' || whole === 'golang') return [whole === 'go' ? 'golang' : 'go'];
  const short = isThing(type) ? shortName(whole) : undefined;
  const called = short === undefined ? [] : [short];
  if (type !== 'library' || whole === '') return called;
  return [...called, whole.endsWith('js') && whole.length > 4 ? whole.slice(0, -2) : `${whole}js`];
};

/** Without what its makers put behind it, as far as the rest is a name still. */
const shortName = (whole: string): string | undefined => {
  const tail = NAME_TAILS.find((one) => whole.endsWith(one));
  const short = tail === undefined ? '' : whole.slice(0, -tail.length);
  return short.length < SHORTEST_NAME || COMMON_WORDS.has(short) || COMMON_STEMS.has(short) ? undefined : short;
};
