import { stringify } from 'yaml';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Suppression } from '../../../projections/suppressions.js';

/** Texts in double quotes, on one line each: whatever is in them, they are read back as they were. */
const yaml = (fields: object): string => stringify(fields, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });

const PLAIN_PROJECT = 'no project';

/** Where a memory's file is in the vault. */
export const notePath = ({ key, namespace, project }: MemoryRow): string =>
  `${namespace}/${project ?? PLAIN_PROJECT}/${key.slice(key.lastIndexOf(':') + 1)}.md`;

/** A memory as a file: what is known of it in front matter, then its text to the last byte. */
export const noteText = (row: MemoryRow): string => {
  const fields = {
    key: row.key,
    namespace: row.namespace,
    project: row.project,
    tags: row.tags.length > 0 ? row.tags : undefined,
    title: row.title,
    created: row.created_at,
    updated: row.updated_at === row.created_at ? undefined : row.updated_at,
    state: row.state === 'active' ? undefined : row.state,
    reason: row.deprioritised_reason,
    reinstate_hints: row.reinstate_hints.length > 0 ? row.reinstate_hints : undefined,
    licence: row.licence,
    licence_note: row.licence_note,
    provenance: row.provenance,
    doc_id: row.doc_id,
    chunk_index: row.chunk_index,
    chunk_strategy: row.chunk_strategy,
    enriched_from: row.enriched_from,
    source_doc_id: row.source_doc_id,
    event_date: row.event_date,
    scope: row.scope,
    source_url: row.source_url,
    expires_at: row.expires_at,
    effort_score: row.effort_score,
    outcome: row.outcome,
    iterations: row.iterations,
    breakthrough: row.breakthrough,
    gotchas: row.gotchas,
    abandoned_approaches: row.abandoned_approaches.length > 0 ? row.abandoned_approaches : undefined,
    mode: row.mode,
  };
  return `---\n${yaml(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))}---\n${row.content}`;
};

export const SUPPRESSIONS_NOTE = 'suppressed topics.md';

export const suppressionsText = (topics: readonly Suppression[]): string =>
  `---\n${yaml({ suppressed_topics: topics.map(({ topic, reason, since }) => (reason === undefined ? { topic, since } : { topic, reason, since })) })}---\nTopics that recall leaves out.\n`;

/** Keeps git from changing the ends of lines, which belong to the texts. */
export const GIT_ATTRIBUTES = '*.md -text\n';
