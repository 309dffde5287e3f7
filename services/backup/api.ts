import type { Position } from '../../domain/envelope.js';
import type { StoreDigests } from './digests.js';

/** Who asks for it; the shape of a call to the app. */
export type BackupCall = {
  readonly actor: string;
  readonly commandId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((message: string, done?: number, total?: number) => void) | undefined;
};

export type DumpInput = {
  readonly filename?: string | undefined;
  /** A new set, whole, in place of adding to the newest. */
  readonly full?: boolean | undefined;
  readonly with_embeddings?: boolean | undefined;
};
export type DumpResult = {
  readonly filename: string;
  readonly path: string;
  readonly total_events: number;
  readonly events_added: number;
  readonly segments_added: number;
  readonly size_kb: number;
  readonly encrypted: boolean;
  readonly log_digest: string;
  readonly expired: readonly string[];
  /** What the human should know: this one is not encrypted, and the ones before it are. */
  readonly warning?: string;
};

export type BackupInfo = {
  readonly filename: string;
  readonly size_kb: number;
  /** ISO, UTC. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly events: number;
  readonly segments: number;
  readonly log_id: string;
  /** Whether it is of the log that runs here; absent when that is not known. */
  readonly this_log?: boolean;
  /** False while its first run has not ended. */
  readonly complete: boolean;
  /** Its first run was cut off before it wrote anything, or has only begun: it is no backup, and the next run goes on with it. */
  readonly empty?: true;
  readonly encrypted: boolean;
  readonly embeddings: boolean;
};
export type ListBackupsResult = {
  readonly dir: string;
  /** Newest first. */
  readonly backups: readonly BackupInfo[];
  readonly unreadable: readonly string[];
};

export type RestoreFromFileInput = {
  readonly filename: string;
  readonly dry_run?: boolean | undefined;
  readonly until?: string | undefined;
};

/** What is said of a set whose first run did not end. `at`: ISO, UTC. */
export const cutOff = (at: string): string => `Not complete: its run was cut off at ${at}, or has not ended yet; later events are missing.`;

/** What a restore did, or would do. */
export type RestoreReport = {
  readonly status: 'restored' | 'forwarded' | 'unchanged' | 'dry_run';
  /** What a dry run would do. */
  readonly would: 'restored' | 'forwarded' | 'unchanged';
  readonly backup: string;
  readonly log_id: string;
  readonly events_in_backup: number;
  readonly events_restored: number;
  readonly head: Position;
  /** Memories that the backup still holds, and that stay forgotten. */
  readonly kept_forgotten: number;
  /** Entries that could not be read in the source, and cannot here. */
  readonly unreadable: number;
  readonly vectors: number;
  /** False when the first run of the set was cut off, or goes on: what happened after `head` is missing. True for a moment before that. */
  readonly complete: boolean;
  /** ISO, UTC: until when such a set was written. */
  readonly cut_off_at?: string;
  /** The set is of an earlier program: no digest proves what it carries beside the log, such as counts of recalls. */
  readonly side_unproven?: true;
  /** Of the store up to the backup's last place; absent when nothing was written. */
  readonly digests?: StoreDigests;
};
export type RestoreFromFileResult = Omit<RestoreReport, 'backup' | 'head' | 'vectors' | 'digests'> & {
  readonly filename: string;
  readonly digests?: Pick<StoreDigests, 'log' | 'payloads'>;
  readonly note: string;
};

/** Backups as edges see them. */
export type Backups = {
  /** Brings a backup up to date. CONFLICT while another is written. */
  readonly dump: (input: DumpInput, call: BackupCall) => Promise<DumpResult>;
  readonly list: () => Promise<ListBackupsResult>;
  /** Checks a backup (`dry_run`, the default) or puts it back. CONFLICT, and nothing changed, when it does not fit or is damaged. */
  readonly restore: (input: RestoreFromFileInput, call: BackupCall) => Promise<RestoreFromFileResult>;
};
