import { DomainError } from '../../../domain/errors.js';
import type { Counted, ImportReport } from '../../transfer/report.js';
import { SOURCE_FORMATS } from '../../transfer/source.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../folder.js';
import { printable } from '../output.js';

type Options = {
  readonly from?: string;
  readonly split: string;
  readonly project?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly setAside?: string;
};

const SPLITS = ['headings', 'files'] as const;
const SHOWN = 20;

export const addImport: AddCommand = (program) => {
  const command = program
    .command('import')
    .summary('bring memories in from another system')
    .description(
      'Reads a JSON dump (OmniMem 6.x, or omnimem export), the JSONL of @modelcontextprotocol/server-memory, or a folder of Markdown, checks all of it, then stores what keeps the rules under its old keys and times. What is here already, or was forgotten here, is left alone, so it may be run again and again. What has no place here yet goes to a side file. Exits with 1 when something was refused, but for a repeated import of which everything is here and nothing new was refused.',
    )
    .argument('<path>', 'the file or folder')
    .option('--from <format>', `${SOURCE_FORMATS.join(', ')}; left out, it is found out`)
    .option('-p, --project <name>', 'the project of memories that name none')
    .option('--split <way>', 'Markdown: a memory for each of its headings, or files', 'headings')
    .option('--dry-run', 'check everything, say what would happen, write nothing')
    .option('--force', 'also what looks like a live credential')
    .option('--set-aside <file>', 'where to write what has no place here yet; default: beside the source')
    .addHelpText(
      'after',
      examples('omnimem import dump.json --dry-run', 'omnimem import memory.jsonl --project shop', 'omnimem import notes/ --split files'),
    );
  does<Options>(command, async (context, options, path) => {
    const { project, dryRun, force, setAside } = options;
    const from = oneOf('--from', options.from, SOURCE_FORMATS);
    const split = oneOf('--split', options.split, SPLITS);
    const [{ openStore }, { prepareImport, runImport }] = await Promise.all([
      import('../../ops/store.js'),
      import('../../transfer/import.js'),
    ]);
    const { config, signal, progress } = context;
    const prepared = await prepareImport({
      path: placeOf(path as string, 'The file'),
      from,
      split,
      project,
      dryRun,
      force,
      setAside: setAside === undefined ? undefined : placeOf(setAside, '--set-aside'),
      room: { dataDir: config.dataDir, minFreeBytes: config.minFreeBytes },
      signal,
      onProgress: progress.bar,
    });
    const store = await openStore({ target: (await context.instance()).valkey, tenant: config.tenant });
    try {
      const report = await runImport(store, prepared);
      context.answer(report, say);
      return exitCodeOf(report);
    } finally {
      store.close();
    }
  });
};

const oneOf = <T extends string>(option: string, value: string | undefined, values: readonly T[]): T | undefined => {
  const found = values.find((known) => known === value);
  if (value === undefined || found) return found;
  throw new DomainError('VALIDATION', `${option} is not one of ${values.join(', ')}`);
};

const exitCodeOf = ({ status, imported, refused, refused_before = 0, memories, topics, projects }: ImportReport): ExitCode => {
  if (status === 'interrupted') return EXIT.interrupted;
  const changed = imported + topics.imported + projects.imported > 0;
  if (refused.length > (changed ? 0 : refused_before)) return EXIT.failed;
  return memories + topics.imported + topics.existing + projects.imported + projects.existing === 0 ? EXIT.nothingFound : EXIT.ok;
};

const HEADLINE: Readonly<Record<ImportReport['status'], string>> = {
  imported: '✓',
  unchanged: 'Nothing was changed: all of it is here already.',
  dry_run: 'Nothing was changed. This would happen:',
  interrupted: 'Interrupted. Run it again to go on.',
};

const say = (report: ImportReport): string => {
  const { status, topics, projects, set_aside, not_reached = 0, refused_before = 0 } = report;
  const spread = Object.entries(report.imported_by_namespace).map(([namespace, count]) => `${count} ${namespace}`);
  const lines = [
    `${HEADLINE[status]} ${report.source} (${report.from})`,
    `  imported       ${report.imported} memories${spread.length > 0 ? `: ${spread.join(', ')}` : ''}`,
    ...some(report.existing, 'left alone', 'are here already'),
    ...some(report.known_texts, 'left alone', 'say what another memory here says'),
    ...some(report.repeated.length, 'left out', 'stand in the source more than once'),
    ...some(not_reached, 'not reached', 'are still to come'),
    ...some(projects.imported, 'set', 'project contexts'),
    ...some(projects.existing, 'left alone', 'projects are recorded here already'),
    ...some(topics.imported, 'suppressed', 'topics'),
    ...some(topics.existing, 'left alone', 'topics were suppressed, or let back in, here'),
    ...listed('Here with another text, which stays:', report.differing),
    ...listed('Forgotten here, and not brought back:', report.forgotten),
    ...listed(
      refused_before > 0 ? `Refused (${refused_before} of them by an earlier import too):` : 'Refused:',
      report.refused.map(({ place, why }) => `${place}: ${why}`),
    ),
    ...(set_aside ? listed(`Set aside in ${set_aside.file}:`, set_aside.what.map(sayCounted)) : []),
    ...listed('Dropped:', report.dropped.map(sayCounted)),
    ...listed('Notes:', report.notes),
    ...(report.visible === false ? ['A view is late: recall may miss some of it for a moment.'] : []),
    ...(report.correlation === undefined ? [] : [`To take it back: omnimem undo ${report.correlation}`]),
  ];
  return printable(lines.join('\n'));
};

const some = (count: number, what: string, which: string): readonly string[] =>
  count > 0 ? [`  ${what.padEnd(14)} ${count} ${which}`] : [];

const sayCounted = ({ what, count, why }: Counted): string => `${count} × ${what}: ${why}`;

const listed = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? []
    : [
        title,
        ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
        ...(lines.length > SHOWN ? [`  and ${lines.length - SHOWN} more (--json lists all)`] : []),
      ];
