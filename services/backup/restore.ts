import type { Position } from '../../domain/envelope.js';
import { systemSubject } from '../../domain/system/events.js';
import { type Random, systemRandom } from '../eventlog/random.js';
import { openStore } from '../ops/store.js';
import type { ValkeyTarget } from '../valkey/client.js';
import type { Secrets } from './crypt.js';
import type { StoreDigests } from './digests.js';
import { type OpenedBackup, openBackup } from './opened.js';
import { forgetAgain } from './reforget.js';
import { Restoration } from './restoration.js';
import { beginRestoring, endRestoring } from './restoring.js';
import type { Until } from './until.js';

export type RestoreOptions = {
  readonly path: string;
  readonly target: ValkeyTarget;
  readonly tenant: string;
  readonly secrets: Secrets;
  readonly dryRun?: boolean | undefined;
  readonly until?: Until | undefined;
  /** Append nothing of its own, unless a memory has to be forgotten here, so that later backups of the same log can follow. */
  readonly standby?: boolean | undefined;
  /** More folders whose FORGOTTEN binds. */
  readonly roots?: readonly string[] | undefined;
  readonly actor: string;
  readonly commandId?: string | undefined;
  readonly random?: Random | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((what: 'checking' | 'restoring', done: number, total: number) => void) | undefined;
  /** Entries in one step. Default 1,000. */
  readonly batch?: number | undefined;
  /** Seconds without a sign after which another restore counts as killed. Default 30. */
  readonly silentSeconds?: number | undefined;
};

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
  /** Of the store up to the backup's last place; absent when nothing was written. */
  readonly digests?: StoreDigests;
};

/**
 * Puts a backup back. The whole of it is checked before anything is written. Into a store in which nothing was remembered
 * it goes as it is; onto a store that holds a beginning of the same log go the entries that are missing; both keep the
 * places, so that the log is equal byte for byte. Anything else throws CONFLICT, and nothing is written: another log,
 * a history that went another way, or one that is longer. While it writes, nobody else does.
 */
export const restoreBackup = async (options: RestoreOptions): Promise<RestoreReport> => {
  const { path, secrets, until, roots, signal, target, tenant } = options;
  const random = options.random ?? systemRandom();
  const now = options.now ?? Date.now;
  const backup = await openBackup({
    path,
    secrets,
    until,
    roots,
    signal,
    onProgress: (done, total) => options.onProgress?.('checking', done, total),
  });
  const store = await openStore({ target, tenant });
  let report: RestoreReport;
  try {
    if (options.dryRun) return await new Restoration(store, backup, options, undefined, false).run();
    const token = random.ulid(now());
    const { resumed } = await beginRestoring(store.redis, store.keys, token, backup.set.name, options.silentSeconds);
    const restore = new Restoration(store, backup, options, token, resumed);
    try {
      report = await restore.run();
    } catch (error) {
      // A half-written history must not be written to until it is finished, or given up on purpose.
      if (!restore.wrote) await endRestoring(store.redis, store.keys, token).catch(() => undefined);
      throw error;
    }
    await endRestoring(store.redis, store.keys, token);
  } finally {
    store.close();
  }
  await tell(report, backup, options, random, now);
  return report;
};

/** On a log opened anew: its name and its salt are those of the backup now. */
const tell = async (
  report: RestoreReport,
  backup: OpenedBackup,
  { target, tenant, actor, commandId, standby }: RestoreOptions,
  random: Random,
  now: () => number,
): Promise<void> => {
  const store = await openStore({ target, tenant });
  try {
    // A project that has moved on since the backup is not the one that was deleted.
    const deleted = (await store.log.load(backup.deleted)).filter(({ subject, version }) => version === backup.fates.get(subject)?.last);
    const gone = new Set([...backup.forgotten, ...deleted.map(({ subject }) => subject)]);
    await forgetAgain(store, gone, { actor, random, now, textOnly: standby });
    if (standby) return;
    if (report.status !== 'restored' && report.status !== 'forwarded') return;
    const at = new Date(now()).toISOString();
    const data = { backup: report.backup, mode: report.status, log_id: report.log_id, events: report.events_restored, head: report.head };
    await store.log.append({
      commandId: commandId ?? random.ulid(now()),
      actor,
      at,
      writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'LogRestored', data }] }],
      result: data,
    });
  } finally {
    store.close();
  }
};
