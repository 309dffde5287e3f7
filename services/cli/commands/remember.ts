import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { DomainError } from '../../../domain/errors.js';
import type { RememberDocumentResult, RememberResult } from '../../api.js';
import { type AddCommand, collect, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { listIn, sayList } from '../lists.js';
import { indented } from '../output.js';

type Options = {
  readonly file?: string;
  readonly project?: string;
  readonly tag?: readonly string[];
  readonly namespace?: string;
  readonly document?: string | true;
  readonly force?: boolean;
  readonly mode?: string;
  readonly licence?: string;
  readonly licenceNote?: string;
  readonly provenance?: string;
  readonly eventDate?: string;
};

export const addRemember: AddCommand = (program) => {
  const command = program
    .command('remember')
    .summary('store a memory')
    .description(
      'Stores one fact, decision, fix or preference and prints its key. The text comes from the arguments, a file, or standard input.',
    )
    .argument('[text...]', 'the text; left out, or -, it is read from standard input')
    .option('-f, --file <path>', 'read the text from a file')
    .option('-p, --project <name>', 'the project it belongs to')
    .option('-t, --tag <tag>', 'a tag; may be given several times', collect)
    .option('-n, --namespace <name>', 'episodic (default), project, preference or knowledge')
    .option('--document [strategy]', 'store a long text in parts: paragraphs (default), turn_pairs, sentences or fixed_tokens')
    .option('--force', 'skip the checks for duplicates, contradictions and secrets')
    .option('--mode <mode>', 'full (default) or raw: not queued for enrichment')
    .option('--licence <id>', 'the licence of the text')
    .option('--licence-note <text>', 'what else is to be said about its rights')
    .option('--provenance <kind>', 'asserted, concluded or retrieved')
    .option('--event-date <iso>', 'the date that the text speaks of, when that is not now')
    .addHelpText(
      'after',
      examples(
        'omnimem remember "Staging listens on port 8081" --project shop --tag ports',
        'git log -1 --format=%B | omnimem remember --project shop',
        'omnimem remember --file notes.md --document --project shop',
      ),
    );
  does<Options>(command, async (context, options, words) => {
    const { file, tag, licenceNote, eventDate, document, force, ...rest } = options;
    const content = await textOf(file, words as string[]);
    const input = { content, tags: tag, licence_note: licenceNote, ...rest };
    if (document !== undefined) {
      const chunk_strategy = document === true ? undefined : document;
      const stored = await context.tool<RememberDocumentResult>('remember_document', { ...input, chunk_strategy, force });
      context.answer(stored, sayDocument);
      return EXIT.ok;
    }
    const answer = await context.tool<RememberResult>('remember', { ...input, force, event_date: eventDate });
    context.answer(answer, say);
    return answer.status === 'stored' ? EXIT.ok : EXIT.failed;
  });
};

const textOf = async (file: string | undefined, words: readonly string[]): Promise<string> => {
  if (file !== undefined && words.length > 0) throw new DomainError('VALIDATION', 'The text is given twice: as arguments and as --file');
  if (file !== undefined)
    return readFile(file, 'utf8').catch((error: Error) => {
      throw new DomainError('VALIDATION', `${file} cannot be read: ${error.message}`);
    });
  const given = words.join(' ');
  if (given !== '' && given !== '-') return given;
  if (process.stdin.isTTY) process.stderr.write('Type the text, then Ctrl-D.\n');
  return readAll(process.stdin);
};

const say = (answer: RememberResult): string => {
  if (answer.status === 'duplicate_found') {
    const near = answer.similarity > 0 ? ` (similarity ${answer.similarity.toFixed(2)})` : '';
    return [
      `Nothing was stored: it is known already${near}.`,
      `  ${answer.existing_key}`,
      indented(answer.existing_content),
      'To store it all the same: --force.',
    ].join('\n');
  }
  const warning = answer.contradiction_warning;
  return [
    `Stored ${answer.key}`,
    ...(answer.embedding === 'pending' ? ['Its vector follows; until then it is found by its words.'] : []),
    ...(answer.visible === false ? ['A view is late: recall may miss it for a moment.'] : []),
    ...(warning ? [`It may contradict ${warning.existing_key} (${warning.explanation}):`, indented(warning.existing_content)] : []),
    ...(answer.project === undefined ? [] : [`Filed under ${answer.project}, which that project counts as.`]),
    ...(answer.project_suggestion ? [answer.project_suggestion.note] : []),
    ...(answer.note === undefined ? [] : [answer.note]),
  ].join('\n');
};

const sayDocument = (answer: RememberDocumentResult): string => {
  const { chunks_stored, chunks_total, duplicates_skipped, project_suggestion } = answer;
  const keys = listIn(answer, 'keys').items;
  const known = duplicates_skipped > 0 ? `, ${duplicates_skipped} known already` : '';
  return [
    `Stored ${chunks_stored} of ${chunks_total} parts${known}`,
    ...sayList('', { items: keys, total: Math.max(keys.length, chunks_stored) }, (key) => key, { most: keys.length }).slice(1),
    ...(project_suggestion ? [project_suggestion.note] : []),
  ].join('\n');
};
