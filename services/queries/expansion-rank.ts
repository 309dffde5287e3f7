import { parseQuery } from '../../domain/content.js';
import { byScoreThenKey } from '../../domain/scoring.js';
import { type Question, type RankedHit, type Ranking, type RankParts, rank, withoutFactsBehindSources } from './rank.js';

const UNAVAILABLE: Readonly<Record<string, string>> = {
  NO_KEY: 'The query was not rephrased: there is no ANTHROPIC_API_KEY. This is the answer to the query alone.',
};

export type Expanded = Ranking & { readonly variants: readonly string[] };

/**
 * The ranking of a query and of its rephrasings together: each is searched and scored like any query, and a memory takes its
 * best score. Only the query itself brings back what a hint names. Without rephrasings it is the ranking of the query, and
 * says so.
 */
export const rankExpanded = async (parts: RankParts, question: Question): Promise<Expanded> => {
  const query = parseQuery(question.query);
  const [own, expansion] = await Promise.all([rank(parts, question), parts.expansion.expand(query, question.signal)]);
  if ('unavailable' in expansion) {
    const { unavailable } = expansion;
    const note = UNAVAILABLE[unavailable] ?? `The query could not be rephrased (${unavailable}); this is the answer to the query alone.`;
    return { ...own, variants: [], note: own.note === undefined ? note : `${own.note} ${note}` };
  }
  const others = await Promise.all(expansion.variants.map((variant) => rank(parts, { ...question, query: variant, isVariant: true })));
  return { ...own, hits: best(parts, [own, ...others]), variants: expansion.variants };
};

/** The best hit of each memory. The first ranking, that of the query itself, wins a tie. */
const best = (parts: RankParts, rankings: readonly Ranking[]): readonly RankedHit[] => {
  const hits = new Map<string, RankedHit>();
  for (const hit of rankings.flatMap((ranking) => ranking.hits)) {
    const before = hits.get(hit.key);
    // What a hint brought back has its score by rule.
    if (!before || (hit.score > before.score && !before.parts.reinstateCandidate)) hits.set(hit.key, hit);
  }
  return withoutFactsBehindSources(parts, [...hits.values()]).sort(byScoreThenKey);
};
