import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { createMatcher } from './matcher.js';
import type { Needle } from './needles.js';

/** Days for which the texts of queries are kept. */
export const QUERY_TEXT_DAYS = 30;

const DAY_MS = 86_400_000;
const PAGE = 1_000;

/** Text is compared without regard to capital letters: who asks for something seldom writes it as it was said. */
const folded = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('utf8').toLowerCase(), 'utf8');

/**
 * Erases, and drops the texts of recalls' queries that hold a piece of what is erased, whatever the recall showed: one that was
 * asked before the memory was there, or of another namespace, showed it to nobody. Before, since whoever goes on after a crash
 * knows of no piece; and after, when somebody asked meanwhile. `now` in epoch milliseconds. Throws UNAVAILABLE.
 */
export const erasingQueries = async <Answer>(
  { redis, keys, now }: { readonly redis: Redis; readonly keys: Keys; readonly now: () => number },
  needles: readonly Needle[],
  erase: () => Promise<Answer>,
): Promise<Answer> => {
  if (needles.length === 0) return erase();
  const newest = async (): Promise<string | undefined> =>
    (await unavailableWhenDown(() => redis.xrevrange(keys.recalls, '+', '-', 'COUNT', 1)))[0]?.[0];
  const before = await newest();
  await dropHolding(redis, keys, needles, now());
  const answer = await erase();
  if ((await newest()) !== before) await dropHolding(redis, keys, needles, now());
  return answer;
};

const dropHolding = async (redis: Redis, keys: Keys, needles: readonly Needle[], now: number): Promise<void> => {
  // From tomorrow: the clock of another process may be ahead.
  const days = Array.from({ length: QUERY_TEXT_DAYS + 2 }, (_, i) => new Date(now + (1 - i) * DAY_MS).toISOString().slice(0, 10));
  const kept = await unavailableWhenDown(() => Promise.all(days.map((day) => redis.exists(keys.recallTexts(day)))));
  const held = days.filter((_, i) => kept[i] === 1);
  if (held.length === 0) return;
  const matcher = createMatcher(needles.map(({ memory, bytes }) => ({ memory, bytes: folded(bytes) })));
  for (const day of held) await dropOf(redis, keys.recallTexts(day), (text) => matcher.in(text).size > 0);
};

const dropOf = async (redis: Redis, key: string, holds: (text: Buffer) => boolean): Promise<void> => {
  let cursor = '0';
  do {
    const [next, page] = await unavailableWhenDown(() => redis.hscan(key, cursor, 'COUNT', PAGE));
    cursor = next;
    const folds = (text: string | undefined): Buffer => Buffer.from((text ?? '').toLowerCase(), 'utf8');
    // Nearly always no text of a page holds anything: one look at all of them tells.
    if (!holds(folds(page.filter((_, i) => i % 2 === 1).join('\0')))) continue;
    const holding = page.filter((_, i) => i % 2 === 0 && holds(folds(page[i + 1])));
    if (holding.length > 0) await unavailableWhenDown(() => redis.hdel(key, ...holding));
  } while (cursor !== '0');
};
