/** The words the product speaks. Names and values come from the specification. */

/** Namespaces that `remember` writes. */
export const NAMESPACES = ['episodic', 'project', 'knowledge', 'preference'] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** Lifecycle of a memory that still exists. A forgotten one has no row. */
export const STATES = ['active', 'deprioritised', 'archived'] as const;
export type State = (typeof STATES)[number];

/** Redistribution rights of a text, decided at write and never scored on. */
export const LICENCES = ['own', 'open', 'restricted', 'unknown'] as const;
export type Licence = (typeof LICENCES)[number];

/** Who is speaking: an external source, the system's own reasoning, or the human. */
export const PROVENANCES = ['retrieved', 'concluded', 'asserted'] as const;
export type Provenance = (typeof PROVENANCES)[number];

export const INGEST_MODES = ['full', 'raw'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

export const CHUNK_STRATEGIES = ['paragraphs', 'turn_pairs', 'sentences', 'fixed_tokens'] as const;
export type ChunkStrategy = (typeof CHUNK_STRATEGIES)[number];

/** How the work behind a memory ended. */
export const OUTCOMES = ['succeeded', 'pivoted', 'abandoned'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What can be abandoned. */
export const ABANDONED_TYPES = ['library', 'approach', 'tool', 'pattern', 'service'] as const;
export type AbandonedType = (typeof ABANDONED_TYPES)[number];

/** Limits of the specification. Lengths are UTF-16 code units. */
export const LIMITS = {
  content: 50_000,
  tags: 20,
  tag: 100,
  project: 200,
  topic: 200,
  licenceNote: 200,
  stampKeys: 200,
  topK: 50,
  detailKeys: 50,
} as const;
