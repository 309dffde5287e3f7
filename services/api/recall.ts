import type { Licence, Namespace, Provenance, State } from '../../domain/vocabulary.js';
import type { AsOf } from './as-of.js';
import type { Staleness } from './call.js';
import type { AbandonedWarning, ExperienceFields } from './experience.js';
import type { DomainRouting, ProjectNote } from './project-identity.js';

export type RecallInput = {
  readonly query: string;
  /** A moment, named as `Asked` says: the answer is of that moment. */
  readonly as_of?: string | undefined;
  readonly top_k?: number | undefined;
  readonly namespaces?: readonly Namespace[] | undefined;
  readonly project_filter?: string | readonly string[] | undefined;
  /** Kinds of work: a list, or text. Only projects that declare one of them are searched. */
  readonly domain_filter?: string | readonly string[] | undefined;
  /** Also searches other wordings of the query that a language model gives. Default: RECALL_EXPAND_QUERIES. Not with `as_of`. */
  readonly expand_queries?: boolean | undefined;
  readonly score_breakdown?: boolean | undefined;
  /** Upper bound on the answer; best results first, what was cut is named. */
  readonly max_tokens?: number | undefined;
};

export type ScoreParts = {
  /** Fused similarity, before the multipliers. */
  readonly similarity: number;
  readonly vector?: number;
  readonly lexical?: number;
  readonly surface: number;
  readonly recency: number;
  readonly experience: number;
  readonly temporal: number;
};

/** Whose text it is, on every read surface. */
export type Classification = { readonly licence: Licence; readonly licence_note?: string; readonly provenance: Provenance };

export type RecallItem = Classification &
  Pick<ExperienceFields, 'effort_score' | 'outcome' | 'breakthrough'> & {
    readonly key: string;
    readonly namespace: Namespace;
    readonly content: string;
    readonly score: number;
    readonly state: State;
    readonly project?: string;
    readonly tags?: readonly string[];
    readonly created_at: string;
    readonly reinstate_candidate?: true;
    readonly deprioritised_reason?: string;
    readonly source_url?: string;
    readonly event_date?: string;
    readonly enriched_from?: string;
    readonly doc_id?: string;
    /** ISO time from which recall leaves it out. */
    readonly expires_at?: string;
    /** Active memories that contradict it, until somebody settles that: how many, and their keys. */
    readonly contradictions?: number;
    readonly contradicts?: readonly string[];
    readonly score_breakdown?: ScoreParts;
  };

/** Dead ends that the query touches, newest first. They take no place among the results. */
export type AbandonedWarnings = { readonly abandoned_warnings?: readonly AbandonedWarning[] };

/** `title` is at most 80 UTF-16 units of the title or the text; `score` may be below 0. */
export type Nearest = { readonly key: string; readonly title: string; readonly score: number };

/** How much the answer can be trusted to be complete. Absent fields mean nothing to report. */
export type RecallNotes = ProjectNote & {
  /** Which domains did not narrow the search as was asked, and what was searched. */
  readonly domain_filter_notice?: string;
  /** The projects that the domains led to. */
  readonly domain_filter?: DomainRouting;
  /** Set when nothing was good enough; results are then empty. */
  readonly message?: string;
  /** Where nothing was good enough: at most two that came close, by their first words. They are no results. */
  readonly nearest?: readonly Nearest[];
  readonly licence_notice?: string;
  /** `lexical` while no model serves, and why. */
  readonly search?: 'fused' | 'lexical';
  readonly search_note?: string;
  /** The other wordings that were searched as well. */
  readonly expanded_queries?: readonly string[];
  /** Set when a view was behind the log's head by more than the bound. */
  readonly stale?: { readonly events: number; readonly note: string };
  /** Set when the answer is of an earlier moment. */
  readonly as_of?: AsOf;
  /** Set when results were cut to the token bound: their keys, for recall_detail. */
  readonly cut?: { readonly keys: readonly string[]; readonly note: string };
};

export type RecallResult = AbandonedWarnings & { readonly results: readonly RecallItem[] } & RecallNotes;

export type RecallIndexInput = RecallInput & { readonly snippet_length?: number | undefined };
export type RecallIndexItem = Classification & {
  readonly key: string;
  readonly namespace: Namespace;
  readonly snippet: string;
  readonly score: number;
  readonly estimated_tokens: number;
  readonly event_date?: string;
  readonly state: State;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly reinstate_candidate?: true;
  /** Active memories that contradict it, until somebody settles that: how many, and their keys. */
  readonly contradictions?: number;
  readonly contradicts?: readonly string[];
  readonly score_breakdown?: ScoreParts;
};
export type RecallIndexResult = AbandonedWarnings & {
  readonly results: readonly RecallIndexItem[];
  readonly token_estimate: { readonly index: number; readonly full: number };
} & RecallNotes;

export type MemoryDetail = Classification &
  ExperienceFields & {
    readonly key: string;
    readonly content: string;
    readonly namespace: Namespace;
    readonly state: State;
    readonly project?: string;
    readonly tags?: readonly string[];
    readonly source_url?: string;
    readonly created_at: string;
    readonly updated_at: string;
    readonly doc_id?: string;
    readonly chunk_index?: number;
    readonly event_date?: string;
  };
export type RecallDetailInput = {
  readonly keys: readonly string[];
  readonly max_tokens?: number | undefined;
  /** With one key: where its text begins, to read on in one that was cut. */
  readonly offset?: number | undefined;
};
export type RecallDetailResult = Staleness & {
  readonly results: readonly (MemoryDetail | { readonly key: string; readonly status: 'not_found' })[];
  readonly cut?: { readonly keys: readonly string[]; readonly note: string };
};
