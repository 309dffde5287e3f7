import { foldCase } from '../characters.js';

/** A pair of opposite forms. `object`: the words after the form are what it speaks of; else the words before it, or the whole clause. */
type OppositePair = { readonly negative: string; readonly positive: string; readonly head: 'after' | 'before'; readonly share: number };

/** A clause may be about two things; more than half of the shorter one must be shared. For a form that names its object, half will do. */
const HALF = 0.5;
const MORE_THAN_HALF = 0.51;

const pair = (negative: string, positive: string, head: OppositePair['head'], share: number): OppositePair => ({
  negative,
  positive,
  head,
  share,
});

/** The 17 pairs of contract 19.2 with their inflections. */
const PAIRS: readonly OppositePair[] = [
  pair("don't (?:use|using)|do not use", 'uses?|using|used', 'after', HALF),
  pair("don't", 'do', 'after', MORE_THAN_HALF),
  pair('do not', 'do', 'after', MORE_THAN_HALF),
  pair('never', 'always', 'after', MORE_THAN_HALF),
  pair('avoid(?:s|ing)?(?: using| the use of)?', 'uses?|using|used', 'after', HALF),
  pair("shouldn't", 'should', 'after', MORE_THAN_HALF),
  pair('should not', 'should', 'after', MORE_THAN_HALF),
  pair('disabled?|disables|disabling', 'enabled?|enables|enabling', 'after', MORE_THAN_HALF),
  pair('removed?|removes|removing', 'add|adds|added|adding', 'after', MORE_THAN_HALF),
  pair('without', 'with', 'after', MORE_THAN_HALF),
  pair('not recommended', 'recommended', 'before', MORE_THAN_HALF),
  pair('deprecated', 'recommended', 'before', MORE_THAN_HALF),
  pair('abandoned', 'adopted', 'before', MORE_THAN_HALF),
  pair('failed', 'succeeded', 'before', MORE_THAN_HALF),
  pair("won't work", 'works?', 'before', MORE_THAN_HALF),
  pair('does not work', 'works?', 'before', MORE_THAN_HALF),
  pair("doesn't work", 'works?', 'before', MORE_THAN_HALF),
];

/** Whole words only, and not when "not" follows: the `do` of `do not` affirms nothing. */
const whole = (forms: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}_])(?:${forms})(?![\\p{L}\\p{N}_'])(?! not(?!\\p{L}))`, 'gu');

const COMPILED = PAIRS.map((entry) => ({ ...entry, negativeForm: whole(entry.negative), positiveForm: whole(entry.positive) }));

/** Words that say nothing about what a clause is about, the pair words among them. */
const EMPTY = new Set(
  `a an the this that these those it its of to in at on by for as is are am be was were been has have do does did don't not no and or we you i
  our your us use uses using used with without from into when if so please should shouldn't must can could will would won't always never
  avoid make made get keep let put set again any more work works recommended deprecated`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

const contentOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.'/-]*/gu) ?? [])
    .map((word) => word.replace(/[.'/-]+$/u, ''))
    .filter((word) => !EMPTY.has(word))
    .map((word) => (/^[a-z]{3,}[^su]s$/.test(word) ? word.slice(0, -1) : word));

/** One use of a form: what it speaks of first, and all the words of its clause. */
type Claim = { readonly head: string; readonly scope: ReadonlySet<string> };

const CLAUSE_END = /[,;:!?\n。，；]|\.(?=\s|$)|\s(?:but|instead|because)\s/u;

/** Earlier in its clause, one of these takes a positive form's meaning away: "never use" affirms no use. */
const NEGATION = /n't(?!\p{L})|(?<!\p{L})(?:not|never|no|nor|neither|cannot|avoid(?:s|ing)?|without)(?!\p{L})/u;

const claims = (clause: string, form: RegExp, head: OppositePair['head']): (Claim & { readonly negated: boolean })[] =>
  [...clause.matchAll(form)].flatMap(({ 0: words, index }) => {
    const preceding = clause.slice(0, index);
    const before = contentOf(preceding);
    const after = contentOf(clause.slice(index + words.length));
    const spokenOf = head === 'after' ? (after[0] ?? before.at(-1)) : (before.at(-1) ?? after[0]);
    return spokenOf === undefined
      ? []
      : [{ head: spokenOf, scope: new Set([...before, ...after]), negated: NEGATION.test(preceding + words) }];
  });

/** The negative and the positive claims of a text for one pair. A positive form that is negated, by this pair or another word, does not count. */
const claimsOf = (clauses: readonly string[], { negativeForm, positiveForm, head }: (typeof COMPILED)[number]) => ({
  negative: clauses.flatMap((clause) => claims(clause, negativeForm, head)),
  positive: clauses.flatMap((clause) => claims(clause, positiveForm, head)).filter(({ negated }) => !negated),
});

const aboutTheSame = (a: Claim, b: Claim, share: number): boolean => {
  if (a.head !== b.head) return false;
  const shared = [...a.scope].filter((word) => b.scope.has(word)).length;
  return shared >= share * Math.min(a.scope.size, b.scope.size);
};

const clausesOf = (text: string): string[] =>
  foldCase(text.normalize('NFC'))
    .replace(/’/gu, "'")
    .replace(/[^\S\n]+/gu, ' ')
    .split(CLAUSE_END);

/**
 * Whether one text says of a thing what the other denies of it, by 17 pairs of opposite forms (contract 19.2). Both claims must speak of the
 * same thing in clauses that share their words, so a common "use" or "with" is no contradiction; and a text that holds both forms contradicts
 * neither itself nor a text that agrees with it on the same thing. Symmetric.
 */
export const looksContradictory = (a: string, b: string): boolean => {
  const clausesOfA = clausesOf(a);
  const clausesOfB = clausesOf(b);
  return COMPILED.some((entry) => {
    const left = claimsOf(clausesOfA, entry);
    const right = claimsOf(clausesOfB, entry);
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
  });
};
