/** What the vectors say of a memory: the cosine of its best window. */
export type VectorEvidence = { readonly key: string; readonly similarity: number; readonly window: number };

/** What the words say of a memory: BM25 over the query's ideal, and the share of the query's words it holds, both 0..1. */
export type LexicalEvidence = { readonly key: string; readonly score: number; readonly coverage: number };

/** `score` is the base similarity (-0.6..1) that the rest of the recall pipeline multiplies; the rest explains it. */
export type FusedHit = {
  readonly key: string;
  readonly score: number;
  /** Absent where the memory has no vector or the vectors were not asked. */
  readonly cosine: number | undefined;
  /** The window of a long text that matched best. */
  readonly window: number | undefined;
  readonly lexical: number;
  readonly coverage: number;
};

/** The share of the words in the base similarity. Chosen by measurement: docs/retrieval.md. */
export const LEXICAL_WEIGHT = 0.4;
/** Word evidence up to here is what an unrelated text shows by chance. */
export const LEXICAL_NOISE = 0.1;
/** A base similarity below this is no match. Measured with all-MiniLM-L6-v2: docs/retrieval.md. */
export const RECALL_MIN_SCORE = 0.24;

/**
 * One base similarity per memory out of both searches, best first, ties by key, rounded to 6 digits.
 *
 * `(1 - w) * cosine + w * evidence`, where evidence is the mean of BM25 and coverage above the noise, stretched to 0..1.
 * The mean is kinder to long texts than BM25 and stricter than coverage. A memory that one search did not report counts
 * 0 there, so look up what is missing first. Without vectors (`undefined`: no model is ready) the evidence is the score.
 */
export const fuse = (vectors: readonly VectorEvidence[] | undefined, words: readonly LexicalEvidence[]): FusedHit[] => {
  const vectorOf = new Map(vectors?.map((hit) => [hit.key, hit]));
  const wordsOf = new Map(words.map((hit) => [hit.key, hit]));
  const weight = vectors === undefined ? 1 : LEXICAL_WEIGHT;
  return [...new Set([...vectorOf.keys(), ...wordsOf.keys()])]
    .map((key) => {
      const vector = vectorOf.get(key);
      const { score: lexical, coverage } = wordsOf.get(key) ?? NO_WORDS;
      const score = (1 - weight) * (vector?.similarity ?? 0) + weight * evidence(lexical, coverage);
      return { key, score: Math.round(score * 1e6) / 1e6, cosine: vector?.similarity, window: vector?.window, lexical, coverage };
    })
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
};

const NO_WORDS = { score: 0, coverage: 0 };

const evidence = (score: number, coverage: number): number => Math.max(0, (score + coverage) / 2 - LEXICAL_NOISE) / (1 - LEXICAL_NOISE);
