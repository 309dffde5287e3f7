import type { Namespace, Outcome, State } from '../../domain/vocabulary.js';
import type { AsOf, OfMoment } from './as-of.js';
import type { Staleness } from './call.js';
import type { OpenContradiction } from './contradictions.js';
import type { Beside, HeldFields, TimelineLine } from './explain.js';
import type { ProjectNote } from './project-identity.js';
import type { Classification, MemoryDetail, ScoreParts } from './recall.js';

export type ListSuppressionsResult = {
  readonly suppressed_topics: readonly string[];
  readonly reasons?: Readonly<Record<string, string>>;
} & OfMoment;

export type FindDuplicatesInput = {
  readonly namespace?: Namespace | undefined;
  readonly threshold?: number | undefined;
  readonly project_filter?: string | undefined;
};
export type FindDuplicatesResult = ProjectNote &
  Staleness & {
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
  /** A moment, named as `Asked` says: what was stored at that moment. */
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
  readonly updated_at?: string;
  readonly effort_score?: number;
  readonly outcome?: Outcome;
  /** Days since its last change, for an active episodic memory that was not changed for STALE_MEMORY_DAYS. */
  readonly days_stale?: number;
};
export type MemoryAuditResult = ProjectNote &
  Staleness & {
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

/** A recall that a memory appeared in. `rank` counts from 1. */
export type RecallAppearance = {
  readonly at: string;
  readonly kind: 'recall' | 'recall_index';
  readonly actor: string;
  readonly rank: number;
  readonly score: number;
  /** What made the score; absent for recalls that did not note it. */
  readonly parts?: NotedParts;
  /** What was asked, while that is still kept. */
  readonly query?: string;
};
/** What made a score, as the recall noted it. `surface` to `temporal` times `similarity` is the score. */
export type NotedParts = ScoreParts & {
  /** A reinstate hint met the query: the score was set, whatever the product is. */
  readonly reinstated?: true;
  /** The score and the parts are those of this fact drawn from the memory, which was the better match. */
  readonly via?: string;
};
/** A memory that a recall showed, and what it is now. `forgotten` ones have no text any more. */
export type MentionedResult = {
  readonly rank: number;
  readonly key: string;
  readonly score: number;
  readonly parts?: NotedParts;
  readonly state: State | 'forgotten';
  readonly content?: string;
  readonly project?: string;
};
export type MentionedRecall = {
  readonly timestamp: string;
  readonly kind: 'recall' | 'recall_index';
  /** Who asked, such as `mcp:claude-code/2.1.0`. */
  readonly client: string;
  readonly search: 'fused' | 'lexical';
  /** What was asked; absent once that is not kept any more. */
  readonly log_query?: string;
  /** How alike the question and `log_query` are, when they were matched by meaning. */
  readonly similarity?: number;
  readonly results: readonly MentionedResult[];
};
export type WhyInput = {
  /** What was mentioned, or what may have been asked. */
  readonly query?: string | undefined;
  /** A memory that was mentioned. */
  readonly key?: string | undefined;
};
export type WhyResult =
  | { readonly status: 'not_found'; readonly looked_at: number; readonly message: string; readonly texts_gone?: number }
  | {
      readonly status: 'found';
      readonly match_type: 'keyword' | 'semantic' | 'key';
      /** Of the first of `recalls`. */
      readonly log_query?: string;
      readonly timestamp: string;
      readonly result_keys: readonly string[];
      /** The newest recalls that match, newest first; by meaning the nearest first. */
      readonly recalls: readonly MentionedRecall[];
      readonly total: number;
      /** How many recalls were looked at, and for how many of them the query's text is gone. */
      readonly looked_at: number;
      readonly texts_gone?: number;
      readonly message?: string;
    };
/** A memory as another one's lineage names it. `forgotten` ones have no text any more. */
export type Relative = {
  readonly key: string;
  readonly state: State | 'forgotten';
  readonly content?: string;
};
/** The document a memory is a chunk of, what it was drawn from, and what was drawn from it. */
export type Lineage = {
  /** `place` counts from 1 among the chunks that are still there. */
  readonly document?: { readonly doc_id: string; readonly chunks: number; readonly place?: number };
  /** Chunks of that document around this one, in the order of the text, this one included. */
  readonly chunks?: readonly (Relative & { readonly chunk_index?: number })[];
  readonly extracted_from?: Relative & { readonly doc_id?: string };
  readonly facts?: readonly (Relative & { readonly namespace: Namespace })[];
  /** How many facts there are, when not all are listed. */
  readonly facts_total?: number;
};
export type ExplainMemoryInput = {
  readonly key: string;
  readonly max_events?: number | undefined;
  /** A moment, named as `Asked` says: the memory and its history up to that moment. */
  readonly as_of?: string | undefined;
};
export type ExplainMemoryResult = Staleness &
  (
    | { readonly status: 'not_found'; readonly key: string; readonly as_of?: Pick<AsOf, 'position' | 'time'> }
    | ({
        readonly status: 'found' | 'forgotten';
        readonly key: string;
        readonly timeline: readonly TimelineLine[];
        readonly recall_count?: number;
        readonly last_recalled?: string;
        /** Contradictions that nobody has settled, oldest first. */
        readonly contradictions?: readonly OpenContradiction[];
        /** Where it stands among others. */
        readonly lineage?: Lineage;
        readonly timeline_cut?: { readonly shown: number; readonly total: number };
        /** The newest recalls it appeared in, newest first, of those that are still known. */
        readonly recalls?: readonly RecallAppearance[];
        readonly recalls_cut?: { readonly shown: number; readonly total: number };
        /** Set when the answer is of an earlier moment: counts and lineage are then left out. */
        readonly as_of?: Pick<AsOf, 'position' | 'time'>;
      } & Partial<Pick<MemoryDetail, 'created_at' | 'updated_at' | 'experience_weight'>> &
        HeldFields &
        Omit<Beside, 'contradictions'>)
  );
