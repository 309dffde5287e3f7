import type { DomainEvent } from '../../../domain/catalogue.js';

type DataOf<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>['data'];

/**
 * One event of each type with every optional field, from which a missing fixture is written. A fixture that exists is never
 * written again: it is what a program of that day stored.
 */
export const SAMPLES: { readonly [Type in DomainEvent['type']]?: DataOf<Type> } = {
  MemoryRemembered: {
    namespace: 'episodic',
    content: 'Staging listens on port 8081. Grüße, 東京, 🦊.',
    tags: ['ports', 'staging'],
    project: 'shop',
    mode: 'full',
    licence: 'own',
    licence_note: 'written here',
    provenance: 'asserted',
    doc_id: '01J0000000000000000000000D',
    chunk_index: 3,
    chunk_strategy: 'paragraphs',
    enriched_from: 'mem:episodic:01J0000000000000000000000S',
    source_doc_id: '01J0000000000000000000000E',
    event_date: '2026-05-03T12:00:00.000Z',
    scope: 'project',
    source_url: 'https://example.org/a',
    title: 'Ports',
    flagged_against: ['mem:episodic:01J0000000000000000000000F'],
  },
  MemoryRevised: { content: 'Staging listens on port 8082.', reason: 'it moved' },
  MemoryRetagged: { tags: ['ports'], previous_tags: ['ports', 'staging'] },
  MemoryDeprioritised: { reason: 'outdated', reinstate_hints: ['staging'] },
  MemoryArchived: { reason: 'done with' },
  MemoryReinstated: {},
  MemoryForgotten: {},
  LicenceStamped: { licence: 'open', licence_note: 'CC-BY-4.0', previous: 'own' },
  ProvenanceStamped: { provenance: 'retrieved', previous: 'asserted' },
  TopicSuppressed: { topic: 'weather', reason: 'dull' },
  TopicUnsuppressed: { topic: 'weather' },
  EmbeddingModelChanged: { from: 'use-lite-f32-512-0', to: 'minilm-f32-384-0', name: 'all-MiniLM-L6-v2', dimension: 384 },
  ErasureConfirmed: { erasures: 3 },
  MigrationApplied: { number: 1, name: 'rename-a-tag', events: 12 },
  BackupTaken: { backup: '01J0000000000000000000000B', events: 120, segments: 2, head: '1764500000000-3', encrypted: true },
  LogRestored: {
    backup: '01J0000000000000000000000B',
    mode: 'merged',
    log_id: '01J0000000000000000000000L',
    events: 7,
    head: '1764500000000-3',
  },
  ActionUndone: { correlation: '01J0000000000000000000000C', restored: 2, kept: 1, irreversible: 1 },
};
