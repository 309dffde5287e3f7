import type { Licence, Namespace, Provenance, State } from '../domain/vocabulary.js';

import type { Backups } from './backup/api.js';

/** Who calls, and how. Every command and query takes one. */
export type Call = {
  /** `mcp:<client>/<version>`, `cli`, `web:<user>`, `job:<name>`, … */
  readonly actor: string;
  /** ULID chosen by the caller: repeated with the same id, a command answers its first result and does nothing. */
  readonly commandId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called while a call waits or works, for progress notices. */
  readonly progress?: ((message: string, done?: number, total?: number) => void) | undefined;
};

/** `false` when the write is safe in the log but a view was late; recall may miss it for a moment. */
type Visible = { readonly visible?: boolean };

export type RememberInput = {
  readonly content: string;
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly namespace?: Namespace | undefined;
  /** Skips the duplicate check, the contradiction check, the secrets check and enrichment. */
  readonly force?: boolean | undefined;
  readonly mode?: 'full' | 'raw' | undefined;
  readonly licence?: string | undefined;
  readonly licence_note?: string | undefined;
  readonly provenance?: string | undefined;
  /** ISO date or time that the text speaks of. */
  readonly event_date?: string | undefined;
};

export type RememberResult =
  | ({
      readonly status: 'stored';
      readonly key: string;
      readonly namespace: Namespace;
      readonly embedding: 'stored' | 'pending' | 'off';
      readonly contradiction_warning?: {
        readonly existing_key: string;
        readonly existing_content: string;
        readonly similarity: number;
        readonly explanation: string;
      };
      /** Our own framing was recognised in the content and left out; these memories were in it. */
      readonly stripped_recall?: readonly string[];
      readonly note?: string;
    } & Visible)
  | {
      readonly status: 'duplicate_found';
      readonly existing_key: string;
      readonly existing_content: string;
      readonly similarity: number;
      readonly hint: string;
    };

/** `force` skips the secrets check only: chunks that are known already are left out all the same. */
export type RememberDocumentInput = Omit<RememberInput, 'event_date'> & {
  readonly chunk_strategy?: 'paragraphs' | 'turn_pairs' | 'sentences' | 'fixed_tokens' | undefined;
  readonly chunk_size?: number | undefined;
};

export type RememberDocumentResult = {
  readonly doc_id: string | null;
  readonly keys: readonly string[];
  readonly chunks_stored: number;
  readonly chunks_total: number;
  readonly duplicates_skipped: number;
  readonly namespace: Namespace;
  readonly mode: 'full' | 'raw';
  readonly enrichment: 'queued' | 'batch_queued' | 'none';
} & Visible;

export type ReviseInput = {
  readonly key: string;
  readonly content: string;
  readonly reason?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type ReviseResult = {
  readonly status: 'revised' | 'unchanged';
  readonly key: string;
  readonly embedding?: 'stored' | 'pending' | 'off';
} & Visible;

export type RetagInput = {
  readonly key: string;
  readonly tags?: readonly string[] | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
};
export type RetagResult =
  | ({
      readonly status: 'updated';
      readonly key: string;
      readonly tags: readonly string[];
      readonly previous_tags: readonly string[];
    } & Visible)
  | { readonly status: 'unchanged'; readonly key: string; readonly tags: readonly string[] }
  | { readonly status: 'not_found'; readonly key: string };

export type Transition = {
  readonly key: string;
  readonly previous_state: State;
  readonly new_state: State;
  readonly surface_score: number;
  readonly warning?: string;
};
export type LifecycleResult = { readonly affected: readonly Transition[]; readonly note?: string } & Visible;

export type DeprioritiseInput = {
  readonly key_or_query: string;
  readonly reason: string;
  readonly reinstate_hints?: readonly string[] | undefined;
};
export type ArchiveInput = { readonly key_or_query: string; readonly reason?: string | undefined };
export type ReinstateInput = { readonly key_or_query: string };

/** What to forget in one of three ways (a key or query; keys; the filters together), or with `confirm` what was previewed. */
export type ForgetInput = {
  readonly key_or_query?: string | undefined;
  readonly confirm?: boolean | undefined;
  /** With `confirm`: erases exactly what this preview meant. */
  readonly preview_id?: string | undefined;
  /** With `confirm`: exactly the keys the preview listed. A query is never run again to find what to erase. */
  readonly keys?: readonly string[] | undefined;
  readonly doc_id?: string | undefined;
  readonly project?: string | undefined;
  /** ISO dates or times: created from then on, and before then. */
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
};
export type ForgetResult =
  | { readonly status: 'not_found'; readonly note: string }
  | {
      readonly status: 'preview';
      readonly preview_id: string;
      readonly expires_at: string;
      readonly total: number;
      readonly by_namespace: Readonly<Record<string, number>>;
      /** How many of them are facts drawn from others. */
      readonly facts?: number;
      /** The first of them. */
      readonly targets: readonly { readonly key: string; readonly content: string }[];
      readonly next: string;
      readonly receipt: string;
    }
  | ({
      readonly status: 'deleted';
      readonly deleted: number;
      /** The first 500 of them. */
      readonly deleted_keys: readonly string[];
      readonly erased: true;
      readonly disk: 'pending' | 'external';
    } & Visible);

export type UndoInput = { readonly correlation: string };
export type UndoResult = {
  readonly status: 'undone' | 'unchanged';
  /** The action that was to be taken back. */
  readonly correlation: string;
  /** The undo itself: undone in turn, it does the action again. */
  readonly undo_correlation?: string;
  readonly restored: readonly { readonly key: string; readonly fields: readonly string[] }[];
  /** Fields that other actions wrote since; `changed_by` names those, newest first. */
  readonly kept: readonly { readonly key: string; readonly fields: readonly string[]; readonly changed_by: readonly string[] }[];
  readonly irreversible: readonly { readonly key: string; readonly why: string }[];
  readonly note?: string;
} & Visible;

export type TopicInput = { readonly topic: string; readonly reason?: string | undefined };
export type TopicResult = { readonly topic: string; readonly reason?: string } & Visible;

export type StampInput = { readonly keys: readonly string[] };
export type SetLicenceInput = StampInput & { readonly licence: string; readonly licence_note?: string | undefined };
export type SetProvenanceInput = StampInput & { readonly provenance: string };
export type StampResult = {
  readonly licence?: Licence;
  readonly licence_note?: string;
  readonly provenance?: Provenance;
  /** Memories stamped, sibling chunks included. */
  readonly classified: number;
  /** Extracted facts that followed. */
  readonly cascaded: number;
  readonly not_found: readonly string[];
} & Visible;

/** The write side. One function per tool; MCP, CLI, web and jobs call these and nothing below. */
export type Commands = {
  readonly remember: (input: RememberInput, call: Call) => Promise<RememberResult>;
  readonly rememberDocument: (input: RememberDocumentInput, call: Call) => Promise<RememberDocumentResult>;
  readonly revise: (input: ReviseInput, call: Call) => Promise<ReviseResult>;
  readonly retag: (input: RetagInput, call: Call) => Promise<RetagResult>;
  readonly deprioritise: (input: DeprioritiseInput, call: Call) => Promise<LifecycleResult>;
  readonly archive: (input: ArchiveInput, call: Call) => Promise<LifecycleResult>;
  readonly reinstate: (input: ReinstateInput, call: Call) => Promise<LifecycleResult>;
  readonly forget: (input: ForgetInput, call: Call) => Promise<ForgetResult>;
  readonly undo: (input: UndoInput, call: Call) => Promise<UndoResult>;
  readonly suppressTopic: (input: TopicInput, call: Call) => Promise<TopicResult>;
  readonly unsuppressTopic: (input: TopicInput, call: Call) => Promise<TopicResult>;
  readonly setLicence: (input: SetLicenceInput, call: Call) => Promise<StampResult>;
  readonly setProvenance: (input: SetProvenanceInput, call: Call) => Promise<StampResult>;
};

/** The moment that an answer is of. */
export type AsOf = {
  /** The last event of the log that the answer knows of; `0-0` before the first. */
  readonly position: string;
  /** ISO: scores count from then. */
  readonly time: string;
  /** Memories that were there and have been forgotten since. */
  readonly forgotten_since: number;
  /** The vector space that was searched; null where words alone were. */
  readonly model: string | null;
  /** Whether nothing that was there then is missing; when not, `note` says what. */
  readonly exact: boolean;
  readonly note?: string;
};

export type RecallInput = {
  readonly query: string;
  /** ISO time, or a stream id: the answer is of that moment. */
  readonly as_of?: string | undefined;
  readonly top_k?: number | undefined;
  readonly namespaces?: readonly Namespace[] | undefined;
  readonly project_filter?: string | readonly string[] | undefined;
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

type Classification = { readonly licence: Licence; readonly licence_note?: string; readonly provenance: Provenance };

export type RecallItem = Classification & {
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
  readonly score_breakdown?: ScoreParts;
};

/** How much the answer can be trusted to be complete. Absent fields mean nothing to report. */
export type RecallNotes = {
  /** Set when nothing was good enough; results are then empty. */
  readonly message?: string;
  readonly licence_notice?: string;
  /** `lexical` while no model serves, and why. */
  readonly search?: 'fused' | 'lexical';
  readonly search_note?: string;
  /** Set when a view was behind the log's head by more than the bound. */
  readonly stale?: { readonly events: number; readonly note: string };
  /** Set when the answer is of an earlier moment. */
  readonly as_of?: AsOf;
  /** Set when results were cut to the token bound: their keys, for recall_detail. */
  readonly cut?: { readonly keys: readonly string[]; readonly note: string };
};

export type RecallResult = { readonly results: readonly RecallItem[] } & RecallNotes;

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
  readonly score_breakdown?: ScoreParts;
};
export type RecallIndexResult = {
  readonly results: readonly RecallIndexItem[];
  readonly token_estimate: { readonly index: number; readonly full: number };
} & RecallNotes;

export type MemoryDetail = Classification & {
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
export type RecallDetailResult = {
  readonly results: readonly (MemoryDetail | { readonly key: string; readonly status: 'not_found' })[];
  readonly cut?: { readonly keys: readonly string[]; readonly note: string };
};

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

export type HealthIssue = { readonly code: string; readonly severity: 'red' | 'amber'; readonly message: string; readonly hint: string };
export type HealthResult = {
  readonly status: 'green' | 'amber' | 'red';
  readonly issues: readonly HealthIssue[];
  readonly valkey_connected: boolean;
  readonly records: Readonly<Record<string, number>>;
  readonly indexes: Readonly<Record<string, unknown>>;
  readonly model_loaded: boolean;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly log: { readonly log_id: string; readonly events: number; readonly head: string | null };
  readonly projections: Readonly<
    Record<string, { readonly generation: number; readonly lag_events: number; readonly degraded: number; readonly dead_letters: number }>
  >;
  readonly vectors: { readonly pending: number; readonly refused: number };
  readonly valkey: Readonly<Record<string, unknown>>;
  readonly uptime_seconds: number;
  readonly data_dir?: string;
};

/** The read side. Queries read views only and append nothing to the log. */
export type Queries = {
  readonly recall: (input: RecallInput, call: Call) => Promise<RecallResult>;
  readonly recallIndex: (input: RecallIndexInput, call: Call) => Promise<RecallIndexResult>;
  readonly recallDetail: (input: RecallDetailInput, call: Call) => Promise<RecallDetailResult>;
  readonly listSuppressions: (call: Call) => Promise<ListSuppressionsResult>;
  readonly findDuplicates: (input: FindDuplicatesInput, call: Call) => Promise<FindDuplicatesResult>;
  readonly memoryAudit: (input: MemoryAuditInput, call: Call) => Promise<MemoryAuditResult>;
  readonly explainMemory: (input: ExplainMemoryInput, call: Call) => Promise<ExplainMemoryResult>;
  readonly health: () => Promise<HealthResult>;
  readonly version: () => { readonly version: string };
};

/** What edges get: commands, queries, and whether the parts they need are up. */
export type App = {
  readonly commands: Commands;
  readonly queries: Queries;
  readonly backups: Backups;
  /** Resolves when the store and the views can serve, or rejects UNAVAILABLE after `timeoutMs`; meanwhile says what it waits for. */
  readonly whenReady: (timeoutMs: number, onWait?: (what: string) => void, signal?: AbortSignal) => Promise<void>;
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** Counts one tool call for the metrics. `outcome` is `ok` or an error code. */
  readonly countToolCall: (tool: string, outcome: string, milliseconds: number) => void;
};
