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

const reaches = (candidate: Candidate, bar: Bar): boolean => {
  const { hit, tagged } = candidate;
  if (tagged === 'all') return true;
  if (!maySpeak(candidate, bar)) return false;
  if (bar.isHalfRead && relevanceByWords(hit) >= bar.lexical) return true;
  if (!bar.isForeign) return hit.relevance >= bar.fused;
  return isForeignMatch(hit, bar) || (tagged === 'some' && hit.relevance >= bar.fused);
};

/**
 * Which candidates of one search, of whatever namespaces, are matches: those that reach the bar, and whatever shares a word
 * with the question and has a base similarity no lower than one of these. So nothing that shares a word is hidden while a
 * memory is shown that it stands above, and no question is answered that was not answered without this.
 */
export const matchesAmong = <C extends Candidate>(candidates: readonly C[], bar: Bar): ReadonlySet<C> => {
  const reached = new Set(candidates.filter((candidate) => reaches(candidate, bar)));
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of reached) least = Math.min(least, scoreOf(candidate));
  for (const candidate of candidates) if (sharesWord(candidate) && scoreOf(candidate) >= least) reached.add(candidate);
  return reached;
};

/** Where nothing matches: what is not far from it, the most relevant first. */
export const nearestAmong = <C extends Candidate>(candidates: readonly C[], bar: Bar): readonly C[] => {
  const near = ({ hit }: C): boolean =>
    bar.isForeign ? hit.relevance >= bar.fused && (hit.cosine ?? -1) >= FOREIGN_NEAREST : hit.relevance >= bar.fused - NEAREST;
  return candidates
    .filter((candidate) => maySpeak(candidate, bar) && near(candidate))
    .sort((a, b) => b.hit.relevance - a.hit.relevance || (b.hit.cosine ?? -1) - (a.hit.cosine ?? -1));
};
