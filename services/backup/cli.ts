import { join } from 'node:path';
import { systemRandom } from '../eventlog/random.js';
import { openStore, type Store } from '../ops/store.js';
import type { ValkeyTarget } from '../valkey/client.js';
import type { ListBackupsResult } from './api.js';
import { type StoreDigests, storeDigests, viewDigests } from './digests.js';
import { namesIn } from './files.js';
import { listSets } from './layout.js';
import { type PurgeOptions, type PurgeReport, purgeBackups } from './purge.js';
import { giveUpRestoring } from './restoring.js';
import { infoOf } from './service.js';
import { TENANT_FOLDER } from './settings.js';
import type { BackupParts } from './take.js';

export { mergeBackup } from './merge.js';
export { refuseServersFolder } from './servers-folder.js';
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

/** Folders of tenants that are served by their tokens, in a folder of backups. */
const tenantFolders = async (root: string): Promise<readonly { readonly folder: string; readonly tenant: string }[]> =>
  (await namesIn(root)).flatMap((folder) => {
    const tenant = TENANT_FOLDER.exec(folder)?.[1];
    return tenant === undefined ? [] : [{ folder, tenant }];
  });

/** Purges the sets of a folder, and in it those of tenants that are served by their tokens, each by its own log. */
export const purgeAll = async (target: ValkeyTarget, tenant: string, options: PurgeOptions): Promise<PurgeReport> => {
  const purge = async (of: string, root: string): Promise<PurgeReport> => {
    const { redis, keys, random, now, close } = await openBackupParts(target, of);
    try {
      return await purgeBackups({ redis, keys, stamp: () => random.ulid(now()) }, { ...options, root });
    } finally {
      close();
    }
  };
  let { sets, forgotten } = await purge(tenant, options.root);
  for (const { folder, tenant: of } of await tenantFolders(options.root)) {
    const report = await purge(of, join(options.root, folder));
    sets = [...sets, ...report.sets.map((set) => ({ ...set, name: join(folder, set.name) }))];
    forgotten += report.forgotten;
  }
  return { sets, forgotten };
};

/** Every set in a folder, of whichever tenant; those of tenants that are served by their tokens with their folder's name. */
export const listBackups = async (dir: string): Promise<ListBackupsResult> => {
  const { sets, unreadable } = await listSets(dir);
  const backups = sets.map((set) => infoOf(set));
  const unread = [...unreadable];
  for (const { folder } of await tenantFolders(dir)) {
    const below = await listSets(join(dir, folder));
    backups.push(...below.sets.map((set) => ({ ...infoOf(set), filename: join(folder, set.name) })));
    unread.push(...below.unreadable.map((name) => join(folder, name)));
  }
  return { dir, unreadable: unread, backups };
};

export const giveUpRestore = async (target: ValkeyTarget, tenant: string): Promise<{ readonly backup: string | null }> => {
  const store = await openStore({ target, tenant });
  try {
    return await giveUpRestoring(store.redis, store.keys);
  } finally {
    store.close();
  }
};
