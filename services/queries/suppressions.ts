import { withServing } from '../../projections/generation.js';
import { readSuppressions, suppressions } from '../../projections/suppressions.js';
import type { Asked, Call, ListSuppressionsResult } from '../api.js';
import { askEarlier, told } from '../history/as-of.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';

/** The topics that recall leaves out, by name, with the reasons that were given. */
export const listSuppressions = async (parts: QueryParts, { as_of }: Asked, call: Call): Promise<ListSuppressionsResult> => {
  if (as_of !== undefined) {
    const { answer, ...moment } = await askEarlier(parts, as_of, call, async ({ index }) => [...index.suppressed.topics]);
    return { ...listOf(answer.map(([topic, reason]) => ({ topic, reason })).sort(byTopic)), ...told(moment) };
  }
  const stale = await parts.fresh();
  const { redis, keys } = parts;
  const found = await unavailableWhenDown(() =>
    withServing(redis, keys, suppressions.name, (generation) => readSuppressions(redis, keys, generation)),
  );
  return { ...listOf(found), ...(stale && { stale }) };
};

type Suppressed = { readonly topic: string; readonly reason?: string | undefined };

const byTopic = (a: Suppressed, b: Suppressed): number => (a.topic < b.topic ? -1 : 1);

const listOf = (found: readonly Suppressed[]): ListSuppressionsResult => {
  const reasons = Object.fromEntries(found.flatMap(({ topic, reason }) => (reason === undefined ? [] : [[topic, reason]])));
  return { suppressed_topics: found.map(({ topic }) => topic), ...(Object.keys(reasons).length > 0 && { reasons }) };
};
