import type { Migrated } from '../../migrations/runner.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

type Options = { readonly dryRun?: boolean };
type Answer = { readonly dry_run: boolean; readonly migrated: readonly Migrated[] };

export const addMigrate: AddCommand = (program) => {
  const command = program
    .command('migrate')
    .summary('bring the log up to this version')
    .description(
      'Runs the migrations that the log does not record yet. The server does so by itself when it starts; this shows what there is to do, and goes on with what was cut off. A migration adds events and changes none, and can be undone like any other action.',
    )
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', examples('omnimem migrate --dry-run', 'omnimem migrate'));
  does<Options>(command, async (context, { dryRun = false }) => {
    const [{ openStore }, { openMigrations }] = await Promise.all([import('../../ops/store.js'), import('../../migrations/open.js')]);
    const store = await openStore({ target: (await context.instance()).valkey, tenant: context.config.tenant });
    try {
      const migrated = await openMigrations(store)({
        dryRun,
        signal: context.signal,
        onWait: () => context.progress.say('waiting for another process that migrates'),
        onProgress: ({ number, name }, done, total) => context.progress.bar(`${number} ${name}`, done, total),
      });
      context.progress.clear();
      context.answer({ dry_run: dryRun, migrated }, say);
      return EXIT.ok;
    } finally {
      store.close();
    }
  });
};

const say = ({ dry_run, migrated }: Answer): string =>
  migrated.length === 0
    ? 'The log is up to date.'
    : migrated
        .map(
          ({ number, name, subjects, events }) =>
            `${dry_run ? 'would run' : '✓'} ${number} ${name}: ${events} events on ${subjects} subjects`,
        )
        .join('\n');
