import type { SectionName } from '../../domain/briefing/sections.js';
import type { ProjectSuggestion } from '../../domain/project/scope.js';
import type { Licence, Outcome, Provenance, State } from '../../domain/vocabulary.js';
import type { AsOf } from './as-of.js';
import type { Call } from './call.js';

export type BriefingInput = {
  readonly project?: string | undefined;
  /** Whether new knowledge is a part. Default true. */
  readonly include_knowledge?: boolean | undefined;
  /** Only these parts. Default: all that have something to say. */
  readonly include?: readonly SectionName[] | undefined;
  /** Bound on the answer, in tokens. Default 4,000. */
  readonly max_tokens?: number | undefined;
  /** A moment, named as `Asked` says: what the briefing would have said at that moment. */
  readonly as_of?: string | undefined;
};

/** A memory by its first words. */
type Head = { readonly key: string; readonly content: string };

export type BriefedContext =
  | {
      readonly name: string;
      readonly key: string;
      /** Pass it to update_project_state, so that nobody's update is lost. */
      readonly version: number;
      readonly description?: string;
      readonly stack?: string;
      readonly goals?: string;
      readonly current_state?: string;
      readonly notes?: string;
      readonly domains?: readonly string[];
      readonly also_called?: readonly string[];
      /** When the project was set aside, and why. */
      readonly state?: State;
      readonly reason?: string;
      readonly updated_at: string;
    }
  | { readonly name: string; readonly note: string; readonly memories: number };

export type BriefedExperience = {
  readonly memories_with_experience: number;
  /** Absent while nothing was rated. */
  readonly average_effort_score?: number;
  readonly outcome_breakdown?: Readonly<Record<Outcome, number>>;
  readonly graveyard?: readonly {
    readonly name: string;
    readonly type: string;
    readonly reason: string;
    readonly key: string;
    readonly attempted_at: string;
  }[];
  readonly top_3_breakthroughs?: readonly { readonly key: string; readonly breakthrough: string }[];
  /** Of the memories that took the most effort. */
  readonly gotchas?: readonly { readonly key: string; readonly gotchas: string }[];
};

/** Every part is left out when it has nothing to say. */
export type BriefingSections = {
  readonly project_context?: BriefedContext;
  readonly contradiction_warnings?: readonly (Head & {
    readonly contradicts: readonly string[];
    readonly says: string;
    readonly cue?: string;
    readonly since: string;
  })[];
  /** `provenance` is said when it was not the human who said it. */
  readonly preferences?: readonly (Head & {
    readonly project?: string;
    readonly provenance?: Provenance;
    readonly enriched_from?: string;
  })[];
  readonly recent_memories?: readonly (Head & { readonly updated_at: string; readonly outcome?: Outcome })[];
  readonly experience_summary?: BriefedExperience;
  readonly reinstate_candidates?: readonly (Head & { readonly reason?: string; readonly reinstate_hints: readonly string[] })[];
  readonly stale_memories?: readonly (Head & { readonly days_stale: number })[];
  readonly new_knowledge?: readonly (Head & {
    readonly title?: string;
    readonly source_url?: string;
    readonly licence: Licence;
    readonly licence_note?: string;
    readonly provenance: Provenance;
  })[];
  readonly suppressed_topics?: readonly string[];
  /** The last run of maintenance in this project, for a week. */
  readonly auto_maintenance?: {
    readonly ran_at: string;
    /** `undo` with it takes the run back. */
    readonly correlation: string;
    readonly duplicates_archived?: readonly string[];
    readonly contradictions_found?: readonly { readonly key_a: string; readonly key_b: string }[];
    readonly knowledge_expired?: readonly string[];
    readonly left?: number;
  };
  /** Only while something is wrong with it. */
  readonly enrichment?: { readonly parked: number; readonly note: string };
};

export type BriefingResult = BriefingSections & {
  /** Set when there is nothing to tell. */
  readonly message?: string;
  readonly project_suggestion?: ProjectSuggestion;
  readonly stale?: { readonly events: number; readonly note: string };
  readonly as_of?: AsOf;
  /** Parts that cannot be told now, and why. */
  readonly unavailable?: Readonly<Record<string, string>>;
  /** What the budget left out: entries of a list, or `true` for a whole part or for texts that were cut. */
  readonly trimmed?: Readonly<Record<string, number | true>>;
  readonly trimmed_note?: string;
};

export type BriefingQueries = { readonly briefing: (input: BriefingInput, call: Call) => Promise<BriefingResult> };
