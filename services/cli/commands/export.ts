import { DomainError } from '../../../domain/errors.js';
import type { ExportFormat, ExportReport } from '../../transfer/export/export.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { placeOf } from '../folder.js';

type Options = { readonly to?: string; readonly format: string };

const FORMATS: readonly ExportFormat[] = ['json', 'markdown'];

export const addExport: AddCommand = (program) => {
  const command = program
    .command('export')
    .summary('write every memory to a file, or a folder of Markdown')
    .description(
      'Writes every memory and suppressed topic as they are now: as a JSON dump in the shape of OmniMem 6.x, or as a folder of Markdown with front matter, one file a memory. omnimem import reads both back. History, vectors and counters are not in it: omnimem backup has those.',
    )
    .option('--to <path>', 'a new file, or for markdown a folder that is new or empty; left out, JSON goes to standard output')
    .option('--format <format>', 'json or markdown', 'json')
    .addHelpText('after', examples('omnimem export --to memories.json', 'omnimem export --format markdown --to vault'));
  does<Options>(command, async (context, { to, format: named }) => {
    const format = FORMATS.find((known) => known === named);
    if (!format) throw new DomainError('VALIDATION', `--format is not one of ${FORMATS.join(', ')}`);
    if (format === 'markdown' && to === undefined) throw new DomainError('VALIDATION', 'Markdown goes to a folder', 'Name it with --to');
    const [{ openStore }, { exportText, exportTo }] = await Promise.all([
      import('../../ops/store.js'),
      import('../../transfer/export/export.js'),
    ]);
    const { config, signal, progress } = context;
    const store = await openStore({ target: (await context.instance()).valkey, tenant: config.tenant });
    const options = { signal, onProgress: (done: number, total: number) => progress.bar('exporting', done, total) };
    try {
      if (to === undefined) context.print((await exportText(store, options)).trimEnd());
      else context.answer(await exportTo(store, { ...options, format, to: placeOf(to, '--to') }), say);
      return EXIT.ok;
    } finally {
      store.close();
    }
  });
};

const say = ({ to, memories, projects, topics }: ExportReport): string =>
  [
    `✓ ${to}`,
    `  ${memories} memories, ${topics} suppressed topics${projects > 0 ? `, ${projects} project contexts` : ''}`,
    '  It holds their texts in the clear, and forgetting does not reach it.',
  ].join('\n');
