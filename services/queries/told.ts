import type { DomainEvent } from '../../domain/catalogue.js';
import { type LogEntry, positionOf } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { rowAfter } from '../../projections/history/fold.js';
import { type MemoryRow, toMemory } from '../../projections/memories.js';
import type { Applied, Row } from '../../projections/projection.js';
import type { Beside, HeldFields, MemoryDetail, TimelineLine } from '../api.js';
import { experienceFields } from './experience/fields.js';

/** What the timeline of one subject says, and what its events leave beside its row. */
export type Told = { readonly lines: readonly TimelineLine[]; readonly beside: Beside };

/**
 * Each event of one subject with the fields that it changed, oldest first, found by applying one after another as the view
 * does. An erased event keeps its line and says nothing of its text; one that changed nothing says why.
 */
export const tell = (entries: readonly LogEntry<DomainEvent>[]): Told => {
  let row: Row = {};
  let beside: Beside = {};
  const lines = entries.map((entry): TimelineLine => {
    if (entry.kind === 'fault') {
      const { eventId = '', code } = entry.fault;
      return { n: 0, event: `unreadable (${code})`, event_id: eventId, position: positionOf(entry), at: '', actor: '', correlation: '' };
    }
    const { envelope, position } = entry.kind === 'event' ? entry.event : entry.husk;
    const { subject, n, type, id, at, actor, correlation, causation } = envelope;
    const line = { n, event: type, event_id: id, position, at, actor, correlation, ...(causation !== undefined && { causation }) };
    if (entry.kind === 'husk') return { ...line, erased: true };
    const before = standing(subject, row, beside, at);
    const known = Object.keys(before).length > 0;
    row = rowAfter(row, entry.event);
    beside = besideAfter(beside, entry.event);
    const changed = difference(before, standing(subject, row, beside, at));
    const { data } = entry.event;
    const reason = 'reason' in data ? data.reason : undefined;
    return {
      ...line,
      ...(reason !== undefined && { reason }),
      changed,
      ...(Object.keys(changed).length === 0 && { note: whyNothing(type, known) }),
    };
  });
  return { lines, beside };
};

const whyNothing = (type: string, known: boolean): string => {
  if (erases(type)) return 'everything before this event was erased';
  return known ? 'it was so already' : 'there was nothing that it could change';
};

/** Every field of a row that an event can set and a reader can use; a list that is empty is not there. The parts of a context are told by its content. */
const heldFields = (row: MemoryRow): HeldFields => {
  const { key: _key, context, version: _version, content_version: _content, base_surface: _surface, created_at: _born, ...fields } = row;
  const { updated_at: _changed, ...held } = fields;
  return Object.fromEntries(
    Object.entries({ ...held, drawn: context?.drawn }).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
};

/** How a memory or project stands: every field that its timeline can set. Contradictions are told apart, with the others' state. */
export const presentState = (row: MemoryRow | undefined, { contradictions: _told, ...beside }: Beside): PresentState => ({
  ...(row && { ...heldFields(row), ...experienceFields(row), created_at: row.created_at, updated_at: row.updated_at }),
  ...beside,
});

type PresentState = HeldFields &
  Omit<Beside, 'contradictions'> &
  Partial<Pick<MemoryDetail, 'created_at' | 'updated_at' | 'experience_weight'>>;

type Standing = Readonly<Record<string, unknown>>;

/** Times are told by the line itself, but for those that came with an import. */
const standing = (key: string, row: Row, beside: Beside, at: string): Standing => {
  const memory = toMemory(key, row);
  if (!memory) return { ...beside };
  const { created_at, updated_at } = memory;
  return { ...heldFields(memory), ...beside, ...(created_at !== at && { created_at }), ...(updated_at !== at && { updated_at }) };
};

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

const difference = (before: Standing, after: Standing): Record<string, { from?: unknown; to?: unknown }> => {
  const changed: Record<string, { from?: unknown; to?: unknown }> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[name], after[name]];
    if (JSON.stringify(from) === JSON.stringify(to) || (TIMES.has(name) && to === undefined)) continue;
    changed[name] = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  return changed;
};

const besideAfter = (beside: Beside, event: Applied): Beside => {
  switch (event.type) {
    case 'MemoryForgotten':
    case 'ProjectDeleted':
      return {};
    case 'MemoryRemembered':
      return withList(beside, 'flagged_against', event.data.flagged_against ?? []);
    case 'ContradictionFlagged':
      return withList(beside, 'contradictions', [...without(beside.contradictions, event.data.with), event.data.with]);
    case 'ContradictionResolved':
      return withList(beside, 'contradictions', without(beside.contradictions, event.data.with));
    case 'EnrichmentFinished': {
      const { of, facts, model, skipped } = event.data;
      return { ...beside, enrichment: { of, facts, model, skipped } };
    }
    case 'EnrichmentParked': {
      const { of, code, attempts } = event.data;
      return { ...beside, enrichment: { of, parked: code, attempts } };
    }
    case 'TopicSuppressed': {
      const { topic, reason } = event.data;
      return withList(beside, 'suppressed_topics', [...others(beside, topic), { topic, ...(reason !== undefined && { reason }) }]);
    }
    case 'TopicUnsuppressed':
      return withList(beside, 'suppressed_topics', others(beside, event.data.topic));
    case 'ProjectDomainsDeclared':
      return { ...beside, domains: event.data.domains };
    case 'ProjectsMerged': {
      const { from, into, undone } = event.data;
      const left = (beside.merges ?? []).filter((merge) => merge.from !== from || merge.into !== into);
      return withList(beside, 'merges', undone ? left : [...left, { from, into }]);
    }
    default:
      return beside;
  }
};

const without = (keys: readonly string[] = [], key: string): readonly string[] => keys.filter((one) => one !== key);

const others = ({ suppressed_topics = [] }: Beside, topic: string) => suppressed_topics.filter((one) => one.topic !== topic);

/** A list that became empty is not there. */
const withList = <Name extends keyof Beside>(beside: Beside, name: Name, list: NonNullable<Beside[Name]> & readonly unknown[]): Beside => {
  const { [name]: _before, ...rest } = beside;
  return list.length === 0 ? (rest as Beside) : { ...beside, [name]: list };
};
