import type { AbandonedType, Namespace, Outcome, State } from '../../domain/vocabulary.js';
import type { Asked, OfMoment } from './as-of.js';
import type { Call, Staleness, Visible } from './call.js';
import type { ProjectNote } from './project-identity.js';

/** Something that was tried and given up, as it is told. */
export type AbandonedInput = { readonly name: string; readonly type: AbandonedType; readonly reason: string };
export type AbandonedApproach = AbandonedInput & {
  /** ISO. */
  readonly attempted_at: string;
};

export type RecordExperienceInput = {
  readonly key: string;
  /** 1 (first try) to 5 (near abandonment). */
  readonly effort_score: number;
  readonly outcome: Outcome;
  readonly iterations?: number | undefined;
  readonly abandoned_approaches?: readonly AbandonedInput[] | undefined;
  readonly breakthrough?: string | undefined;
  readonly gotchas?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type RecordExperienceResult = {
  readonly key: string;
  readonly effort_score: number;
  readonly outcome: Outcome;
  /** What the score of this memory is multiplied by in recall. */
  readonly experience_weight: number;
  /** Names that recall leaves out from now on. */
  readonly auto_suppressed?: readonly string[];
  /** Names for which that would have gone too far, and why. */
  readonly not_suppressed?: readonly { readonly name: string; readonly why: string }[];
  readonly note?: string;
} & Visible;

export type LogAbandonedInput = { readonly key: string; readonly force?: boolean | undefined } & AbandonedInput;
export type LogAbandonedResult = {
  readonly key: string;
  readonly abandoned_count: number;
  readonly latest_entry: AbandonedApproach;
  readonly note?: string;
} & Visible;

/** `reason`: why it is no dead end any more. `type` chooses among several of one name. */
export type LiftDeadEndInput = LogAbandonedInput;
export type LiftDeadEndResult = {
  readonly key: string;
  /** The name that no longer warns from this memory. */
  readonly lifted: string;
  /** Dead ends that the memory still carries. */
  readonly abandoned_count: number;
  readonly note: string;
} & Visible;

/** What is known of the work behind a memory; fields that are not known are absent. */
export type ExperienceFields = {
  readonly effort_score?: number;
  readonly outcome?: Outcome;
  readonly iterations?: number;
  readonly experience_weight?: number;
  readonly breakthrough?: string;
  readonly gotchas?: string;
  readonly abandoned_approaches?: readonly AbandonedApproach[];
};

export type GetExperienceInput = { readonly key: string } & Asked;
export type GetExperienceResult = (
  | { readonly status: 'not_found' | 'no_experience'; readonly key: string }
  | ({ readonly status: 'found'; readonly key: string; readonly state: State; readonly project?: string } & ExperienceFields)
) &
  OfMoment;

export type ExperienceSummaryInput = { readonly project?: string | undefined } & Asked;
export type ExperienceSummaryResult = {
  readonly project?: string;
  /** Memories that are not archived and have any experience, a dead end included. */
  readonly memories_with_experience: number;
  /** Of those with an effort score, to 2 digits; 0 when there are none. */
  readonly average_effort_score: number;
  readonly outcome_breakdown: Readonly<Record<Outcome, number>>;
  readonly top_5_most_effortful: readonly {
    readonly key: string;
    readonly content: string;
    readonly effort_score: number;
    readonly outcome?: Outcome;
  }[];
  /** Newest first, each name once. */
  readonly graveyard: readonly (AbandonedApproach & { readonly key: string; readonly effort_score?: number; readonly project?: string })[];
  /** Set when there are more dead ends than are listed. */
  readonly graveyard_cut?: { readonly shown: number; readonly note: string };
  readonly top_3_breakthroughs: readonly { readonly key: string; readonly effort_score?: number; readonly breakthrough: string }[];
} & Staleness &
  ProjectNote &
  OfMoment;

export type WarnIfAbandonedInput = { readonly query: string; readonly project?: string | undefined } & Asked;
export type AbandonedMatch = {
  readonly memory_key: string;
  readonly abandoned_name: string;
  readonly type: AbandonedType;
  readonly reason: string;
  readonly effort_score?: number;
  readonly project?: string;
  readonly attempted_at: string;
  /** Of the memory that tells of it; said when it is not active. */
  readonly state?: State;
};
export type WarnIfAbandonedResult = (
  | { readonly status: 'clear' }
  | { readonly status: 'warning'; readonly matches: readonly AbandonedMatch[]; readonly total: number }
) &
  Staleness &
  ProjectNote &
  OfMoment;

/** A dead end that a query touches, beside the results of a recall. */
export type AbandonedWarning = {
  readonly result_type: 'abandoned_warning';
  readonly key: string;
  readonly namespace: Namespace;
  readonly name: string;
  readonly type: AbandonedType;
  readonly reason: string;
  readonly project?: string;
  readonly effort_score?: number;
  readonly attempted_at: string;
  readonly state?: State;
};

/** What writes what work was like. */
export type ExperienceCommands = {
  readonly recordExperience: (input: RecordExperienceInput, call: Call) => Promise<RecordExperienceResult>;
  readonly logAbandoned: (input: LogAbandonedInput, call: Call) => Promise<LogAbandonedResult>;
  readonly liftDeadEnd: (input: LiftDeadEndInput, call: Call) => Promise<LiftDeadEndResult>;
};

/** What reads it. */
export type ExperienceQueries = {
  readonly getExperience: (input: GetExperienceInput, call: Call) => Promise<GetExperienceResult>;
  readonly experienceSummary: (input: ExperienceSummaryInput, call: Call) => Promise<ExperienceSummaryResult>;
  readonly warnIfAbandoned: (input: WarnIfAbandonedInput, call: Call) => Promise<WarnIfAbandonedResult>;
};
