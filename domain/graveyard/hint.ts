import { hasRun, holds, isWrittenAsName, joined, joinedStems, keysOf, type ReadQuery, readName, readQuery } from './match.js';
import { type Text, type Word, wordsOf } from './words.js';

/** Words of a phrase that stand together: one word, or a name that is written in one (`pg-boss`). */
type Unit = { readonly written: string; readonly words: readonly Word[]; readonly keys: readonly string[]; readonly common: boolean };

/** A hint that brings a memory back, read once for many questions. */
export type ReadHint = {
  readonly hint: string;
  readonly text: Text;
  /** What it says beside words that say nothing or only dress. */
  readonly units: readonly Unit[];
  /** Every question that holds it, or is it, has one of these among its stretches. */
  readonly keys: readonly string[];
  /** Every question that is a part of it begins with one of these, and stands in one of `runs`. */
  readonly inside: readonly string[];
  /** All its words, and those that say something, written as one, with their endings and without. */
  readonly runs: readonly string[];
};

/** Words that a question is read in at once. */
const LONGEST_RUN = 16;

export const readHint = (hint: string): ReadHint => {
  const text = wordsOf(hint);
  const units = unitsOf(text);
  const found = units.find(({ common }) => !common) ?? units[0];
  return {
    hint,
    text,
    units,
    keys: distinct([...(found?.keys ?? []), joined(text.words)]),
    inside: distinct(text.words.flatMap(({ plain, stem }) => [plain, stem])),
    runs: distinct([text.words, text.words.filter(({ stop, dressing }) => !stop && !dressing)].flatMap(writtenAsOne)),
  };
};

const writtenAsOne = (words: readonly Word[]): readonly string[] => [joined(words), joinedStems(words)];

const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys)].filter((key) => key !== '');

/** Pieces without their empty words; a long run of characters in parts. */
const unitsOf = ({ words, pieces }: Text): readonly Unit[] =>
  pieces.flatMap(({ text, from, to }) => {
    const said = words.slice(from, to).filter(({ stop, dressing }) => !stop && !dressing);
    const units: Unit[] = [];
    for (let at = 0; at < said.length; at += LONGEST_RUN) {
      const part = said.slice(at, at + LONGEST_RUN);
      units.push({ written: text, words: part, keys: keysOf(part), common: part.length === 1 && part[0]?.common === true });
    }
    return units;
  });

/**
 * What hints that a question is a part of are found under: whatever the first word of such a hint's stretch is, the question
 * written as one word begins with it, however the two are cut into words (`gowebhook` begins with the `go` of `go webhooks`).
 */
export const beginningsOf = (query: ReadQuery): readonly string[] =>
  asksForPart(query)
    ? distinct(writtenAsOne(query.text.words).flatMap((whole) => Array.from({ length: whole.length }, (_, i) => whole.slice(0, i + 1))))
    : [];

/**
 * Whether a question meets a hint. It does when all that the hint says is in the question, in any order and with any English
 * ending (`webhooks for foopay` in `Foopay announced webhooks`), or when the whole question stands in the hint (`graphql` in
 * `moving to GraphQL`). Common words alone have to be written as in the hint: one as a name (`rewrite it in Go`), several one
 * after the other. A hint or a question without words meets nothing.
 */
export const meetsHint = (query: ReadQuery, hint: ReadHint): boolean => {
  const asked = joined(query.text.words);
  if (asked === '' || hint.text.words.length === 0) return false;
  return asked === joined(hint.text.words) || saysAllOf(query, hint) || isPartOf(query, hint);
};

const saysAllOf = (query: ReadQuery, { units }: ReadHint): boolean => {
  const [first] = units;
  if (first === undefined) return false;
  if (units.some(({ common }) => !common))
    return units.every(({ words, keys, common }) => (common ? keys.some((key) => hasRun(query, key)) : holds(query, words, 'approach')));
  if (units.length === 1) return isWrittenAsName(query.text, readName(first.written, 'tool'));
  return holds(
    query,
    units.flatMap(({ words }) => words),
    'approach',
  );
};

const asksForPart = ({ bare, text }: ReadQuery): boolean => bare.some(({ common }) => !common) && text.words.length <= LONGEST_RUN;

const isPartOf = (query: ReadQuery, { hint, runs }: ReadHint): boolean => {
  if (!asksForPart(query)) return false;
  const asked = writtenAsOne(query.text.words);
  return runs.some((run) => asked.some((one) => run.includes(one))) && holds(readQuery(hint), query.text.words, 'approach');
};
