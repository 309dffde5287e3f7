import type { Redis } from 'iovalkey';
import { REINSTATE_SCORE, round6, type ScoreBreakdown } from '../../domain/scoring.js';
import { objectIn } from '../../projections/damaged.js';
import { millisOf } from '../../projections/history/cut.js';
import type { Keys } from '../../projections/keys.js';
import type { NotedParts } from '../api.js';

/** One shown memory as its recall noted it. Recalls from before parts were noted have none. */
export type NotedResult = { readonly key: string; readonly score: number; readonly parts?: NotedParts };

/** One recall of the capped stream: no text. `id` is its place in the stream. */
export type NotedRecall = {
  readonly id: string;
  readonly at: string;
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  /** The vector space that was searched; absent when only words were. */
  readonly model?: string;
  /** In the order of their ranks. */
  readonly results: readonly NotedResult[];
};

/** similarity, vector, lexical, surface, recency, experience, temporal, whether a hint brought it back, the fact that lent the score. */
type Packed = readonly [number, number | null, number | null, number, number, number, number, (0 | 1)?, string?];

/** What made a score, in a few characters. `via` names the fact whose score its source was given. */
export const packParts = (breakdown: ScoreBreakdown, via?: string): Packed => {
  const { similarity, vector, lexical, surface, recency, experience, temporal, reinstateCandidate } = breakdown;
  const rounded = (value: number | undefined): number | null => (value === undefined ? null : round6(value));
  const packed = [similarity, rounded(vector), rounded(lexical), surface, recency, experience, temporal] as const;
  if (via !== undefined) return [...packed, reinstateCandidate ? 1 : 0, via];
  return reinstateCandidate ? [...packed, 1] : packed;
};

const unpackParts = ([similarity, vector, lexical, surface, recency, experience, temporal, reinstated, via]: Packed): NotedParts => ({
  similarity,
  ...(vector !== null && { vector }),
  ...(lexical !== null && { lexical }),
  surface,
  recency,
  experience,
  temporal,
  ...(reinstated === 1 && { reinstated: true as const }),
  ...(via !== undefined && { via }),
});

/** The score that the parts make: their product, or what a memory gets that a hint brought back. `vector` and `lexical` are behind `similarity`. */
export const scoreOf = ({ similarity, surface, recency, experience, temporal, reinstated }: NotedParts): number =>
  reinstated ? REINSTATE_SCORE : round6(similarity * surface * recency * experience * temporal);

/** Noted recalls, newest first, from `end` (a stream id, `(` before it excludes it) back. Rejects with the raw Valkey error. */
export const readNotes = async (redis: Redis, keys: Keys, end: string, count: number): Promise<readonly NotedRecall[]> =>
  (await redis.xrevrange(keys.recalls, end, '-', 'COUNT', count)).map(([id, flat]) => recallIn(id, flat));

const recallIn = (id: string, flat: readonly string[]): NotedRecall => {
  const field = (name: string): string | undefined => {
    const at = flat.indexOf(name);
    return at < 0 ? undefined : flat[at + 1];
  };
  const shown = objectIn<readonly string[]>(field('keys')) ?? [];
  const scores = objectIn<readonly number[]>(field('scores')) ?? [];
  const parts = objectIn<readonly Packed[]>(field('parts')) ?? [];
  const model = field('model');
  return {
    id,
    at: field('at') ?? new Date(millisOf(id)).toISOString(),
    kind: field('kind') === 'recall_index' ? 'recall_index' : 'recall',
    actor: field('actor') ?? '',
    ...(model && { model }),
    results: shown.map((key, i) => {
      const packed = parts[i];
      return { key, score: scores[i] ?? 0, ...(packed && { parts: unpackParts(packed) }) };
    }),
  };
};

/** The query texts of recalls, in their order; undefined for one that is not kept any more. One round trip for each day. */
export const textsOf = async (
  redis: Redis,
  keys: Keys,
  recalls: readonly Pick<NotedRecall, 'id' | 'at'>[],
): Promise<readonly (string | undefined)[]> => {
  const days = new Map<string, string[]>();
  for (const { id, at } of recalls) {
    const day = at.slice(0, 10);
    const ids = days.get(day) ?? [];
    ids.push(id);
    days.set(day, ids);
  }
  const texts = new Map<string, string>();
  await Promise.all(
    [...days].map(async ([day, ids]) => {
      const found = await redis.hmget(keys.recallTexts(day), ...ids);
      ids.forEach((id, i) => {
        const text = found[i];
        if (typeof text === 'string') texts.set(id, text);
      });
    }),
  );
  return recalls.map(({ id }) => texts.get(id));
};
