import { DomainError } from '../../../domain/errors.js';
import { cutOff, type RestoreReport } from '../../backup/api.js';
import { type AddCommand, does, examples } from '../command.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../folder.js';

type Options = {
  readonly dryRun?: boolean;
  readonly until?: string;
  readonly into?: string;
  readonly standby?: boolean;
  readonly giveUp?: boolean;
};

export const addRestore: AddCommand = (program) => {
  const command = program
    .command('restore')
    .summary('put a backup back')
    .description(
      'Checks the whole backup, then puts it into an empty memory, or adds what is missing at the end of the same history, with the same places in the log. It never makes history shorter and never brings back what was forgotten. A damaged backup is refused whole: the damaged part is named, nothing is changed, and the exit code is 1.',
    )
    .argument('[folder]', 'a backup, or a folder of backups, of which the newest is taken; default BACKUP_DIR')
    .option('--dry-run', 'check everything and say what would happen')
    .option('--until <time|id>', 'only what was there at this time (ISO, UTC), this long ago (2h, 3d), at this place in the log, or event')
    .option('--into <tenant>', 'put it into another tenant of the same server')
    .option('--standby', 'append nothing of its own, so that later backups of the same memory can follow')
    .option('--give-up', 'after a restore that was killed: let the store be written again as it is')
    .addHelpText(
      'after',
      examples('omnimem restore --dry-run', 'omnimem restore /mnt/disk/omnimem', 'omnimem restore --until 2026-05-03T12:00Z --into past'),
    );
  does<Options>(command, async (context, options, folder) =>
    options.giveUp ? giveUp(context) : restore(context, options, folder as string | undefined),
  );
};

const restore = async (context: Context, { dryRun, until, into, standby }: Options, folder: string | undefined): Promise<ExitCode> => {
  const { parseUntil, restoreAndNote } = await import('../../backup/cli.js');
  const { config, signal, progress } = context;
  if (into !== undefined && !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(into)) {
    throw new DomainError(
      'VALIDATION',
      '--into takes the name of a tenant',
      '1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit.',
    );
  }
  const report = await restoreAndNote(
    {
      path: folder === undefined ? config.backup.dir : placeOf(folder, 'The folder'),
      target: (await context.instance()).valkey,
      tenant: into ?? config.tenant,
      secrets: config.backup,
      roots: [config.backup.dir],
      dryRun,
      until: until === undefined ? undefined : parseUntil(until),
      standby,
      actor: 'cli',
      signal,
      onProgress: (what, done, total) => progress.bar(what, done, total),
    },
    into === undefined ? config.dataDir : undefined,
  );
  context.answer(report, say);
  return report.events_in_backup === 0 && until !== undefined ? EXIT.nothingFound : EXIT.ok;
};

const giveUp = async (context: Context): Promise<ExitCode> => {
  const { giveUpRestore } = await import('../../backup/cli.js');
  const { backup } = await giveUpRestore((await context.instance()).valkey, context.config.tenant);
  context.answer({ gave_up: backup }, () =>
    backup === null ? 'No restore was unfinished.' : `The store can be written again. It holds what came of ${backup} so far.`,
  );
  return EXIT.ok;
};

const WOULD: Readonly<Record<RestoreReport['would'], string>> = {
  restored: 'into an empty memory',
  forwarded: 'behind the end of the same history',
  unchanged: 'nothing is missing',
};

const say = (report: RestoreReport): string =>
  report.events_in_backup === 0 ? `${report.backup}: nothing had happened by then. Nothing was changed.` : sayDone(report);

const headOf = ({ status, complete }: RestoreReport): string => {
  if (status !== 'dry_run') return '✓';
  return complete ? 'The backup is whole. Nothing was changed.' : 'The backup is a part, and good as far as it goes. Nothing was changed.';
};

const sayDone = (report: RestoreReport): string =>
  [
    `${headOf(report)} ${report.backup}: ${report.events_in_backup} events up to ${report.head}`,
    `  ${report.status === 'dry_run' ? 'to restore' : 'restored'}: ${report.events_restored} events, ${WOULD[report.would]}`,
    ...(report.cut_off_at === undefined ? [] : [`  ! ${cutOff(report.cut_off_at)}`]),
    ...(report.kept_forgotten > 0 ? [`  ${report.kept_forgotten} memories in it were forgotten, and stay so`] : []),
    ...(report.unreadable > 0 ? [`  ${report.unreadable} entries could not be read when the backup was written, either`] : []),
    ...(report.side_unproven
      ? ['  it is of an earlier program: no digest proves what it carries beside the log (counts, claims); omnimem backup adds one']
      : []),
    ...(report.vectors > 0 ? [`  ${report.vectors} memories with their vectors`] : []),
    ...(report.digests ? [`  log digest     ${report.digests.log}`, `  payload digest ${report.digests.payloads}`] : []),
  ].join('\n');
