import { dirname } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { withoutPaths } from '../health/unpathed.js';
import { openStore } from '../ops/store.js';
import { writeMarker } from '../ops/store-marker.js';
import type { ValkeyTarget } from '../valkey/client.js';
import { type BackupInfo, type Backups, cutOff, type DumpResult, type RestoreFromFileResult, type RestoreReport } from './api.js';
import { type BackupSet, bytesOf, holdsNothing, isOf, listSets } from './layout.js';
import { withBackups } from './lease.js';
import { ownSet, ownSets } from './own.js';
import { type RestoreOptions, restoreBackup } from './restore.js';
import { expiredSets, removeSets } from './retention.js';
import { refuseServersFolder } from './servers-folder.js';
import type { BackupSettings } from './settings.js';
import { type BackupParts, type BackupReport, type TakeOptions, takeWithin } from './take.js';
import { parseUntil } from './until.js';

export type BackupServiceParts = BackupParts & {
  readonly settings: BackupSettings;
  readonly target: ValkeyTarget;
  readonly dataDir: string;
};

const DAY_MS = 86_400_000;
const kilobytes = (bytes: number): number => Math.round((bytes / 1_024) * 100) / 100;

/** A backup into the configured folder, and the old sets it makes superfluous removed, all while nobody else is at them. */
export const backUp = (
  parts: BackupParts,
  settings: BackupSettings,
  options: Omit<TakeOptions, 'root' | 'secrets'>,
): Promise<{ readonly report: BackupReport; readonly expired: readonly string[] }> => {
  const { dir: root, newSetDays, keep, keepDays } = settings;
  const work = async (signal: AbortSignal) => {
    const fresh =
      options.fresh ??
      (options.name === undefined && (await isDue(root, { logId: parts.log.logId, tenant: parts.keys.tenant }, newSetDays, parts.now())));
    const report = await takeWithin(parts, { ...options, fresh, root, secrets: settings }, signal);
    const { sets } = await listSets(root);
    const expired = await removeSets(
      expiredSets(sets, { logId: parts.log.logId, tenant: parts.keys.tenant }, { keep, keepDays }, parts.now()),
    );
    return { report, expired };
  };
  return withBackups(parts, root, work, options);
};

/** Whether the newest set has grown old enough for a new one. */
const isDue = async (
  root: string,
  { logId, tenant }: Parameters<typeof expiredSets>[1],
  newSetDays: number,
  now: number,
): Promise<boolean> => {
  const newest = (await listSets(root)).sets.find((set) => isOf(set, logId, tenant) && set.manifest.complete);
  return newest !== undefined && now - Date.parse(newest.manifest.created_at) >= newSetDays * DAY_MS;
};

/** Puts a backup back and notes it in the data folder, so that the store is known there when it is opened next. */
export const restoreAndNote = async (options: RestoreOptions, dataDir: string | undefined): Promise<RestoreReport> => {
  const report = await restoreBackup(options);
  if (dataDir === undefined || report.status === 'dry_run' || report.events_in_backup === 0) return report;
  const store = await openStore({ target: options.target, tenant: options.tenant });
  try {
    const seen_at = new Date(options.now?.() ?? Date.now()).toISOString();
    await writeMarker(dataDir, options.tenant, { log_id: report.log_id, events: await store.log.size(), seen_at });
  } finally {
    store.close();
  }
  return report;
};

export const createBackups = (parts: BackupServiceParts): Backups => {
  const backups = backupsOf(parts);
  const { settings, dataDir } = parts;
  if (!settings.byToken) return backups;
  const hidden = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { message, hint } = withoutPaths({ message: error.message, hint: error.hint }, [settings.dir, dirname(settings.dir), dataDir]);
      throw new DomainError(error.code, message, hint, { cause: error });
    }
  };
  return {
    dump: (input, call) => hidden(backups.dump(input, call)),
    list: () => hidden(backups.list()),
    restore: (input, call) => hidden(backups.restore(input, call)),
  };
};

const backupsOf = (parts: BackupServiceParts): Backups => {
  const { settings, keys, target, dataDir, log } = parts;
  return {
    dump: async ({ filename, full, with_embeddings }, { actor, commandId, signal, progress }) => {
      await refuseServersFolder(dataDir, settings.dir);
      const { report, expired } = await backUp(parts, settings, {
        name: filename,
        fresh: full,
        withEmbeddings: with_embeddings ?? settings.withEmbeddings,
        actor,
        commandId,
        signal,
        onProgress: (done, total) => progress?.('backing up', done, total),
      });
      return { ...dumpResult(report, expired), ...(settings.byToken && { path: report.name }) };
    },
    list: async () => {
      const { sets, unreadable } = await ownSets(settings, keys.tenant);
      return { dir: settings.byToken ? '.' : settings.dir, backups: sets.map((set) => infoOf(set, log.logId)), unreadable };
    },
    restore: async ({ filename, dry_run = true, until }, { actor, commandId, signal, progress }) => {
      const options: RestoreOptions = {
        path: (await ownSet(settings, keys.tenant, filename)).dir,
        target,
        tenant: keys.tenant,
        secrets: settings,
        roots: [settings.dir],
        dryRun: dry_run,
        until: until === undefined ? undefined : parseUntil(until),
        actor,
        commandId,
        signal,
        onProgress: (what, done, total) => progress?.(what, done, total),
      };
      return restoreResult(await restoreAndNote(options, dataDir));
    },
  };
};

const dumpResult = (report: BackupReport, expired: readonly string[]): DumpResult => ({
  filename: report.name,
  path: report.path,
  total_events: report.events,
  events_added: report.events_added,
  segments_added: report.segments_added,
  size_kb: kilobytes(report.bytes),
  encrypted: report.encrypted,
  log_digest: report.log_digest,
  expired,
  ...(report.warning !== undefined && { warning: report.warning }),
});

export const infoOf = ({ name, manifest }: BackupSet, logId?: string): BackupInfo => ({
  filename: name,
  size_kb: kilobytes(bytesOf(manifest)),
  created_at: manifest.created_at,
  updated_at: manifest.updated_at,
  events: manifest.events,
  segments: manifest.segments.length,
  log_id: manifest.log_id,
  ...(logId !== undefined && { this_log: manifest.log_id === logId }),
  complete: manifest.complete,
  ...(holdsNothing({ manifest }) && { empty: true as const }),
  encrypted: manifest.encryption !== undefined,
  embeddings: manifest.vectors !== undefined,
});

const NOTES: Readonly<Record<RestoreReport['would'], string>> = {
  restored: 'The store is empty and takes all that is in the backup, with the same places in the log.',
  forwarded: 'The store holds the beginning of this log and takes what is missing.',
  unchanged: 'The store holds all of this backup already.',
};

const NOTHING_YET = 'Nothing had happened by then: nothing is there to restore.';

const UNPROVEN =
  ' It is of an earlier program: no digest proves what it carries beside the log, such as counts of recalls (side_unproven). A backup taken now has one.';

const restoreResult = ({ backup, head: _head, vectors: _vectors, digests, ...report }: RestoreReport): RestoreFromFileResult => ({
  ...report,
  filename: backup,
  ...(digests && { digests: { log: digests.log, payloads: digests.payloads } }),
  note: [
    report.events_in_backup === 0 ? NOTHING_YET : NOTES[report.would],
    report.cut_off_at === undefined ? '' : ` ${cutOff(report.cut_off_at)}`,
    report.side_unproven ? UNPROVEN : '',
    report.status === 'dry_run' && report.would !== 'unchanged' ? ' Nothing was changed: call it with dry_run: false to do it.' : '',
  ].join(''),
});
