import type { Redis } from 'iovalkey';
import { clip } from '../../domain/passage.js';
import { millisOf } from '../../projections/history/cut.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallAppearance } from '../api.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const PAGE = 1_000;
/** The newest so many are told; all are counted. */
const SHOWN = 20;
const QUERY_SHOWN = 200;

export type Appearances = { readonly shown: readonly RecallAppearance[]; readonly total: number };

type Found = Omit<RecallAppearance, 'query'> & { readonly id: string };

/**
 * The recalls that a memory appeared in, newest first, as far as the capped stream still has them; those up to `until`
 * (epoch milliseconds) when it is given. The text of a query is there for a month, unless a memory it showed was forgotten.
 */
export const appearancesOf = (redis: Redis, keys: Keys, memory: string, until?: number): Promise<Appearances> =>
  unavailableWhenDown(async () => {
    const found: Found[] = [];
    for (let end = until === undefined ? '+' : String(Math.floor(until)); ; ) {
      const page = await redis.xrevrange(keys.recalls, end, '-', 'COUNT', PAGE);
      for (const [id, fields] of page) {
        const appearance = appearanceIn(memory, id, fields);
        if (appearance) found.push(appearance);
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      end = `(${last[0]}`;
    }
    const shown = found.slice(0, SHOWN);
    const texts = await Promise.all(shown.map(({ id, at }) => redis.hget(keys.recallTexts(at.slice(0, 10)), id)));
    return {
      shown: shown.map(({ id: _id, ...appearance }, i) => {
        const query = texts[i];
        return { ...appearance, ...(typeof query === 'string' && { query: clip(query, QUERY_SHOWN) }) };
      }),
      total: found.length,
    };
  });

const appearanceIn = (memory: string, id: string, flat: readonly string[]): Found | undefined => {
  const field = (name: string): string | undefined => {
    const at = flat.indexOf(name);
    return at < 0 ? undefined : flat[at + 1];
  };
  const shown = field('keys');
  if (!shown?.includes(memory)) return undefined;
  const rank = (JSON.parse(shown) as string[]).indexOf(memory);
  const score = (JSON.parse(field('scores') ?? '[]') as number[])[rank];
  if (rank < 0 || score === undefined) return undefined;
  return {
    id,
    at: field('at') ?? new Date(millisOf(id)).toISOString(),
    kind: field('kind') === 'recall_index' ? 'recall_index' : 'recall',
    actor: field('actor') ?? '',
    rank: rank + 1,
    score,
  };
};
