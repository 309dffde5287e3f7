import type { Namespace, State } from '../../domain/vocabulary.js';
import type { AsOf } from './as-of.js';
import type { Classification, MemoryDetail } from './recall.js';

export type ListSuppressionsResult = {
  readonly suppressed_topics: readonly string[];
  readonly reasons?: Readonly<Record<string, string>>;
};

export type FindDuplicatesInput = {
  readonly namespace?: Namespace | undefined;
  readonly threshold?: number | undefined;
  readonly project_filter?: string | undefined;
};
export type FindDuplicatesResult = {
  readonly namespace: Namespace;
  readonly clusters: readonly {
    readonly memories: readonly {
      readonly key: string;
      readonly content: string;
      readonly project?: string;
      readonly state: State;
      readonly created_at: string;
    }[];
    readonly max_similarity: number;
  }[];
  readonly scanned: number;
  readonly note?: string;
};

export type MemoryAuditInput = {
  readonly project?: string | undefined;
  readonly namespace?: Namespace | undefined;
  readonly include_archived?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** ISO time, or a stream id: what was stored at that moment. */
  readonly as_of?: string | undefined;
};
/** `tags` and times are absent only for memories of a moment whose rows are not kept. */
export type AuditEntry = Partial<Classification> & {
  readonly key: string;
  readonly content: string;
  readonly state: State;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly created_at?: string;
};
export type MemoryAuditResult = {
  /** Set when the answer is of an earlier moment. */
  readonly as_of?: AsOf;
  readonly message?: string;
  readonly summary: { readonly active: number; readonly deprioritised: number; readonly archived: number; readonly deleted: number };
  readonly total: number;
  readonly matching_total: number;
  readonly offset: number;
  readonly limit: number;
  readonly returned: number;
  readonly has_more: boolean;
  readonly entries: readonly AuditEntry[];
};

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
  readonly erased?: true;
};
/** A recall that a memory appeared in. `rank` counts from 1. */
export type RecallAppearance = {
  readonly at: string;
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  readonly rank: number;
  readonly score: number;
  /** What was asked, while that is still kept. */
  readonly query?: string;
};
export type ExplainMemoryInput = {
  readonly key: string;
  readonly max_events?: number | undefined;
  /** ISO time, or a stream id: the memory and its history up to that moment. */
  readonly as_of?: string | undefined;
};
export type ExplainMemoryResult =
  | { readonly status: 'not_found'; readonly key: string; readonly as_of?: Pick<AsOf, 'position' | 'time'> }
  | ({
      readonly status: 'found' | 'forgotten';
      readonly key: string;
      readonly timeline: readonly TimelineLine[];
      readonly recall_count?: number;
      readonly last_recalled?: string;
      readonly deprioritised_reason?: string;
      readonly reinstate_hints?: readonly string[];
      readonly enriched_from?: string;
      /** Other chunks of the same document, and facts drawn from this memory. */
      readonly siblings?: readonly string[];
      readonly facts?: readonly string[];
      readonly timeline_cut?: { readonly shown: number; readonly total: number };
      /** The newest recalls it appeared in, newest first, of those that are still known. */
      readonly recalls?: readonly RecallAppearance[];
      readonly recalls_cut?: { readonly shown: number; readonly total: number };
      /** Set when the answer is of an earlier moment: counts, siblings and facts are then left out. */
      readonly as_of?: Pick<AsOf, 'position' | 'time'>;
    } & Partial<MemoryDetail>);
