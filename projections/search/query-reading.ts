import { foldAccents } from '../../domain/text/fold.js';
import { namesApart } from '../../domain/text/hyphens.js';
import { foreignLanguage } from '../../domain/text/languages.js';
import { isPasted } from '../../domain/text/pasted.js';
import { type Ending, endingOf, type QueryTerm, queryTerms, type Saying, sayingsOf, stemOf } from '../../domain/text/tokens.js';
import { nearTerms, type Writing } from './near-terms.js';
import type { TermDictionary } from './term-dictionary.js';

/** A last word is taken for the beginning of others from so many characters on, and of at most so many. */
const BEGINNING = { characters: 3, terms: 8, tails: 4 } as const;
/** Two letters for an umlaut, and what joins the words of a name; in terms too long to hold them by chance. */
const SPELT = { umlaut: /([aou])e/g, joint: /[_-]+/g, characters: 5 } as const;
const VERSION = /^v?(\d+(?:\.\d+)+)$/;
const FIGURE_AT_END = /\d$/;
const HAS_FIGURE = /\d/;
const FIGURE_FIRST = /^\d/;
const PART_OF_A_HASH = /^(?=[a-f]*\d+[a-f])[\da-f]{4,}$/;
const THOUSANDS = /^(\d+)k$/;
/** What the parts of a date, of a quantity or of a phrasal verb still weigh when it is known as a whole. */
const IN_A_SAYING = 0.05;
/** Of a name that others write in one, what its own spelling weighs. */
const OWN_SPELLING = 0.4;
/** And the parts of one that is found written in one, since whoever writes it so has none of them. */
const BESIDE_JOINED = 0.1;
/** A name in capitals beside its word: it names, and the word already counts. */
const IN_CAPITALS = 0.05;
/** A pair that some document holds apart may be meant as two. */
const PERHAPS_ONE = 0.5;
/** A day as memories have it that do not say it as the query does. */
const LOOSE_DAY = 0.6;
/** Words of a query that a day is looked for with. */
const MOST_SUBJECTS = 6;
/** Parts of identifiers, and what weighs less than a word, are taken as they are. */
const LEAST_GUESSED = 0.5;
/** In a longer query no word is guessed at: the others say enough. */
const MOST_GUESSED = 24;

/** A query as every index reads it. `ending`: its last word, as far as it may begin others. */
type ReadQuery = {
  readonly query: string;
  readonly terms: readonly QueryTerm[];
  readonly sayings: readonly Saying[];
  readonly ending: Ending | undefined;
  readonly writing: (term: string) => Writing;
  readonly isGerman: () => boolean;
};

/** What is known of the terms of an index. */
export type KnownTerms = {
  readonly dictionary: TermDictionary;
  readonly documentsWith: (id: number) => number;
  /** Whether some document holds both. */
  readonly together: (id: number, other: number) => boolean;
};

/** A term to look for; no `id` where no document holds it. */
export type MeantTerm = {
  readonly term: string;
  readonly id: number | undefined;
  readonly weight: number;
  readonly name?: true | undefined;
  /** Found by another spelling than its own. */
  readonly isOther?: true;
};

let lastRead: ReadQuery | undefined;

const PLAIN_WORD = /(?<![\p{L}\p{M}\p{N}_./\\:@+~#-])\p{Ll}{6,}(?![\p{L}\p{M}\p{N}_/\\:@+~#-]|\.[\p{L}\p{N}])/gu;

/** Found out only when a word is unknown, and then once for a query. */
const writingIn = (query: string, isGerman: () => boolean): ((term: string) => Writing) => {
  let plain: ReadonlySet<string> | undefined;
  return (term) => {
    plain ??= new Set((foldAccents(query).match(PLAIN_WORD) ?? []).map(stemOf));
    return { isPlain: plain.has(term), isGerman: isGerman() };
  };
};

/** A query is put to several indexes in turn, and read once for all of them. */
const readOnce = (query: string): ReadQuery => {
  if (lastRead?.query !== query) lastRead = readingOf(query);
  return lastRead;
};

const readingOf = (query: string): ReadQuery => {
  let german: boolean | undefined;
  const isGerman = (): boolean => {
    german ??= foreignLanguage(query) === 'German';
    return german;
  };
  return {
    query,
    terms: queryTerms(query),
    sayings: sayingsOf(query),
    ending: endingOf(query),
    writing: writingIn(query, isGerman),
    isGerman,
  };
};

/** With names that hyphens join to other words read apart from them, where this index does not hold the whole. */
const readFor = (query: string, dictionary: TermDictionary): ReadQuery => {
  const read = readOnce(query);
  if (!query.includes('-')) return read;
  const isHeld = (written: string): boolean => {
    const term = written.toLowerCase();
    return dictionary.find(term) !== undefined || joinedOf(term, dictionary) !== undefined || dictionary.find(stemOf(term)) !== undefined;
  };
  const isMeant = (word: string): boolean => {
    const [term] = queryTerms(word);
    return term !== undefined && (isHeld(word) || nearTerms(term.term, read.writing(term.term), dictionary).length > 0);
  };
  const folded = foldAccents(query);
  const apart = namesApart(folded, { isHeld, isMeant, isGerman: read.isGerman });
  return apart === folded ? read : { ...readingOf(apart), isGerman: read.isGerman, writing: read.writing };
};

/**
 * The terms that a query means in an index: as they stand, else as others write them, else what an unfinished or misspelt one is
 * taken for. Each id once.
 */
export const meantBy = (query: string, known: KnownTerms): readonly MeantTerm[] => {
  const { dictionary } = known;
  const read = readFor(query, dictionary);
  // Numbers of requests and threads, stamps, addresses: that nobody holds them says nothing.
  const pasted = isPasted(query);
  const meant = new Map<number | string, MeantTerm>();
  const add = (term: MeantTerm): void => {
    const place = term.id ?? term.term;
    const before = meant.get(place);
    const name = term.name ?? before?.name;
    if (before === undefined || term.weight > before.weight) meant.set(place, name ? { ...term, name } : term);
    else if (name && !before.name) meant.set(place, { ...before, name });
  };
  const terms = withSayings(finished(read, dictionary), read.sayings, known);
  const writing = terms.length <= MOST_GUESSED ? read.writing : undefined;
  const found = new Map(terms.map((term) => [term.term, spellings(term, known, writing)]));
  const isKnown = (term: string): boolean => found.get(term)?.some(({ id }) => id !== undefined) ?? false;
  const isJoined = (term: string): boolean => joinedForm(term) !== term && (found.get(term)?.some(({ isOther }) => isOther) ?? false);
  for (const { term, of, capitals } of terms) {
    const named = capitals === undefined ? undefined : dictionary.find(capitals);
    if (capitals !== undefined && named !== undefined) add({ term: capitals, id: named, weight: IN_CAPITALS, name: true });
    if (!isKnown(term) && of?.some(isKnown)) continue;
    const share = of?.some(isJoined) ? BESIDE_JOINED : 1;
    if (pasted && HAS_FIGURE.test(term) && !isKnown(term)) continue;
    for (const one of found.get(term) ?? []) add({ ...one, weight: one.weight * share });
  }
  return [...meant.values()];
};

/**
 * Dates, quantities and words written in one that the index knows stand for their parts. Of two words that some document holds apart
 * it is not sure.
 */
const withSayings = (terms: readonly QueryTerm[], sayings: readonly Saying[], known: KnownTerms): readonly QueryTerm[] => {
  const { dictionary } = known;
  const weights = new Map<string, number>();
  const dated = new Set<string>();
  const added: QueryTerm[] = [];
  for (const saying of sayings) {
    const whole = saying.terms.find((one) => dictionary.find(one) !== undefined);
    const isDayKnown = saying.day !== undefined && dictionary.find(saying.day.loose) !== undefined;
    if (whole === undefined && !isDayKnown) continue;
    const parts = saying.parts();
    if (saying.day !== undefined) {
      for (const part of parts) dated.add(part);
      added.push(...daysFor(saying, parts, terms, known));
    } else if (whole !== undefined) {
      const apart = saying.pair && heldTogether(parts, known);
      added.push({ term: whole, weight: apart ? PERHAPS_ONE : 1 });
      if (apart) continue;
    }
    for (const part of parts) if (part !== whole) weights.set(part, dictionary.find(part) === undefined ? 0 : IN_A_SAYING);
  }
  if (added.length === 0) return terms;
  const left = terms
    .map(({ name, ...term }): QueryTerm => {
      if (dated.has(term.term)) return { ...term, weight: term.weight * (weights.get(term.term) ?? 1) };
      const weight = name && weights.get(term.term) !== 0 ? term.weight : term.weight * (weights.get(term.term) ?? 1);
      return { ...term, weight, ...(name && { name }) };
    })
    .filter(({ weight }) => weight > 0);
  return [...left, ...added];
};

/**
 * A day as it is asked for and, for less, as memories have it that name no year or another form of it. It is a name, but for
 * what else is asked: where a memory of that day holds another word of the query only that form of the day is one, and where only
 * other memories hold two of them together none is. Without the year that was asked for it never is.
 */
const daysFor = (
  { terms: [exact = ''], day }: Saying,
  parts: readonly string[],
  terms: readonly QueryTerm[],
  known: KnownTerms,
): readonly QueryTerm[] => {
  if (day === undefined) return [];
  const { dictionary, together } = known;
  const subjects = terms
    .filter(({ term }) => !parts.includes(term))
    .flatMap(({ term }) => dictionary.find(term) ?? [])
    .slice(0, MOST_SUBJECTS);
  const holdsSubject = (id: number): boolean => subjects.some((subject) => together(id, subject));
  const forms = [
    { term: exact, weight: 1, mayName: day.mayName },
    { term: day.loose, weight: LOOSE_DAY, mayName: day.mayName && !day.hasYear },
  ].flatMap((form) => {
    const id = dictionary.find(form.term);
    return id === undefined ? [] : [{ ...form, isOnTopic: holdsSubject(id) }];
  });
  const someOnTopic = forms.some(({ isOnTopic }) => isOnTopic);
  const isElsewhere = !someOnTopic && subjects.some((one, i) => subjects.slice(i + 1).some((other) => together(one, other)));
  return forms.map(({ term, weight, mayName, isOnTopic }) => ({
    term,
    weight,
    ...(mayName && !isElsewhere && isOnTopic === someOnTopic && { name: true as const }),
  }));
};

const heldTogether = (parts: readonly string[], { dictionary, together }: KnownTerms): boolean => {
  const [first, second] = parts.map((part) => dictionary.find(part));
  return first !== undefined && second !== undefined && together(first, second);
};

const spellings = (
  { term, weight, name }: QueryTerm,
  known: KnownTerms,
  writing: ReadQuery['writing'] | undefined,
): readonly MeantTerm[] => {
  const { dictionary } = known;
  const id = dictionary.find(term);
  const joined = joinedOf(term, dictionary);
  if (id !== undefined) {
    if (joined === undefined || joined === id || known.documentsWith(joined) <= known.documentsWith(id))
      return [{ term, id, weight, name }];
    return [
      { term, id, weight: weight * OWN_SPELLING, name },
      { term, id: joined, weight: weight * (1 - OWN_SPELLING), isOther: true },
    ];
  }
  const other = otherSpelling(term, dictionary) ?? joined;
  if (other !== undefined) return [{ term, id: other, weight, name, isOther: true }];
  const near = writing === undefined || weight < LEAST_GUESSED ? [] : nearTerms(term, writing(term), dictionary);
  if (near.length === 0) return [{ term, id: undefined, weight, name }];
  return near.map((one) => ({ term: one.term, id: dictionary.find(one.term), weight: weight * one.weight }));
};

const joinedForm = (term: string): string => term.replace(SPELT.joint, '');

const joinedOf = (term: string, dictionary: TermDictionary): number | undefined => {
  if (term.length < SPELT.characters) return undefined;
  const joined = joinedForm(term);
  return joined === term ? undefined : (dictionary.find(joined) ?? dictionary.find(stemOf(joined)));
};

/** As others write it: `groesse` as `größe` is without its marks, `v1.2` as `1.2` or `1.2.0`, `500k` with its figures. */
const otherSpelling = (term: string, dictionary: TermDictionary): number | undefined => {
  const version = VERSION.exec(term)?.[1];
  if (version !== undefined) return dictionary.find(version) ?? dictionary.find(`v${version}`) ?? shorterVersion(version, dictionary);
  const thousands = THOUSANDS.exec(term)?.[1];
  if (thousands !== undefined) return dictionary.find(`${thousands}000`);
  return term.length < SPELT.characters ? undefined : dictionary.find(term.replace(SPELT.umlaut, '$1'));
};

/** `1.2` for `1.2.0`, but not `3` for `3.0`: a single number is most often none of a version. */
const shorterVersion = (version: string, dictionary: TermDictionary): number | undefined => {
  const shorter = version.replace(/(?<=\.\d+)(?:\.0)+$/, '');
  return shorter === version ? undefined : (dictionary.find(shorter) ?? dictionary.find(`v${shorter}`));
};

const idOf = (term: string, dictionary: TermDictionary): number | undefined =>
  dictionary.find(term) ?? joinedOf(term, dictionary) ?? otherSpelling(term, dictionary);

/** No figure is finished: `PAY-221` is another ticket than `PAY-2219`. Of a hash in hex it is not known where it ends. */
const completionsOf = (start: string, dictionary: TermDictionary): readonly string[] => {
  if (!FIGURE_AT_END.test(start) || PART_OF_A_HASH.test(start)) return dictionary.beginningWith(start, BEGINNING.terms);
  return dictionary
    .beginningWith(start, BEGINNING.terms * 8)
    .filter((term) => !FIGURE_FIRST.test(term.slice(start.length)))
    .slice(0, BEGINNING.terms);
};

/**
 * The terms, with those that the last word of the query begins in its place when it is not known as it stands. Of an identifier
 * that begins no other, the end: `mailer/src/getUs` is taken for `getUser`.
 */
const finished = ({ terms, ending }: ReadQuery, dictionary: TermDictionary): readonly QueryTerm[] => {
  if (ending === undefined) return terms;
  const { whole, isWord, tails } = ending;
  const isKnown = (start: string): boolean =>
    idOf(start, dictionary) !== undefined || queryTerms(start).every(({ term }) => dictionary.find(term) !== undefined);
  if (isWord ? isKnown(whole) : idOf(whole, dictionary) !== undefined) return terms;
  for (const start of [whole, ...tails.slice(-BEGINNING.tails)]) {
    if (start.length < BEGINNING.characters || (start !== whole && isKnown(start))) return terms;
    const longer = completionsOf(start, dictionary);
    if (longer.length === 0) continue;
    const unfinished = new Set(
      [whole, start, ...queryTerms(start).map(({ term }) => term)].filter((term) => dictionary.find(term) === undefined),
    );
    const known = new Set(terms.map(({ term }) => term));
    return [
      ...terms.filter(({ term }) => !unfinished.has(term)),
      ...longer.filter((term) => !known.has(term)).map((term) => ({ term, weight: 1 / longer.length })),
    ];
  }
  return terms;
};
