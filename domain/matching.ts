import { type FusedHit, relevanceByWords } from './fusion.js';
import { type Floors, FOREIGN_COSINE, isForeignMatch } from './legibility.js';
import type { Tagged } from './tags-asked.js';

/** What is held against a question: the evidence of both searches, and what is known of the memory itself. */
export type Candidate = {
  readonly hit: Pick<FusedHit, 'score' | 'relevance' | 'lexical' | 'coverage' | 'cosine'>;
  /** Its text is in a script of which the model reads too little. */
  readonly isUnread: boolean;
  readonly tagged: Tagged;
};

/** What a match has to reach. */
export type Bar = Floors & {
  /** The question is in a language that the model reads badly. */
  readonly isForeign: boolean;
  /** The question is one identifier: what sounds like it is the nearest noise. */
  readonly isExact: boolean;
  /** The model did not read the whole question, so a cosine says nothing of what stands in its middle. */
  readonly isHalfRead: boolean;
};

/** The base similarity of a memory whose tags are all that the question asks: that of a neighbour by chance, so text comes first. */
export const TAGGED_SCORE = 0.15;
/** How many memories are shown by their tags alone: a tag may be on any number of them. */
export const MOST_BY_TAG = 5;
/** The share of a question's words that is more than a chance word in common. */
const MUCH_COVERED = 0.5;
/** How far below the floor something may be to be named where nothing matches: docs/retrieval.md. */
const NEAREST = 0.08;
/** The same of a question in another language: a cosine between chance and a match. */
const FOREIGN_NEAREST = 0.4;

const sharesWord = ({ hit, tagged }: Candidate): boolean => hit.lexical > 0 || tagged !== 'nothing';

/** The base similarity of a candidate, -0.5..1. */
export const scoreOf = ({ hit, tagged }: Candidate): number => (tagged === 'all' ? Math.max(hit.score, TAGGED_SCORE) : hit.score);

/** Whether a cosine may speak for it where no word does. */
const maySpeak = (candidate: Candidate, { isExact }: Bar): boolean =>
  sharesWord(candidate) || (!isExact && (!candidate.isUnread || (candidate.hit.cosine ?? -1) >= FOREIGN_COSINE));

const reachesByText = (candidate: Candidate, bar: Bar): boolean => {
  const { hit, tagged } = candidate;
  if (!maySpeak(candidate, bar)) return false;
  if (bar.isHalfRead && relevanceByWords(hit) >= bar.lexical) return true;
  if (!bar.isForeign) return hit.relevance >= bar.fused;
  return isForeignMatch(hit, bar) || (tagged !== 'nothing' && hit.relevance >= bar.fused);
};

/** Whether only its tags make a match of it: they say which shelf it stands on, not what it says. */
export const isByTagAlone = (candidate: Candidate, bar: Bar): boolean =>
  candidate.tagged === 'all' && candidate.hit.lexical === 0 && !reachesByText(candidate, bar);

/**
 * Which candidates of one search, of whatever namespaces, are matches: those that reach the bar; what holds at least half of the
 * question's words, by their weights, and has a base similarity no lower than one of these; and whatever shares a word and stands no
 * lower than one of all these that shares a word. So nothing that shares a word is hidden while a memory is shown that shares one and
 * stands below it, and no question is answered that was not answered without this.
 */
export const matchesAmong = <C extends Candidate>(candidates: readonly C[], bar: Bar): ReadonlySet<C> => {
  const shown = new Set(candidates.filter((candidate) => candidate.tagged === 'all' || reachesByText(candidate, bar)));
  const addFrom = (least: number, mayFollow: (candidate: C) => boolean): void => {
    for (const candidate of candidates) if (mayFollow(candidate) && scoreOf(candidate) >= least) shown.add(candidate);
  };
  addFrom(lowestOf([...shown]), (candidate) => candidate.hit.coverage >= MUCH_COVERED);
  addFrom(lowestOf([...shown].filter(sharesWord)), sharesWord);
  return shown;
};

/** Infinity of none. */
const lowestOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((lowest, candidate) => Math.min(lowest, scoreOf(candidate)), Number.POSITIVE_INFINITY);

/** Where nothing matches: what is not far from it, the most relevant first. */
export const nearestAmong = <C extends Candidate>(candidates: readonly C[], bar: Bar): readonly C[] => {
  const near = ({ hit }: C): boolean =>
    bar.isForeign ? hit.relevance >= bar.fused && (hit.cosine ?? -1) >= FOREIGN_NEAREST : hit.relevance >= bar.fused - NEAREST;
  return candidates
    .filter((candidate) => maySpeak(candidate, bar) && near(candidate))
    .sort((a, b) => b.hit.relevance - a.hit.relevance || (b.hit.cosine ?? -1) - (a.hit.cosine ?? -1));
};
