/** What the vectors say of a memory: the cosine of its best window. */
export type VectorEvidence = { readonly key: string; readonly similarity: number; readonly window: number };

/**
 * What the words say of a memory: BM25 over the query's ideal, and the share of the query's words it holds, both 0..1.
 * `named`: it holds a rare code or name that the query spells out.
 */
export type LexicalEvidence = { readonly key: string; readonly score: number; readonly coverage: number; readonly named?: true };

/** What both say together. */
export type FusedHit = {
  readonly key: string;
  /** The base similarity that the rest of the recall pipeline multiplies, -0.5..1. Good for ranking. */
  readonly score: number;
  /** Whether it is a match at all, -1..1: compare with RECALL_MIN_SCORE and rank by nothing of it. */
  readonly relevance: number;
  /** Absent where the memory has no vector or the vectors were not asked. */
  readonly cosine: number | undefined;
  /** The window of a long text that matched best. */
  readonly window: number | undefined;
  readonly lexical: number;
  readonly coverage: number;
};

/** The share of the words in the base similarity. This and the numbers below were chosen by measurement: docs/retrieval.md. */
export const LEXICAL_WEIGHT = 0.5;
/** The same of a question that the model did not read whole: a pasted log, of which a line matters that only words find. */
export const HALF_READ_LEXICAL_WEIGHT = 0.75;
/** Word evidence up to here is what an unrelated text shows by chance. */
const LEXICAL_NOISE = 0.1;
/**
 * A hit whose `relevance` is below this is no match. Measured with all-MiniLM-L6-v2. About a cosine: in a loud search one of
 * 0.36 reaches it, in a quiet one 0.26, behind a hit that does 0.24.
 */
export const RECALL_MIN_SCORE = 0.36;
/** Words help a memory over the floor less than they help it up the ranks, for unrelated texts share words too. */
const WORDS_IN_RELEVANCE = 0.2;
/** From 9 tenths of the query's words on, weighed by rarity, the words are enough: an identifier is found in any text. */
const COVERAGE_IN_RELEVANCE = 0.4;
/** Whoever asks for ERR_4711 means the memory that holds it, however many other words stand around it. */
const NAMED = { evidence: 0.7, relevance: 0.5 } as const;
/** Where there is no vector, evidence of 0.18 has to do. */
const WORDS_ALONE_IN_RELEVANCE = 2;
/** The neighbours, counted from the nearest, whose mean cosine is the noise of a search. */
const NOISE_RANKS = { first: 10, last: 20 } as const;
/** From this noise on, the many memories of a large store or of the query's own field, a cosine is taken as it is. */
const LOUD = 0.18;
/** The most that a quiet search adds to a cosine. */
const LARGEST_LIFT = 0.1;
/** A hit this close to the best of its search is as much a match as the best. */
const AS_GOOD_AS_BEST = 0.12;

/**
 * One base similarity per memory out of both searches, best first, ties by key, rounded to 6 digits.
 *
 * `(1 - w) * cosine + w * evidence`, where evidence is the mean of BM25 and coverage above the noise, stretched to 0..1.
 * The mean is kinder to long texts than BM25 and stricter than coverage. A memory that one search did not report counts
 * 0 there, so look up what is missing first. Without vectors (`undefined`: no model is ready) the evidence is the score.
 * Either list names a memory once.
 */
export const fuse = (
  vectors: readonly VectorEvidence[] | undefined,
  words: readonly LexicalEvidence[],
  wordsWeigh = LEXICAL_WEIGHT,
): FusedHit[] => {
  const weight = vectors === undefined ? 1 : wordsWeigh;
  const wordsOf = new Map<string, LexicalEvidence>();
  for (const hit of words) wordsOf.set(hit.key, hit);
  const hits: Judged[] = [];
  for (const vector of vectors ?? []) {
    hits.push(hitOf(vector.key, vector, wordsOf.get(vector.key) ?? NO_WORDS, weight));
    wordsOf.delete(vector.key);
  }
  for (const [key, evidence] of wordsOf) hits.push(hitOf(key, undefined, evidence, weight));
  if (vectors !== undefined) judge(hits, liftOf(vectors));
  return hits.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
};

type Judged = Omit<FusedHit, 'relevance'> & { relevance: number };

const hitOf = (
  key: string,
  vector: VectorEvidence | undefined,
  { score: lexical, coverage, named }: Omit<LexicalEvidence, 'key'>,
  weight: number,
): Judged => {
  const cosine = vector?.similarity;
  const spelt = evidenceOf(lexical, coverage);
  const evidence = named ? Math.max(spelt, NAMED.evidence) : spelt;
  const score = rounded((1 - weight) * (cosine ?? 0) + weight * evidence);
  const relevance = Math.max(relevanceOf(cosine, evidence, coverage), named ? NAMED.relevance : -1);
  return { key, score, relevance, cosine, window: vector?.window, lexical, coverage };
};

const NO_WORDS: Omit<LexicalEvidence, 'key'> = { score: 0, coverage: 0 };

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

const evidenceOf = (score: number, coverage: number): number => Math.max(0, (score + coverage) / 2 - LEXICAL_NOISE) / (1 - LEXICAL_NOISE);

const relevanceOf = (cosine: number | undefined, evidence: number, coverage: number): number => {
  const near = cosine === undefined ? WORDS_ALONE_IN_RELEVANCE * evidence : nearness(cosine, evidence);
  return rounded(Math.min(1, Math.max(near, COVERAGE_IN_RELEVANCE * coverage)));
};

/** What the relevance of a hit would be had the vectors not been asked, 0..1: compare with the floor of a search by words alone. */
export const relevanceByWords = ({ lexical, coverage }: Pick<FusedHit, 'lexical' | 'coverage'>): number =>
  relevanceOf(undefined, evidenceOf(lexical, coverage), coverage);

const nearness = (cosine: number, evidence: number): number => cosine + WORDS_IN_RELEVANCE * evidence;

/**
 * How much more a cosine of this search is worth than in a loud one, 0..0.1: the best of a few unrelated cosines is lower
 * than the best of many. Where there are fewer neighbours than the ranks ask for, the empty ranks count 0.
 */
const liftOf = (vectors: readonly VectorEvidence[]): number => {
  const { first, last } = NOISE_RANKS;
  const nearest = Float64Array.from(vectors, (hit) => hit.similarity)
    .sort()
    .reverse();
  const noise = nearest.subarray(first - 1, last).reduce((sum, cosine) => sum + cosine, 0) / (last - first + 1);
  return Math.min(LARGEST_LIFT, Math.max(0, LOUD - noise));
};

/** Lifts what a cosine speaks for, then draws level with the best what comes close to it. Lowers nothing. */
const judge = (hits: readonly Judged[], lift: number): void => {
  let best = Number.NEGATIVE_INFINITY;
  for (const hit of hits) best = Math.max(best, lifted(hit, lift));
  for (const hit of hits) hit.relevance = hit.relevance >= best - AS_GOOD_AS_BEST ? best : lifted(hit, lift);
};

const lifted = ({ relevance, cosine, lexical, coverage }: Judged, lift: number): number =>
  cosine === undefined ? relevance : rounded(Math.min(1, Math.max(relevance, nearness(cosine, evidenceOf(lexical, coverage)) + lift)));
