import { cutOff } from '../../backup/api.js';
import type { MergeReport } from '../../backup/merge.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { placeOf } from '../folder.js';

export const addMerge: AddCommand = (program) => {
  const command = program
    .command('merge')
    .summary("bring another memory's backup together with this one")
    .description(
      'Brings what a backup of another memory holds into this one, memory by memory. A memory that is new here comes whole; one that went on there gets what it lacks. One that went different ways is named and not touched: the exit code is then 1. What either side forgot stays forgotten. Doing it again changes nothing.',
    )
    .argument('<folder>', 'a backup, or a folder of backups, of which the newest is taken')
    .option('--dry-run', 'check everything and say what would happen')
    .addHelpText('after', examples('omnimem merge /mnt/laptop/omnimem --dry-run', 'omnimem merge /mnt/laptop/omnimem'));
  does<{ readonly dryRun?: boolean }>(command, async (context, { dryRun }, folder) => {
    const { mergeBackup } = await import('../../backup/cli.js');
    const { config, signal, progress } = context;
    const report = await mergeBackup({
      path: placeOf(folder as string, 'The folder'),
      target: (await context.instance()).valkey,
      tenant: config.tenant,
      secrets: config.backup,
      roots: [config.backup.dir],
      dryRun,
      actor: 'cli',
      signal,
      onProgress: (what, done, total) => progress.bar(what, done, total),
    });
    context.answer(report, say);
    return report.differing.length + report.unreadable.length > 0 ? EXIT.failed : EXIT.ok;
  });
};

const headOf = ({ status, backup, complete }: MergeReport): string => {
  if (status !== 'dry_run') return `✓ ${backup}`;
  const found = complete ? 'is whole' : 'is a part, and good as far as it goes';
  return `The backup ${backup} ${found}. Nothing was changed; this would come:`;
};

const say = (report: MergeReport): string =>
  [
    headOf(report),
    ...(report.cut_off_at === undefined ? [] : [`  ! ${cutOff(report.cut_off_at)}`]),
    `  ${report.new} new, ${report.continued} continued, ${report.equal} as they are; ${report.events} events`,
    ...report.forgotten.map((subject) => `  forgotten there, and now here: ${subject}`),
    ...report.differing.map((subject) => `  ✗ went different ways, not touched: ${subject}`),
    ...report.unreadable.map((subject) => `  ✗ cannot be read, not touched: ${subject}`),
  ].join('\n');
