import type { HealthIssue } from '../api.js';

/** How backups stand; times in milliseconds. */
export type BackupStanding = {
  readonly everyMs: number | undefined;
  readonly newestAt: number | undefined;
  readonly since: number;
  readonly failed: string | undefined;
  /** Why the folder cannot be read. */
  readonly unread?: string | undefined;
  /** Why FORGOTTEN cannot be written. */
  readonly unlisted?: string | undefined;
};

/** A restore that writes now, or was left unfinished; seconds since its last sign. */
export type RestoreStanding = { readonly backup: string; readonly silent: number };

/** A restore is silent for a moment between two steps. */
const RESTORE_SILENT_SECONDS = 30;
/** A run takes its time, and a clock may be a little off. */
const GRACE_MS = 60_000;

const red = (code: string, message: string, hint: string): HealthIssue => ({ code, severity: 'red', message, hint });
const amber = (code: string, message: string, hint: string): HealthIssue => ({ code, severity: 'amber', message, hint });

export const backupIssues = ({
  backup,
  restoring,
  now,
}: {
  readonly backup?: BackupStanding | undefined;
  readonly restoring?: RestoreStanding | undefined;
  readonly now: number;
}): readonly HealthIssue[] => [
  ...(restoring ? [restoreIssue(restoring)] : []),
  ...(backup?.unlisted === undefined
    ? []
    : [
        red(
          'BACKUP_FORGOTTEN',
          `What is forgotten cannot be noted beside the backups: ${backup.unlisted}`,
          'Mend the folder; it is noted then by itself. Until then do not restore a backup from it elsewhere',
        ),
      ]),
  ...(backup ? scheduleIssues(backup, now) : []),
];

const restoreIssue = ({ backup, silent }: RestoreStanding): HealthIssue =>
  silent > RESTORE_SILENT_SECONDS
    ? red(
        'RESTORE_UNFINISHED',
        `The restore of ${backup} was not finished; nothing can be written`,
        'Run the restore again, or omnimem restore --give-up',
      )
    : amber('RESTORING', `The backup ${backup} is being restored; writing waits`, 'Wait for it to end');

const scheduleIssues = ({ everyMs, newestAt, since, failed, unread }: BackupStanding, now: number): readonly HealthIssue[] => {
  if (everyMs === undefined) return [];
  if (unread !== undefined) {
    return [
      red(
        'BACKUP_FAILED',
        `No backup can be made: ${unread}`,
        'Mend the folder, or set BACKUP_DIR to another; it is tried again by itself',
      ),
    ];
  }
  const age = now - (newestAt ?? since);
  const hint = failed === undefined ? 'Run omnimem backup, and look at the log of the server' : failed;
  const what = newestAt === undefined ? 'There is no backup yet' : `The newest backup is ${Math.round(age / 60_000)} minutes old`;
  const due = `${what}; it is due every ${everyMs / 60_000} minutes`;
  if (age > 2 * everyMs + GRACE_MS) return [red('BACKUP_OLD', due, hint)];
  if (age > everyMs + GRACE_MS) return [amber('BACKUP_LATE', due, hint)];
  return failed === undefined ? [] : [amber('BACKUP_FAILED', `The last scheduled backup failed: ${failed}`, 'It is tried again')];
};
