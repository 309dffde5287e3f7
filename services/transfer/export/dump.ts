import { experienceWeight } from '../../../domain/scoring.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Suppression } from '../../../projections/suppressions.js';
import { SUPPRESSED, SUPPRESSION_DETAILS } from '../omnimem/families.js';
import { toUnixText } from '../times.js';
import type { StoredContext } from './stored.js';

/** Weights of the 6.x rows, by state. Contract, section 17. */
const SURFACE = { deprioritised: '0.2', archived: '0.0' } as const;

/** 6.x writes floats: `1.0`, `1.25`. */
const weightText = (weight: number): string => (Number.isInteger(weight) ? weight.toFixed(1) : String(weight));

/** A memory with the fields of a 6.x row, all text. `mode` is ours; 6.x keeps fields it does not know. */
export const dumpRecord = (row: MemoryRow, context?: StoredContext): Readonly<Record<string, string>> => {
  const fields: Readonly<Record<string, string | undefined>> = {
    content: row.content,
    state: row.state,
    surface_score: row.state === 'active' ? row.base_surface.toFixed(1) : SURFACE[row.state],
    experience_weight: weightText(experienceWeight(row.outcome, row.effort_score)),
    created_at: toUnixText(row.created_at),
    updated_at: toUnixText(row.updated_at),
    tags: JSON.stringify(row.tags),
    project: row.project,
    project_name: row.namespace === 'project' ? row.project : undefined,
    licence: row.licence,
    licence_note: row.licence_note,
    provenance: row.provenance,
    deprioritised_reason: row.deprioritised_reason,
    reinstate_hints: row.reinstate_hints.length > 0 ? JSON.stringify(row.reinstate_hints) : undefined,
    doc_id: row.doc_id,
    chunk_index: row.chunk_index?.toString(),
    chunk_strategy: row.chunk_strategy,
    enriched_from: row.enriched_from,
    source_doc_id: row.source_doc_id,
    event_date: row.event_date === undefined ? undefined : toUnixText(row.event_date),
    scope: row.scope,
    source_url: row.source_url,
    title: row.title,
    expires_at: row.expires_at === undefined ? undefined : toUnixText(row.expires_at),
    effort_score: row.effort_score?.toString(),
    outcome: row.outcome,
    iterations: row.iterations?.toString(),
    breakthrough: row.breakthrough,
    gotchas: row.gotchas,
    abandoned_approaches: row.abandoned_approaches.length > 0 ? JSON.stringify(row.abandoned_approaches) : undefined,
    mode: row.mode,
    description: context?.description,
    stack: context?.stack,
    goals: context?.goals,
    current_state: context?.current_state,
    notes: context?.notes,
    domains: context?.domains && (context.domains.length > 0 ? context.domains.join(',') : '[]'),
  };
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

/** The records of suppressed topics: the set that 6.x has, and beside it what the set cannot hold. */
export const suppressionRecords = (topics: readonly Suppression[]): Readonly<Record<string, object>> =>
  topics.length === 0
    ? {}
    : {
        [SUPPRESSED]: { _type: 'set', members: topics.map(({ topic }) => topic) },
        [SUPPRESSION_DETAILS]: Object.fromEntries(topics.map(({ topic, reason, since }) => [topic, JSON.stringify({ reason, since })])),
      };

export const dumpMetadata = (exportedAt: string, version: string, keys: readonly string[]): object => ({
  exported_at: exportedAt,
  total_keys: keys.length,
  namespaces: Object.fromEntries(
    ['episodic', 'project', 'knowledge', 'preference', 'skill'].map((name) => [
      name,
      keys.filter((key) => key.startsWith(`mem:${name}:`)).length,
    ]),
  ),
  version,
  // A context without domains has declared none: nothing is derived at import, as it is for a 6.x dump.
  domains: 'as declared',
});
