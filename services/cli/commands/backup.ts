import type { Command } from 'commander';
import { DomainError } from '../../../domain/errors.js';
import type { PurgeReport } from '../../backup/purge.js';
import type { BackupReport } from '../../backup/take.js';
import { type AddCommand, does, examples } from '../command.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../folder.js';
import { size } from '../output.js';

type Options = {
  readonly to?: string;
  readonly name?: string;
  readonly full?: boolean;
  readonly withEmbeddings?: boolean;
  readonly digests?: boolean;
};
type Taken = { readonly report: BackupReport; readonly expired: readonly string[]; readonly digests?: object };

export const addBackup: AddCommand = (program) => {
  const command = program
    .command('backup')
    .summary('write a backup, or bring it up to date')
    .description(
      'Writes everything that is new since the last time into the newest backup of this memory, while the server goes on. Killed at any moment, it leaves what was there good, and the next run goes on. BACKUP_PASSPHRASE or BACKUP_KEY_FILE encrypts it.',
    )
    .option('--to <folder>', 'the folder of the backups; default BACKUP_DIR, else backups in the data folder')
    .option('--name <name>', 'the backup to write into, in that folder; default: the newest of this memory')
    .option('--full', 'begin a new backup with everything in it')
    .option('--with-embeddings', 'also the vectors, so that a restore need not make them')
    .option('--digests', 'also print digests of the payloads and of each view, to hold a restored store against')
    .addHelpText('after', examples('omnimem backup', 'omnimem backup --to /mnt/disk/omnimem --full', 'omnimem backup purge'));
  does<Options>(command, backUpNow);
  addPurge(command);
};

const backUpNow = async (context: Context, options: Options): Promise<ExitCode> => {
  const { backUp, openBackupParts, refuseServersFolder, storeAndViewDigests } = await import('../../backup/cli.js');
  const { config, signal, progress } = context;
  const settings = options.to === undefined ? config.backup : { ...config.backup, dir: placeOf(options.to, '--to') };
  await refuseServersFolder(config.dataDir, settings.dir);
  const parts = await openBackupParts((await context.instance()).valkey, config.tenant);
  try {
    const taken: Taken = await backUp(parts, settings, {
      name: options.name,
      fresh: options.full,
      withEmbeddings: options.withEmbeddings ?? false,
      actor: 'cli',
      signal,
      onProgress: (done, total) => progress.bar('backing up', done, total),
    });
    const digests = options.digests ? await storeAndViewDigests(parts, taken.report.head) : undefined;
    context.answer({ ...taken, ...(digests && { digests }) }, say);
    return EXIT.ok;
  } finally {
    parts.close();
  }
};

const say = ({ report, expired, digests }: Taken): string =>
  [
    `✓ ${report.path}`,
    `  ${report.events_added} events added in ${report.segments_added} segments; ${report.events} events, ${size(report.bytes)} in all${report.encrypted ? ', encrypted' : ''}`,
    ...(report.vectors > 0 ? [`  ${report.vectors} memories with their vectors`] : []),
    `  log digest ${report.log_digest}`,
    ...(digests ? [`  ${JSON.stringify(digests)}`] : []),
    ...expired.map((name) => `  removed: ${name}`),
    ...(report.warning === undefined ? [] : [`  ! ${report.warning}`]),
  ].join('\n');

const addPurge = (backup: Command): void => {
  const command = backup
    .command('purge')
    .summary('free the backups of what was forgotten')
    .description(
      'Rewrites the payload files of every backup in the folder without the memories that were forgotten since they were written. Exits with 1 when one could not be opened, with 3 when there are no backups.',
    )
    .option('--in <folder>', 'the folder of the backups; default BACKUP_DIR, else backups in the data folder')
    .addHelpText('after', examples('omnimem backup purge'));
  does<{ readonly in?: string }>(command, async (context, options) => {
    const { purgeAll } = await import('../../backup/cli.js');
    const { config, signal, progress } = context;
    // They are read wherever they stand, and would seem to mean something here.
    const foreign = Object.keys(backup.opts());
    if (foreign.length > 0) {
      throw new DomainError('VALIDATION', 'An option of omnimem backup means nothing to purge', 'The folder to purge is named by --in.');
    }
    const root = options.in === undefined ? config.backup.dir : placeOf(options.in, '--in');
    const report = await purgeAll((await context.instance()).valkey, config.tenant, {
      root,
      secrets: config.backup,
      signal,
      onProgress: (done, total) => progress.bar('purging', done, total),
    });
    context.answer(report, (purged) => (purged.sets.length === 0 ? `No backups in ${root}.` : sayPurged(purged)));
    if (report.sets.length === 0) return EXIT.nothingFound;
    return report.sets.some(({ failed }) => failed !== undefined) ? EXIT.failed : EXIT.ok;
  });
};

const sayPurged = ({ sets, forgotten }: PurgeReport): string =>
  [
    `${forgotten} memories are forgotten for good.`,
    ...sets.map(({ name, payloads_removed, files_rewritten, failed }) =>
      failed === undefined ? `✓ ${name}: ${payloads_removed} texts taken out of ${files_rewritten} files` : `✗ ${name}: ${failed}`,
    ),
  ].join('\n');
