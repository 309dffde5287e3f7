/** Means over questions, 0..1. MRR and nDCG look at the first ten. */
export type Quality = {
  readonly questions: number;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg: number;
};

export type Ranking = { readonly found: readonly string[]; readonly evidence: readonly string[] };

/** Recall is the share of a question's evidence among the first k (Järvelin and Kekäläinen 2002 for nDCG). */
export const quality = (rankings: readonly Ranking[]): Quality => {
  const mean = (of: (ranking: Ranking) => number) => rankings.reduce((sum, ranking) => sum + of(ranking), 0) / Math.max(1, rankings.length);
  return {
    questions: rankings.length,
    recall1: mean(recallAt(1)),
    recall5: mean(recallAt(5)),
    recall10: mean(recallAt(10)),
    mrr: mean(reciprocalRank),
    ndcg: mean(ndcg),
  };
};

const recallAt =
  (k: number) =>
  ({ found, evidence }: Ranking): number =>
    evidence.filter((key) => found.slice(0, k).includes(key)).length / evidence.length;

const reciprocalRank = ({ found, evidence }: Ranking): number => {
  const first = found.slice(0, 10).findIndex((key) => evidence.includes(key));
  return first < 0 ? 0 : 1 / (first + 1);
};

const ndcg = ({ found, evidence }: Ranking): number => {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const got = found.slice(0, 10).reduce((sum, key, rank) => sum + (evidence.includes(key) ? gain(rank) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, evidence.length) }, (_, rank) => gain(rank)).reduce((sum, each) => sum + each, 0);
  return got / ideal;
};

/** The value below which this share of the values lies. */
export const percentile = (values: readonly number[], share: number): number | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};
