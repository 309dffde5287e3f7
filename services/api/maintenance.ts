import type { MaintenanceRun } from '../../projections/maintenance.js';
import type { Call, Visible } from './call.js';
import type { ProjectNote } from './project-identity.js';

export type MaintainInput = {
  /** Absent: the whole store. */
  readonly project?: string | undefined;
  /** Says what a run would do, and does nothing. */
  readonly dry_run?: boolean | undefined;
};
export type MaintainResult = {
  readonly status: 'ran' | 'dry_run' | 'nothing_to_do';
  readonly project?: string;
  /** Undone as a whole by `undo` with it. Absent when nothing was written. */
  readonly correlation?: string;
  readonly duplicates_archived: readonly { readonly key: string; readonly kept: string }[];
  readonly contradictions_found: readonly {
    readonly key_a: string;
    readonly key_b: string;
    readonly content_a: string;
    readonly content_b: string;
  }[];
  readonly knowledge_expired: readonly string[];
  /** Copies that stay, since they know something of the work that the newer memory does not. */
  readonly kept_for_experience?: readonly { readonly key: string; readonly copy_of: string }[];
  /** What there is beyond the cap of one run. */
  readonly left: number;
} & ProjectNote &
  Visible;

/** What keeps the store tidy. Nothing here erases. */
export type MaintenanceCommands = {
  readonly maintain: (input: MaintainInput, call: Call) => Promise<MaintainResult>;
};

export type { MaintenanceRun };
