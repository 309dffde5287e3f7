import type { VerifyReport } from '../../../projections/verify.js';
import { type AddCommand, collect, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

type Options = { readonly projection?: readonly string[] };

export const addVerify: AddCommand = (program) => {
  const command = program
    .command('verify')
    .summary('check the views against the log')
    .description(
      'Replays the log into a shadow of each view and compares the two row by row, while the server goes on. Exits with 1 when a view differs or a memory stands still behind an event that could not be used; omnimem replay mends a view.',
    )
    .option('--projection <name>', 'only this view; may be given several times', collect)
    .addHelpText('after', examples('omnimem verify', 'omnimem verify --projection memories --json'));
  does<Options>(command, async (context, { projection }) => {
    const [{ openStore }, { verifyView, viewsNamed }] = await Promise.all([import('../../ops/store.js'), import('../../ops/views.js')]);
    const views = viewsNamed(projection);
    const store = await openStore({ target: (await context.instance()).valkey, tenant: context.config.tenant });
    try {
      const reports: VerifyReport[] = [];
      for (const [done, view] of views.entries()) {
        context.progress.bar(`verifying ${view.name}`, done, views.length);
        reports.push(await verifyView(store, view, context.signal));
      }
      const clean = reports.every(({ equal, degraded }) => equal && degraded.length === 0);
      context.answer({ clean, views: reports }, () => reports.map(say).join('\n'));
      return clean ? EXIT.ok : EXIT.failed;
    } finally {
      store.close();
    }
  });
};

const say = ({ projection, equal, rows, differing, differingCount, degraded, position }: VerifyReport): string => {
  const verdict = equal ? `equal to its replay at ${position}` : `${differingCount} rows differ from its replay at ${position}`;
  return [
    `${equal ? '✓' : '✗'} ${projection}: ${rows} rows, ${verdict}`,
    ...differing.map((row) => `    ${row}`),
    ...(equal ? [] : [`    To mend it: omnimem replay --projection ${projection}`]),
    ...degraded.map((subject) => `    stands still: ${subject}`),
  ].join('\n');
};
