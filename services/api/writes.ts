import type { Licence, Namespace, Provenance, State } from '../../domain/vocabulary.js';
import type { Call, Visible } from './call.js';
import type { Enriching } from './enrichment.js';
import type { FilingNote, ProjectNote } from './project-identity.js';

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
  /** Of knowledge: ISO date or time, in the future, from which recall leaves it out. */
  readonly expires_at?: string | undefined;
};

export type RememberResult =
  | (FilingNote & {
      readonly status: 'stored';
      readonly key: string;
      readonly namespace: Namespace;
      readonly embedding: 'stored' | 'pending' | 'off';
      readonly enrichment: Enriching;
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
export type RememberDocumentInput = Omit<RememberInput, 'event_date' | 'expires_at'> & {
  readonly chunk_strategy?: 'paragraphs' | 'turn_pairs' | 'sentences' | 'fixed_tokens' | undefined;
  readonly chunk_size?: number | undefined;
};

export type RememberDocumentResult = FilingNote & {
  readonly doc_id: string | null;
  readonly keys: readonly string[];
  readonly chunks_stored: number;
  readonly chunks_total: number;
  readonly duplicates_skipped: number;
  readonly namespace: Namespace;
  readonly mode: 'full' | 'raw';
  readonly enrichment: Enriching;
  readonly note?: string;
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
  /** Memories that were flagged against the old wording and agree with the new one; both flags were taken off. */
  readonly contradictions_settled?: readonly string[];
} & Visible;

export type RetagInput = {
  readonly key: string;
  readonly tags?: readonly string[] | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
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
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type ArchiveInput = {
  readonly key_or_query: string;
  readonly reason?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type ReinstateInput = { readonly key_or_query: string };

/** What to forget in one of four ways (a key or query; keys; a suppressed topic; the filters together), or with `confirm` what was previewed. */
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
  /** A topic that somebody suppressed by hand, let in again or not: its text and reasons. */
  readonly topic?: string | undefined;
};
export type ForgetResult =
  | (ProjectNote & TopicsLeft & { readonly status: 'not_found'; readonly note: string })
  | (TopicsLeft & {
      readonly status: 'preview';
      readonly preview_id: string;
      readonly expires_at: string;
      readonly total: number;
      readonly by_namespace: Readonly<Record<string, number>>;
      /** Every name of the project that was named, when it has several: all of it is meant. */
      readonly project_names?: readonly string[];
      /** How many of them are facts drawn from others. */
      readonly facts?: number;
      /** Topics that recall leaves out since they are dead ends of these memories; they go too. */
      readonly suppressed_topics?: number;
      /** Topics of those that stay suppressed, since somebody else suppressed them as well. */
      readonly suppressions_kept?: readonly string[];
      /** The first of them. */
      readonly targets: readonly { readonly key: string; readonly content: string }[];
      readonly next: string;
      /** What stays, and the call that erases it. */
      readonly note?: string;
      readonly receipt: string;
    })
  | ({
      readonly status: 'deleted';
      readonly deleted: number;
      /** The first 500 of them. */
      readonly deleted_keys: readonly string[];
      readonly erased: true;
      readonly disk: 'pending' | 'external';
      /** Left, since they say something else than the preview showed, with the facts drawn from them; the first 500. */
      readonly changed_since_preview?: readonly string[];
      /** Where the text of a topic stays, and what was left. */
      readonly note?: string;
      /** When it could not be noted beside the backups, which keeps it from coming back. */
      readonly backups_note?: string;
    } & Visible);

/** The first topics suppressed by hand that are near to what is meant, and stay. */
type TopicsLeft = { readonly topics_left?: readonly string[] };

export type UndoInput = { readonly correlation: string };
/** `topic` says what a topic is whose key shows a hash. */
export type UndoneSubject = { readonly key: string; readonly topic?: string; readonly fields: readonly string[] };
export type UndoResult = {
  readonly status: 'undone' | 'unchanged';
  /** The action that was to be taken back. */
  readonly correlation: string;
  /** The undo itself: undone in turn, it does the action again. */
  readonly undo_correlation?: string;
  readonly restored: readonly UndoneSubject[];
  /** Fields that other actions wrote since; `changed_by` names those, newest first. */
  readonly kept: readonly (UndoneSubject & { readonly changed_by: readonly string[] })[];
  readonly irreversible: readonly { readonly key: string; readonly why: string }[];
  readonly note?: string;
} & Visible;

export type TopicInput = {
  readonly topic: string;
  readonly reason?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type TopicResult = { readonly topic: string; readonly reason?: string } & Visible;

export type StampInput = { readonly keys: readonly string[] };
export type SetLicenceInput = StampInput & {
  readonly licence: string;
  readonly licence_note?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
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

/** What writes to memories and topics. */
export type MemoryCommands = {
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
