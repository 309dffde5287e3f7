import { ORIGIN } from '../../domain/envelope.js';
import { systemSubject } from '../../domain/system/events.js';
import { type Random, systemRandom } from '../eventlog/random.js';
import { openStore } from '../ops/store.js';
import type { RestoreReport } from './api.js';
import { type OpenedBackup, openBackup } from './opened.js';
import { forgetAgain } from './reforget.js';
import { Restoration, type RestoreOptions } from './restoration.js';
import { beginRestoring, endRestoring, leaveRestoring } from './restoring.js';

export type { RestoreOptions };

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
  if (until && backup.events === 0) return nothingYet(backup, options.dryRun);
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
      const end = restore.wrote ? leaveRestoring : endRestoring;
      await end(store.redis, store.keys, token).catch(() => undefined);
      throw error;
    }
    await endRestoring(store.redis, store.keys, token);
  } finally {
    store.close();
  }
  await tell(report, backup, options, random, now);
  return report;
};

/** Nothing had happened at the moment that was asked for, so the store is left alone. */
const nothingYet = ({ set }: OpenedBackup, dryRun = false): RestoreReport => ({
  status: dryRun ? 'dry_run' : 'unchanged',
  would: 'unchanged',
  backup: set.name,
  log_id: set.manifest.log_id,
  events_in_backup: 0,
  events_restored: 0,
  head: ORIGIN,
  kept_forgotten: 0,
  unreadable: 0,
  vectors: 0,
  complete: true,
});

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
