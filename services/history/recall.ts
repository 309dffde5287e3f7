import type { AbandonedWarnings, Call } from '../api.js';
import { warningsBeside } from '../queries/experience/warnings.js';
import type { QueryParts } from '../queries/parts.js';
import { type Question, type Ranking, rank } from '../queries/rank.js';
import { NEAREST_SHOWN, type Shown, showable } from '../queries/rows.js';
import { askEarlier, type Earlier } from './as-of.js';

/** The memories that answered a question at an earlier moment, as they were then. Counts as no recall. */
export const recallEarlier = (
  parts: QueryParts,
  asOf: string,
  call: Call,
  question: Question,
): Promise<
  Earlier<{
    readonly ranking: Ranking;
    readonly shown: readonly Shown[];
    readonly nearest: readonly Shown[];
    readonly warnings: AbandonedWarnings;
  }>
> =>
  askEarlier(parts, asOf, call, async (then, moment) => {
    const ranking = await rank(then, question);
    const shown = await showable(then, ranking.hits, question.topK, (keys) => moment.rows(keys));
    const nearest = shown.length > 0 ? [] : await showable(then, ranking.nearest, NEAREST_SHOWN, (keys) => moment.rows(keys));
    return { ranking, shown, nearest, warnings: warningsBeside(then.index, question, ranking) };
  }).then(({ as_of, ...earlier }) => {
    if (as_of.model === null || earlier.answer.ranking.search === 'fused') return { ...earlier, as_of };
    return { ...earlier, as_of: { ...as_of, model: null, exact: false, note: 'The embedding model did not answer.' } };
  });
