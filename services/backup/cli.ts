import { systemRandom } from '../eventlog/random.js';
import { openStore, type Store } from '../ops/store.js';
import type { ValkeyTarget } from '../valkey/client.js';
import type { ListBackupsResult } from './api.js';
import { type StoreDigests, storeDigests, viewDigests } from './digests.js';
import { listSets } from './layout.js';
import { type PurgeOptions, type PurgeReport, purgeBackups } from './purge.js';
import { giveUpRestoring } from './restoring.js';
import { infoOf } from './service.js';
import type { BackupParts } from './take.js';

export { mergeBackup } from './merge.js';
export { backUp, restoreAndNote } from './service.js';
export { parseUntil } from './until.js';

/** What the command line works with beside a running instance. */
export type CliBackupParts = BackupParts & Pick<Store, 'close'>;

export const openBackupParts = async (target: ValkeyTarget, tenant: string): Promise<CliBackupParts> => {
  const { redis, keys, log, close } = await openStore({ target, tenant });
  return { redis, keys, log, close, random: systemRandom(), now: Date.now };
};

/** Of the store up to a place, and of its views as they serve now. */
export const storeAndViewDigests = async (
  { redis, keys, log }: Pick<BackupParts, 'redis' | 'keys' | 'log'>,
  until: string | null,
): Promise<StoreDigests & { readonly views: Readonly<Record<string, string | undefined>> }> => {
  const { viewsNamed } = await import('../ops/views.js');
  const names = viewsNamed().map(({ name }) => name);
  return { ...(await storeDigests(redis, keys, log.logId, until ?? undefined)), views: await viewDigests(redis, keys, names) };
};

export const purgeAll = ({ redis, keys, random, now }: BackupParts, options: PurgeOptions): Promise<PurgeReport> =>
  purgeBackups({ redis, keys, stamp: () => random.ulid(now()) }, options);

export const listBackups = async (dir: string): Promise<ListBackupsResult> => {
  const { sets, unreadable } = await listSets(dir);
  return { dir, unreadable, backups: sets.map((set) => infoOf(set)) };
};

export const giveUpRestore = async (target: ValkeyTarget, tenant: string): Promise<{ readonly backup: string | null }> => {
  const store = await openStore({ target, tenant });
  try {
    return await giveUpRestoring(store.redis, store.keys);
  } finally {
    store.close();
  }
};
