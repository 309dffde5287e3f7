import { positionOf } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { counters, membersOf, sets } from '../../projections/counters.js';
import { withServing } from '../../projections/generation.js';
import { memories, toMemory } from '../../projections/memories.js';
import { readTimeline, timeline } from '../../projections/timeline.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { detailOf } from './detail.js';
import { rowsOf } from './rows.js';
const MAX_EVENTS = 200;
/**
 * The history of one memory straight from the log: each event, when, by whom, and which fields it changed, found by
 * applying the events one after another exactly as the view does. An erased event keeps its line and loses its text.
 */
export const explainMemory = async (parts, input, _call) => {
    const key = input.key.trim();
    if (!isMemoryKey(key))
        throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J… ; recall shows them');
    await parts.fresh();
    const { redis, keys, log } = parts;
    const lines = await unavailableWhenDown(() => withServing(redis, keys, timeline.name, (generation) => readTimeline(redis, keys, generation, key)));
    if (lines.length === 0)
        return { status: 'not_found', key };
    const entries = await log.at(lines.map(({ position }) => position));
    const shown = tell(entries);
    const limit = Math.max(1, Math.min(MAX_EVENTS, input.max_events ?? MAX_EVENTS));
    const row = (await rowsOf(parts, [key])).get(key);
    const [recall_count, last_recalled] = await unavailableWhenDown(() => Promise.all([redis.hget(keys.counter(RECALL_COUNTERS.count), key), redis.hget(keys.counter(RECALL_COUNTERS.last), key)]));
    const [siblings, facts] = await unavailableWhenDown(() => withServing(redis, keys, counters.name, (generation) => Promise.all([
        row?.doc_id === undefined ? [] : membersOf(redis, keys, generation, sets.document(row.doc_id)),
        membersOf(redis, keys, generation, sets.facts(key)),
    ])));
    const others = siblings.filter((sibling) => sibling !== key);
    return {
        status: row ? 'found' : 'forgotten',
        key,
        ...(row && detailOf(row)),
        ...(row?.deprioritised_reason !== undefined && { deprioritised_reason: row.deprioritised_reason }),
        ...(row && row.reinstate_hints.length > 0 && { reinstate_hints: row.reinstate_hints }),
        ...(row?.enriched_from !== undefined && { enriched_from: row.enriched_from }),
        ...(recall_count !== null && { recall_count: Number(recall_count) }),
        ...(last_recalled !== null && { last_recalled }),
        ...(others.length > 0 && { siblings: others }),
        ...(facts.length > 0 && { facts }),
        timeline: shown.slice(-limit),
        ...(shown.length > limit && { timeline_cut: { shown: limit, total: shown.length } }),
    };
};
const tell = (entries) => {
    let fields = {};
    return entries.map((entry) => {
        if (entry.kind === 'fault') {
            const { eventId = '', code } = entry.fault;
            return { n: 0, event: `unreadable (${code})`, event_id: eventId, position: positionOf(entry), at: '', actor: '', correlation: '' };
        }
        const { envelope, position } = entry.kind === 'event' ? entry.event : entry.husk;
        const { n, type, id, at, actor, correlation, causation } = envelope;
        const line = { n, event: type, event_id: id, position, at, actor, correlation, ...(causation !== undefined && { causation }) };
        if (entry.kind === 'husk')
            return { ...line, erased: true };
        const before = fields;
        for (const write of memories.apply(entry.event, new Map())) {
            if (write.op === 'del')
                fields = {};
            if (write.op === 'set')
                fields = withFields(fields, write.fields);
        }
        return { ...line, changed: difference(envelope.subject, before, fields) };
    });
};
const withFields = (row, changes) => {
    const next = { ...row };
    for (const [name, value] of Object.entries(changes)) {
        if (value === undefined)
            delete next[name];
        else
            next[name] = value;
    }
    return next;
};
/** Bookkeeping of the view that says nothing to a reader. */
const SILENT = new Set(['version', 'content_version', 'base_surface', 'updated_at', 'created_at', 'key']);
const difference = (key, before, after) => {
    const [old, fresh] = [toMemory(key, before), toMemory(key, after)];
    const names = new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})].filter((name) => !SILENT.has(name)));
    const changed = {};
    for (const name of names) {
        const from = old?.[name];
        const to = fresh?.[name];
        if (JSON.stringify(from) === JSON.stringify(to))
            continue;
        changed[name] = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    }
    return changed;
};
//# sourceMappingURL=explain.js.map