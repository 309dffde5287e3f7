import type { Redis } from 'iovalkey';
import { clip } from '../../domain/passage.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallAppearance } from '../api.js';
import { type NotedRecall, readNotes, textsOf } from '../queries/recall-notes.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const PAGE = 1_000;
/** The newest so many are told; all are counted. */
const SHOWN = 20;
const QUERY_SHOWN = 200;

export type Appearances = { readonly shown: readonly RecallAppearance[]; readonly total: number };

/**
 * The recalls that a memory appeared in, newest first, as far as the capped stream still has them; those up to `until`
 * (epoch milliseconds) when it is given. The text of a query is there for a month, unless a memory it showed was forgotten.
 */
export const appearancesOf = (redis: Redis, keys: Keys, memory: string, until?: number): Promise<Appearances> =>
  unavailableWhenDown(async () => {
    const found: NotedRecall[] = [];
    for (let end = until === undefined ? '+' : String(Math.floor(until)); ; ) {
      const page = await readNotes(redis, keys, end, PAGE);
      found.push(...page.filter(({ results }) => results.some(({ key }) => key === memory)));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      end = `(${last.id}`;
    }
    const shown = found.slice(0, SHOWN);
    const texts = await textsOf(redis, keys, shown);
    return { shown: shown.flatMap((recall, i) => appearanceIn(recall, memory, texts[i])), total: found.length };
  });

const appearanceIn = (
  { at, kind, actor, results }: NotedRecall,
  memory: string,
  query: string | undefined,
): readonly RecallAppearance[] => {
  const rank = results.findIndex(({ key }) => key === memory);
  const result = results[rank];
  if (!result) return [];
  const { score, parts } = result;
  const asked = query === undefined ? {} : { query: clip(query, QUERY_SHOWN) };
  return [{ at, kind, actor, rank: rank + 1, score, ...(parts && { parts }), ...asked }];
};
