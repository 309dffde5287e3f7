import { foldCase } from '../characters.js';

/** A pair of opposite forms. `object`: the words after the form are what it speaks of; else the words before it, or the whole clause. */
type OppositePair = {
  /** Both forms in short, for people: `never/always`. */
  readonly name: string;
  readonly negative: string;
  readonly positive: string;
  readonly head: 'after' | 'before';
  readonly share: number;
};

/** A clause may be about two things; more than half of the shorter one must be shared. For a form that names its object, half will do. */
const HALF = 0.5;
const MORE_THAN_HALF = 0.51;

const pair = (name: string, negative: string, positive: string, head: OppositePair['head'], share: number): OppositePair => ({
  name,
  negative,
  positive,
  head,
  share,
});

/** The 17 pairs of contract 19.2 with their inflections. */
const PAIRS: readonly OppositePair[] = [
  pair("don't use/use", "don't (?:use|using)|do not use", 'uses?|using|used', 'after', HALF),
  pair("don't/do", "don't", 'do', 'after', MORE_THAN_HALF),
  pair('do not/do', 'do not', 'do', 'after', MORE_THAN_HALF),
  pair('never/always', 'never', 'always', 'after', MORE_THAN_HALF),
  pair('avoid/use', 'avoid(?:s|ing)?(?: using| the use of)?', 'uses?|using|used', 'after', HALF),
  pair("shouldn't/should", "shouldn't|mustn't", 'should|must', 'after', MORE_THAN_HALF),
  pair('should not/should', '(?:should|must) (?:not|never)', 'should|must', 'after', MORE_THAN_HALF),
  pair('disable/enable', 'disabled?|disables|disabling', 'enabled?|enables|enabling', 'after', MORE_THAN_HALF),
  pair('remove/add', 'removed?|removes|removing', 'add|adds|added|adding', 'after', MORE_THAN_HALF),
  pair('without/with', 'without', 'with', 'after', MORE_THAN_HALF),
  pair('not recommended/recommended', 'not recommended', 'recommended', 'before', MORE_THAN_HALF),
  pair('deprecated/recommended', 'deprecated', 'recommended', 'before', MORE_THAN_HALF),
  pair('abandoned/adopted', 'abandoned', 'adopted', 'before', MORE_THAN_HALF),
  pair('failed/succeeded', 'failed', 'succeeded', 'before', MORE_THAN_HALF),
  pair("won't work/works", "won't work", 'works?', 'before', MORE_THAN_HALF),
  pair('does not work/works', 'does not work', 'works?', 'before', MORE_THAN_HALF),
  pair("doesn't work/works", "doesn't work", 'works?', 'before', MORE_THAN_HALF),
];

/** Whole words only, and not when "not" or "never" follows: the `do` of `do not` affirms nothing. */
const whole = (forms: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${forms})(?![\\p{L}\\p{N}_'])(?! (?:not|never)(?!\\p{L}))`, 'gu');

const COMPILED = PAIRS.map((entry) => ({ ...entry, negativeForm: whole(entry.negative), positiveForm: whole(entry.positive) }));

/** Most texts deny nothing; those pairs are dismissed by one look. */
const DENIES = new RegExp(PAIRS.map(({ negative }) => negative).join('|'), 'u');

/** Words that say nothing about what a clause is about, those of the pairs among them. */
const EMPTY = new Set(
  `a an the this that these those it its of to in at on by for as is are am be was were been has have do does did don't not no and or we you i
  our your us ever use uses using used with without from into when if so please should shouldn't must mustn't can could will would won't doesn't always
  never avoid avoids avoiding make made get keep let put set again any more work works recommended deprecated abandoned adopted failed
  succeeded enable enables enabled enabling disable disables disabled disabling add adds added adding remove removes removed removing`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

type PlacedWord = { readonly word: string; readonly at: number };
type Clause = { readonly text: string; readonly words: readonly PlacedWord[]; readonly scope: ReadonlySet<string> };

const readClause = (text: string): Clause => {
  const words = [...text.matchAll(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.'/-]*/gu)]
    .map(({ 0: written, index }) => ({ word: written.replace(/[.'/-]+$/u, ''), at: index }))
    .filter(({ word }) => !EMPTY.has(word))
    .map(({ word, at }) => ({ word: /^[a-z]{3,}[^su]s$/.test(word) ? word.slice(0, -1) : word, at }));
  return { text, words, scope: new Set(words.map(({ word }) => word)) };
};

/** One use of a form: what it speaks of first, all the words of its clause, and those that say where or for what it holds. */
type Claim = { readonly head: string; readonly scope: ReadonlySet<string>; readonly place: ReadonlySet<string> };

const PREPOSITION = /(?<![\p{L}\p{N}_-])(?:in|on|for|under|at|within|inside|during|from|to|into|before|after)(?![\p{L}\p{N}_-])/u;

const placeIn = ({ text, words }: Clause, from: number): ReadonlySet<string> => {
  const at = text.slice(from).search(PREPOSITION);
  return new Set(at < 0 ? [] : words.filter((word) => word.at > from + at && !PREPOSITION.test(word.word)).map(({ word }) => word));
};

const CLAUSE_END = /[,;:!?\n。，；]|\.(?=\s|$)|\s(?:but|instead|because)\s/u;
/** How much of a text is read, and what is longer than any clause. UTF-16 units. */
const READ_LENGTH = 4_000;
const CLAUSE = /[\s\S]{1,300}/g;

const folded = (text: string): string =>
  foldCase(text.slice(0, READ_LENGTH).normalize('NFC'))
    .replace(/’/gu, "'")
    .replace(/[^\S\n]+/gu, ' ');

const clausesOf = (text: string): Clause[] =>
  text
    .split(CLAUSE_END)
    .flatMap((clause) => clause.match(CLAUSE) ?? [])
    .map(readClause)
    .filter(({ words }) => words.length > 0);

/** Earlier in its clause, one of these takes a positive form's meaning away: "never use" affirms no use. */
const NEGATION = /n't(?!\p{L})|(?<!\p{L})(?:not|never|no|nor|neither|cannot|avoid(?:s|ing)?|without)(?!\p{L})/u;

const claims = (clause: Clause, form: RegExp, head: OppositePair['head'], negatable: boolean): Claim[] => {
  const { text, words, scope } = clause;
  return [...text.matchAll(form)].flatMap(({ 0: matched, index }) => {
    const end = index + matched.length;
    if (negatable && NEGATION.test(text.slice(0, end))) return [];
    const before = words.findLast(({ at }) => at < index)?.word;
    const after = words.find(({ at }) => at >= end)?.word;
    const spokenOf = head === 'after' ? (after ?? before) : (before ?? after);
    return spokenOf === undefined ? [] : [{ head: spokenOf, scope, place: placeIn(clause, end) }];
  });
};

/** The negative and the positive claims of a text for one pair. A positive form that is negated, by this pair or another word, does not count. */
const claimsOf = (clauses: readonly Clause[], { negativeForm, positiveForm, head }: (typeof COMPILED)[number]) => ({
  negative: clauses.flatMap((clause) => claims(clause, negativeForm, head, false)),
  positive: clauses.flatMap((clause) => claims(clause, positiveForm, head, true)),
});

const aboutTheSame = (a: Claim, b: Claim, share: number): boolean => {
  if (a.head !== b.head) return false;
  // Tabs in Makefiles and tabs in Python files are two questions.
  if (a.place.size > 0 && b.place.size > 0 && ![...a.place].some((word) => b.place.has(word))) return false;
  const shared = [...a.scope].filter((word) => b.scope.has(word)).length;
  return shared >= share * Math.min(a.scope.size, b.scope.size);
};

/** What a text affirms and denies, for each pair of opposite forms that it uses. Read once, compared often. */
export type Claims = { readonly byPair: ReadonlyMap<number, ReturnType<typeof claimsOf>>; readonly denies: boolean };

/** Reads the first 4,000 UTF-16 units. */
export const claimsIn = (text: string): Claims => {
  const read = folded(text);
  const clauses = clausesOf(read);
  const byPair = new Map<number, ReturnType<typeof claimsOf>>();
  for (const [place, entry] of COMPILED.entries()) {
    const claimed = claimsOf(clauses, entry);
    if (claimed.negative.length + claimed.positive.length > 0) byPair.set(place, claimed);
  }
  return { byPair, denies: DENIES.test(read) };
};

/**
 * The pair of opposite forms (`never/always`) by which one text says of a thing what the other denies of it, by 17 pairs (contract 19.2), or
 * undefined. Both claims must speak of the same thing in clauses that share their words, so a common "use" or "with" is no contradiction; and a
 * text that holds both forms contradicts neither itself nor a text that agrees with it on the same thing. Symmetric.
 */
export const opposedBy = (a: Claims, b: Claims): string | undefined => {
  if (!a.denies && !b.denies) return undefined;
  return COMPILED.find((entry, place) => {
    const left = a.byPair.get(place);
    const right = b.byPair.get(place);
    if (!left || !right) return false;
    const opposed = (denying: typeof left, affirming: typeof left): boolean =>
      denying.negative.some((no) =>
        affirming.positive.some(
          (yes) =>
            aboutTheSame(no, yes, entry.share) &&
            !affirming.negative.some((also) => aboutTheSame(no, also, entry.share)) &&
            !denying.positive.some((also) => aboutTheSame(also, yes, entry.share)),
        ),
      );
    return opposed(left, right) || opposed(right, left);
  })?.name;
};

/** Whether one of two texts affirms what the other denies, as `opposedBy` sees it. */
export const looksContradictory = (a: string, b: string): boolean => {
  if (!DENIES.test(folded(a)) && !DENIES.test(folded(b))) return false;
  return opposedBy(claimsIn(a), claimsIn(b)) !== undefined;
};
