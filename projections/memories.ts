import type { Redis } from 'iovalkey';
import { erases } from '../domain/erasure.js';
import type { Abandoned, Remembered } from '../domain/memory/events.js';
import type { ChunkStrategy, IngestMode, Licence, Namespace, Outcome, Provenance, State } from '../domain/vocabulary.js';
import { type ContextRow, contextChanges, contextRow } from './contexts.js';
import { objectIn } from './damaged.js';
import { pipelineServing } from './generation.js';
import type { Keys } from './keys.js';
import { type Applied, del, type Projection, type Row, set } from './projection.js';

/** A memory as reads see it. Times are ISO; stamps of licence and provenance do not move `updated_at`. */
export type MemoryRow = {
  readonly key: string;
  readonly namespace: Namespace;
  readonly content: string;
  readonly state: State;
  readonly project: string | undefined;
  readonly tags: readonly string[];
  readonly licence: Licence;
  readonly licence_note: string | undefined;
  readonly provenance: Provenance;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deprioritised_reason: string | undefined;
  readonly reinstate_hints: readonly string[];
  readonly doc_id: string | undefined;
  readonly chunk_index: number | undefined;
  readonly chunk_strategy: ChunkStrategy | undefined;
  readonly enriched_from: string | undefined;
  readonly source_doc_id: string | undefined;
  readonly event_date: string | undefined;
  readonly source_url: string | undefined;
  readonly title: string | undefined;
  readonly scope: 'project' | 'global' | undefined;
  readonly expires_at: string | undefined;
  /** 1 to 5. */
  readonly effort_score: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly iterations: number | undefined;
  readonly breakthrough: string | undefined;
  readonly gotchas: string | undefined;
  readonly abandoned_approaches: readonly Abandoned[];
  /** Of the context of a project, which is kept among the memories under its own key. */
  readonly context?: ContextRow | undefined;
  readonly mode: IngestMode;
  /** Surface of an active memory: 1, or 0.5 for a fact that was extracted from another. */
  readonly base_surface: number;
  /** The version that set the content: vectors of another one are stale. */
  readonly content_version: number;
  /** The version that the last event made. */
  readonly version: number;
};

const born = (memory: Remembered, { envelope }: Applied): Record<string, string> =>
  defined({
    namespace: memory.namespace,
    content: memory.content,
    state: 'active',
    project: memory.project,
    tags: JSON.stringify(memory.tags),
    licence: memory.licence,
    licence_note: memory.licence_note,
    provenance: memory.provenance,
    created_at: envelope.at,
    updated_at: memory.changed_at ?? envelope.at,
    doc_id: memory.doc_id,
    chunk_index: memory.chunk_index,
    chunk_strategy: memory.chunk_strategy,
    enriched_from: memory.enriched_from,
    source_doc_id: memory.source_doc_id,
    event_date: memory.event_date,
    source_url: memory.source_url,
    title: memory.title,
    scope: memory.scope,
    expires_at: memory.expires_at,
    mode: memory.mode,
    base_surface: memory.enriched_from === undefined ? 1 : 0.5,
    content_version: envelope.n,
    version: envelope.n,
  });

const defined = (fields: Readonly<Record<string, string | number | undefined>>): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = String(value);
  return kept;
};

type Fields = Readonly<Record<string, string | undefined>>;

const changes = (event: Applied, row: Row | undefined): Fields | undefined => {
  const { n, at } = event.envelope;
  const version = String(n);
  const touched = { updated_at: at, version };
  switch (event.type) {
    case 'MemoryRemembered':
      return born(event.data, event);
    case 'MemoryRevised':
      return { ...touched, content: event.data.content, content_version: version };
    case 'MemoryRetagged':
      return { ...touched, tags: JSON.stringify(event.data.tags) };
    case 'MemoryDeprioritised': {
      const { reason, reinstate_hints } = event.data;
      return { ...touched, state: 'deprioritised', deprioritised_reason: reason, reinstate_hints: JSON.stringify(reinstate_hints) };
    }
    case 'MemoryArchived':
      return { ...touched, state: 'archived', deprioritised_reason: event.data.reason };
    case 'MemoryReinstated': {
      // Whoever brings back what has expired wants it, whatever its date said.
      const expired = row?.expires_at !== undefined && Date.parse(row.expires_at) <= Date.parse(at);
      const lifted = expired && event.data.keeps_expiry !== true;
      return { ...touched, state: 'active', deprioritised_reason: undefined, ...(lifted && { expires_at: undefined }) };
    }
    case 'LicenceStamped':
      return { version, licence: event.data.licence, licence_note: event.data.licence_note };
    case 'ProvenanceStamped':
      return { version, provenance: event.data.provenance };
    case 'ExperienceRecorded': {
      const { effort_score, outcome, iterations, breakthrough, gotchas, abandoned_approaches } = event.data;
      return {
        ...touched,
        effort_score: effort_score?.toString(),
        outcome,
        iterations: iterations?.toString(),
        breakthrough,
        gotchas,
        abandoned_approaches: abandoned_approaches.length > 0 ? JSON.stringify(abandoned_approaches) : undefined,
      };
    }
    case 'ApproachAbandoned':
      return { ...touched, abandoned_approaches: JSON.stringify([...deadEnds(row?.abandoned_approaches), event.data]) };
    case 'ContradictionFlagged':
    case 'ContradictionResolved':
    case 'EnrichmentFinished':
    case 'EnrichmentParked':
      return { version };
    case 'ProjectContextSet':
    case 'ProjectStateUpdated':
    case 'ProjectDomainsDeclared':
    case 'ProjectsMerged':
      return contextChanges(event, row);
    default:
      return undefined;
  }
};

/** What changes a row by what was in it. */
const READS_ITS_ROW: ReadonlySet<string> = new Set([
  'MemoryReinstated',
  'ApproachAbandoned',
  'ProjectContextSet',
  'ProjectStateUpdated',
  'ProjectDomainsDeclared',
  'ProjectsMerged',
]);

/** Row per memory, and per project that has a context: every field that reads need; no vector, no counter. What was forgotten or deleted has no row. */
export const memories: Projection = {
  name: 'memories',
  version: 4,
  handles: [
    'MemoryRemembered',
    'MemoryRevised',
    'MemoryRetagged',
    'MemoryDeprioritised',
    'MemoryArchived',
    'MemoryReinstated',
    'MemoryForgotten',
    'LicenceStamped',
    'ProvenanceStamped',
    'ExperienceRecorded',
    'ApproachAbandoned',
    'ContradictionFlagged',
    'ContradictionResolved',
    'EnrichmentFinished',
    'EnrichmentParked',
    'ProjectContextSet',
    'ProjectStateUpdated',
    'ProjectDomainsDeclared',
    'ProjectsMerged',
    'ProjectContextWithdrawn',
    'ProjectDeleted',
  ],
  reads: ({ type, envelope }) => (READS_ITS_ROW.has(type) ? [envelope.subject] : []),
  apply: (event, rows) => {
    const { subject } = event.envelope;
    if (erases(event.type) || event.type === 'ProjectContextWithdrawn') return [del(subject)];
    const fields = changes(event, rows.get(subject));
    return fields ? [set(subject, fields)] : [];
  },
};

/** The row's text fields as a memory, or undefined for a row that is not there. */
export const toMemory = (key: string, row: Row): MemoryRow | undefined => {
  const { namespace, content, created_at, updated_at } = row;
  if (namespace === undefined || content === undefined || created_at === undefined || updated_at === undefined) return undefined;
  return {
    key,
    namespace: namespace as Namespace,
    content,
    state: row.state as State,
    project: row.project,
    tags: list(row.tags),
    licence: row.licence as Licence,
    licence_note: row.licence_note,
    provenance: row.provenance as Provenance,
    created_at,
    updated_at,
    deprioritised_reason: row.deprioritised_reason,
    reinstate_hints: list(row.reinstate_hints),
    doc_id: row.doc_id,
    chunk_index: numeral(row.chunk_index),
    chunk_strategy: row.chunk_strategy as ChunkStrategy | undefined,
    enriched_from: row.enriched_from,
    source_doc_id: row.source_doc_id,
    event_date: row.event_date,
    source_url: row.source_url,
    title: row.title,
    scope: row.scope as MemoryRow['scope'],
    expires_at: row.expires_at,
    effort_score: numeral(row.effort_score),
    outcome: row.outcome as Outcome | undefined,
    iterations: numeral(row.iterations),
    breakthrough: row.breakthrough,
    gotchas: row.gotchas,
    abandoned_approaches: deadEnds(row.abandoned_approaches),
    ...(row.context !== undefined && { context: contextRow(row.context) }),
    mode: row.mode as IngestMode,
    base_surface: numeral(row.base_surface) ?? 1,
    content_version: numeral(row.content_version) ?? 0,
    version: numeral(row.version) ?? 0,
  };
};

const list = (json: string | undefined): readonly string[] => entries(json).map(String);

const deadEnds = (json: string | undefined): readonly Abandoned[] => entries(json) as readonly Abandoned[];

const entries = (json: string | undefined): readonly unknown[] => {
  const value = objectIn<readonly unknown[]>(json);
  return Array.isArray(value) ? value : [];
};

const numeral = (text: string | undefined): number | undefined => {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
};

/** Memories by key from one generation, in the order asked for; those that are not there are left out. One round trip. */
export const readMemories = async (
  redis: Redis,
  keys: Keys,
  generation: number,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, MemoryRow>> =>
  byKey(wanted, await Promise.all(wanted.map((key) => redis.hgetall(keys.row(memories.name, generation, key)))));

/** The same from the generation that serves. Throws UNAVAILABLE while the view is built for the first time. */
export const readServingMemories = async (redis: Redis, keys: Keys, wanted: readonly string[]): Promise<ReadonlyMap<string, MemoryRow>> => {
  if (wanted.length === 0) return new Map();
  const rows = await pipelineServing(redis, keys, memories.name, (pipeline, generation) => {
    for (const key of wanted) pipeline.hgetall(keys.row(memories.name, generation, key));
  });
  return byKey(wanted, rows as readonly Row[]);
};

const byKey = (wanted: readonly string[], rows: readonly Row[]): ReadonlyMap<string, MemoryRow> =>
  new Map(
    wanted.flatMap((key, i) => {
      const memory = toMemory(key, rows[i] ?? {});
      return memory ? [[key, memory] as const] : [];
    }),
  );
