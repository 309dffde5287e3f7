import type { ListBackupsResult } from '../../backup/api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { placeOf } from '../folder.js';
import { instant, size, table } from '../output.js';

export const addBackups: AddCommand = (program) => {
  const command = program
    .command('backups')
    .summary('list the backups')
    .description('Lists the backups in the folder, newest first. Needs no running server.')
    .option('--in <folder>', 'the folder of the backups; default BACKUP_DIR, else backups in the data folder')
    .addHelpText('after', examples('omnimem backups'));
  does<{ readonly in?: string }>(command, async ({ config, answer }, options) => {
    const { listBackups } = await import('../../backup/cli.js');
    const list = await listBackups(options.in === undefined ? config.backup.dir : placeOf(options.in, '--in'));
    answer(list, say);
    return list.backups.every(({ empty }) => empty) ? EXIT.nothingFound : EXIT.ok;
  });
};

const say = ({ dir, backups, unreadable }: ListBackupsResult): string =>
  [
    backups.length === 0 ? `No backups in ${dir}.` : dir,
    table(
      backups.map((backup) => [
        `  ${backup.filename}`,
        instant(backup.updated_at),
        `${backup.events} events`,
        size(backup.size_kb * 1_024),
        `log ${backup.log_id}`,
        [
          backup.encrypted && 'encrypted',
          backup.embeddings && 'with vectors',
          backup.empty ? 'holds nothing yet' : !backup.complete && 'not complete',
        ]
          .filter(Boolean)
          .join(', '),
      ]),
    ),
    ...unreadable.map((name) => `  ✗ ${name}: its manifest cannot be read; omnimem restore with its folder and --dry-run says why`),
  ]
    .filter((line) => line !== '')
    .join('\n');
