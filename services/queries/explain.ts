import { DomainError } from '../../domain/errors.js';
import { isRecallable } from '../../domain/project/key.js';
import { withServing } from '../../projections/generation.js';
import { covers } from '../../projections/history/cut.js';
import type { MemoryRow } from '../../projections/memories.js';
import { readTimeline, timeline } from '../../projections/timeline.js';
import type { Call, ExplainMemoryInput, ExplainMemoryResult } from '../api.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import { appearancesOf } from '../history/appearances.js';
import { isoOf, resolve } from '../history/as-of.js';
import { rowAt } from '../history/row-at.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { contradictionsIn } from './contradictions-of.js';
import { lineageOf } from './lineage.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';
import { recallsNoted } from './telemetry.js';
import { presentState, tell } from './told.js';

const MAX_EVENTS = 200;

/**
 * The history of one memory straight from the log: each event, when, by whom, and which fields it changed, found by
 * applying the events one after another exactly as the view does. An erased event keeps its line and loses its text. With
 * the recalls it appeared in; with `as_of` all of it up to that moment.
 */
export const explainMemory = async (parts: QueryParts, input: ExplainMemoryInput, _call: Call): Promise<ExplainMemoryResult> => {
  const key = input.key.trim();
  if (!isRecallable(key))
    throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J… ; recall shows them');
  const cut = input.as_of === undefined ? undefined : (await resolve(parts, input.as_of)).cut;
  const stale = await parts.fresh();
  const { redis, keys, log } = parts;
  const everything = await unavailableWhenDown(() =>
    withServing(redis, keys, timeline.name, (generation) => readTimeline(redis, keys, generation, key)),
  );
  const end = cut ? everything.findIndex(({ position }) => !covers(cut, position)) : -1;
  const lines = end < 0 ? everything : everything.slice(0, end);
  const as_of = cut && { position: cut.upTo, time: isoOf(cut) };
  const told = { ...(as_of && { as_of }), ...(stale && { stale }) };
  if (lines.length === 0) return { status: 'not_found', key, ...told };
  const entries = await log.at(lines.map(({ position }) => position));
  const { lines: shown, beside } = tell(entries);
  const contradictions = contradictionsIn(entries, cut ? undefined : parts.index.documents);
  const limit = Math.max(1, Math.min(MAX_EVENTS, input.max_events ?? MAX_EVENTS));
  const row = cut ? await rowAt(parts, cut, key, entries) : (await rowsOf(parts, [key])).get(key);
  await recallsNoted(parts);
  const recalls = await appearancesOf(redis, keys, key, cut?.time);
  const now = cut ? NOTHING_OF_NOW : await standingNow(parts, key, row);
  return {
    status: row || beside.domains || beside.merges ? 'found' : 'forgotten',
    key,
    ...presentState(row, beside),
    ...(row && contradictions.length > 0 && { contradictions }),
    ...now,
    timeline: shown.slice(-limit),
    ...(shown.length > limit && { timeline_cut: { shown: limit, total: shown.length } }),
    ...(recalls.total > 0 && { recalls: recalls.shown }),
    ...(recalls.total > recalls.shown.length && { recalls_cut: { shown: recalls.shown.length, total: recalls.total } }),
    ...told,
  };
};

type Found = Exclude<ExplainMemoryResult, { readonly status: 'not_found' }>;
type OfNow = Pick<Found, 'recall_count' | 'last_recalled' | 'lineage'>;

const NOTHING_OF_NOW: OfNow = {};

/** What the counters and the other memories say now. */
const standingNow = async (parts: QueryParts, key: string, row: MemoryRow | undefined): Promise<OfNow> => {
  const { redis, keys } = parts;
  const [recall_count, last_recalled] = await unavailableWhenDown(() =>
    Promise.all([redis.hget(keys.counter(RECALL_COUNTERS.count), key), redis.hget(keys.counter(RECALL_COUNTERS.last), key)]),
  );
  const lineage = await lineageOf(parts, key, row);
  return {
    ...(recall_count !== null && { recall_count: Number(recall_count) }),
    ...(last_recalled !== null && { last_recalled }),
    ...(lineage && { lineage }),
  };
};
