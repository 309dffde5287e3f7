import { positionOf } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { isRecallable } from '../../domain/project/key.js';
import { withServing } from '../../projections/generation.js';
import { covers } from '../../projections/history/cut.js';
import { foldRow, rowAfter } from '../../projections/history/fold.js';
import { type MemoryRow, toMemory } from '../../projections/memories.js';
import type { Row } from '../../projections/projection.js';
import { readTimeline, timeline } from '../../projections/timeline.js';
import type { Call, ExplainMemoryInput, ExplainMemoryResult, TimelineLine } from '../api.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import { appearancesOf } from '../history/appearances.js';
import { isoOf, resolve } from '../history/as-of.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { contradictionsIn } from './contradictions-of.js';
import { detailOf } from './detail.js';
import { lineageOf } from './lineage.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';
import { recallsNoted } from './telemetry.js';

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
  await parts.fresh();
  const { redis, keys, log } = parts;
  const everything = await unavailableWhenDown(() =>
    withServing(redis, keys, timeline.name, (generation) => readTimeline(redis, keys, generation, key)),
  );
  const end = cut ? everything.findIndex(({ position }) => !covers(cut, position)) : -1;
  const lines = end < 0 ? everything : everything.slice(0, end);
  const as_of = cut && { position: cut.upTo, time: isoOf(cut) };
  if (lines.length === 0) return { status: 'not_found', key, ...(as_of && { as_of }) };
  const entries = await log.at(lines.map(({ position }) => position));
  const shown = tell(entries);
  const contradictions = contradictionsIn(entries, cut ? undefined : parts.index.documents);
  const limit = Math.max(1, Math.min(MAX_EVENTS, input.max_events ?? MAX_EVENTS));
  const row = cut ? toMemory(key, foldRow(entries)) : (await rowsOf(parts, [key])).get(key);
  await recallsNoted(parts);
  const recalls = await appearancesOf(redis, keys, key, cut?.time);
  const now = cut ? NOTHING_OF_NOW : await standingNow(parts, key, row);
  return {
    status: row ? 'found' : 'forgotten',
    key,
    ...(row && detailOf(row)),
    ...(row?.deprioritised_reason !== undefined && { deprioritised_reason: row.deprioritised_reason }),
    ...(row && row.reinstate_hints.length > 0 && { reinstate_hints: row.reinstate_hints }),
    ...(row?.enriched_from !== undefined && { enriched_from: row.enriched_from }),
    ...(row && contradictions.length > 0 && { contradictions }),
    ...now,
    timeline: shown.slice(-limit),
    ...(shown.length > limit && { timeline_cut: { shown: limit, total: shown.length } }),
    ...(recalls.total > 0 && { recalls: recalls.shown }),
    ...(recalls.total > recalls.shown.length && { recalls_cut: { shown: recalls.shown.length, total: recalls.total } }),
    ...(as_of && { as_of }),
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

type Entries = Awaited<ReturnType<QueryParts['log']['at']>>;

const tell = (entries: Entries): TimelineLine[] => {
  let fields: Row = {};
  return entries.map((entry): TimelineLine => {
    if (entry.kind === 'fault') {
      const { eventId = '', code } = entry.fault;
      return { n: 0, event: `unreadable (${code})`, event_id: eventId, position: positionOf(entry), at: '', actor: '', correlation: '' };
    }
    const { envelope, position } = entry.kind === 'event' ? entry.event : entry.husk;
    const { n, type, id, at, actor, correlation, causation } = envelope;
    const line = { n, event: type, event_id: id, position, at, actor, correlation, ...(causation !== undefined && { causation }) };
    if (entry.kind === 'husk') return { ...line, erased: true };
    const before = fields;
    fields = rowAfter(fields, entry.event);
    const { data } = entry.event;
    const reason = 'reason' in data ? data.reason : undefined;
    return { ...line, ...(reason !== undefined && { reason }), changed: difference(envelope.subject, before, fields) };
  });
};

/** Bookkeeping of the view that says nothing to a reader. */
/** The parts of a context are told by its content. */
const SILENT = new Set(['context', 'version', 'content_version', 'base_surface', 'updated_at', 'created_at', 'key']);

const difference = (key: string, before: Row, after: Row): Record<string, { from?: unknown; to?: unknown }> => {
  const [old, fresh] = [toMemory(key, before), toMemory(key, after)];
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})].filter((name) => !SILENT.has(name)));
  const changed: Record<string, { from?: unknown; to?: unknown }> = {};
  for (const name of names) {
    const from = old?.[name as keyof typeof old];
    const to = fresh?.[name as keyof typeof fresh];
    if (JSON.stringify(from) === JSON.stringify(to)) continue;
    changed[name] = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  return changed;
};
