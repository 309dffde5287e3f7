import type { Namespace, State } from '../../domain/vocabulary.js';
import type { Call, Visible } from './call.js';
import type { ProjectNote } from './project-identity.js';

export type CheckContradictionsInput = {
  /** Looks among the 20 memories nearest to it; without one, among the newest 200. */
  readonly query?: string | undefined;
  readonly namespace?: Namespace | undefined;
  readonly project_filter?: string | undefined;
  /** Whether a model is asked about each pair; what it does not confirm is left out. */
  readonly use_api?: boolean | undefined;
};
export type Contradiction = {
  readonly key_a: string;
  readonly key_b: string;
  readonly content_a: string;
  readonly content_b: string;
  readonly method: 'heuristic' | 'api_confirmed';
  readonly confidence?: number;
  readonly explanation?: string;
  /** Cosine of the stored vectors; where one has none, the share of common words. 4 decimals. */
  readonly similarity: number;
};
export type CheckContradictionsResult = {
  readonly contradictions: readonly Contradiction[];
  /** Pairs that were compared word by word. */
  readonly checked: number;
  readonly note?: string;
} & ProjectNote &
  Visible;

export type ResolveContradictionInput = {
  readonly key_a: string;
  readonly key_b: string;
  /** The key of the one that holds; `both`, or nothing, when both do. */
  readonly keep?: string | undefined;
  /** Whether the one that does not hold is deprioritised. Default true. */
  readonly deprioritise?: boolean | undefined;
  readonly note?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type ResolveContradictionResult = {
  readonly status: 'resolved';
  readonly key_a: string;
  readonly key_b: string;
  /** The key of the one that holds, or `both`. */
  readonly kept: string;
  readonly deprioritised?: string;
  readonly note?: string;
} & Visible;

/** A contradiction of one memory, as explain_memory shows it. */
export type OpenContradiction = {
  readonly with: string;
  /** ISO. */
  readonly since: string;
  readonly method: 'heuristic' | 'api_confirmed';
  /** The opposite words, or the kind of value, that showed it. */
  readonly cue?: string;
  readonly similarity?: number;
  readonly confidence?: number;
  /** How the other memory stands now; absent for an earlier moment. Only an active one is shown by recall. */
  readonly other_state?: State;
};

/** What finds contradictions and settles them. */
export type ContradictionCommands = {
  /** Reported pairs are flagged on both memories until somebody settles them. */
  readonly checkContradictions: (input: CheckContradictionsInput, call: Call) => Promise<CheckContradictionsResult>;
  readonly resolveContradiction: (input: ResolveContradictionInput, call: Call) => Promise<ResolveContradictionResult>;
};
