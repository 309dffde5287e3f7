import type { Abandoned } from '../../domain/memory/events.js';
import type { Drawn, Merge } from '../../domain/project/project.js';
import type { ChunkStrategy, IngestMode, Licence, Namespace, Outcome, Provenance, State } from '../../domain/vocabulary.js';

/** One event in the history of a memory or project. */
export type TimelineLine = {
  readonly n: number;
  readonly event: string;
  readonly event_id: string;
  readonly position: string;
  readonly at: string;
  readonly actor: string;
  readonly correlation: string;
  readonly causation?: string;
  /** Why, where whoever did it said so. */
  readonly reason?: string;
  /** What the event changed, field by field; absent for an erased event. */
  readonly changed?: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;
  /** Why nothing was changed, where nothing was. */
  readonly note?: string;
  readonly erased?: true;
};

/** What the events of a memory can set and a reader can use; what is not there is left out. */
export type HeldFields = {
  readonly namespace?: Namespace;
  readonly content?: string;
  readonly state?: State;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly licence?: Licence;
  readonly licence_note?: string;
  readonly provenance?: Provenance;
  readonly deprioritised_reason?: string;
  readonly reinstate_hints?: readonly string[];
  readonly doc_id?: string;
  readonly chunk_index?: number;
  readonly chunk_strategy?: ChunkStrategy;
  readonly enriched_from?: string;
  readonly source_doc_id?: string;
  readonly event_date?: string;
  readonly source_url?: string;
  readonly title?: string;
  readonly scope?: 'project' | 'global';
  readonly expires_at?: string;
  readonly effort_score?: number;
  readonly outcome?: Outcome;
  readonly iterations?: number;
  readonly breakthrough?: string;
  readonly gotchas?: string;
  readonly abandoned_approaches?: readonly Abandoned[];
  readonly mode?: IngestMode;
  /** Of the context of a project: the memories that its compiled parts are written from. */
  readonly drawn?: Drawn;
};

/** What events set beside the fields of a memory. */
export type Beside = {
  /** Of a project: its kinds of work. */
  readonly domains?: readonly string[];
  /** Of a project: merges in force that have its name on either side. */
  readonly merges?: readonly Merge[];
  /** Topics that dead ends of the memory became. */
  readonly suppressed_topics?: readonly { readonly topic: string; readonly reason?: string }[];
  /** Keys of memories that say the opposite, unsettled. */
  readonly contradictions?: readonly string[];
  /** Memories that said nearly the same with another value when this one was written. */
  readonly flagged_against?: readonly string[];
  /** How the last reading of the text that version `of` set ended: with facts, or parked by a code. */
  readonly enrichment?:
    | { readonly of: number; readonly facts: readonly string[]; readonly model: string; readonly skipped: number }
    | { readonly of: number; readonly parked: string; readonly attempts: number };
};
