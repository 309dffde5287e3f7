import type { RecallIndexItem, RecallIndexResult, RecallItem, RecallNotes, RecallResult } from '../../api.js';
import { type AddCommand, collect, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { listIn } from '../lists.js';
import { indented, instant, oneLine } from '../output.js';
import { wholeNumber } from '../parse.js';
import { modelSettled } from '../settled.js';

type Options = {
  readonly project?: readonly string[];
  readonly domain?: readonly string[];
  readonly namespace?: readonly string[];
  readonly topK?: number;
  readonly maxTokens?: number;
  readonly short?: boolean;
  readonly scores?: boolean;
};

export const addRecall: AddCommand = (program) => {
  const command = program
    .command('recall')
    .summary('find memories')
    .description(
      'Finds memories by meaning and by exact words, best first. Ask in plain words, or give the exact error code, file or library name. Exits with 3 when nothing matches.',
    )
    .argument('<question...>', 'what to look for')
    .option('-p, --project <name>', 'only memories of this project; may be given several times', collect)
    .option('-d, --domain <name>', 'only projects that declare this kind of work; may be given several times', collect)
    .option('-n, --namespace <name>', 'only this namespace; may be given several times', collect)
    .option('-k, --top-k <n>', 'how many, 1 to 50', wholeNumber(1))
    .option('--max-tokens <n>', 'an upper bound on the answer; what does not fit is named', wholeNumber(1))
    .option('-s, --short', 'the passage around each match in place of the whole text')
    .option('--scores', 'what each score is made of')
    .addHelpText(
      'after',
      examples(
        'omnimem recall which port does staging use',
        'omnimem recall E0277 --project shop --top-k 3',
        'omnimem recall deploys --short --json',
      ),
    );
  does<Options>(command, async (context, { project, domain, namespace, topK, maxTokens, short, scores }, words) => {
    const input = {
      query: (words as string[]).join(' '),
      project_filter: project,
      domain_filter: domain,
      namespaces: namespace,
      top_k: topK,
      max_tokens: maxTokens,
      score_breakdown: scores,
    };
    await modelSettled(context);
    const answer = await context.tool<RecallResult | RecallIndexResult>(short ? 'recall_index' : 'recall', input);
    context.answer(answer, sayRecall);
    return listIn(answer, 'results', true).total > 0 ? EXIT.ok : EXIT.nothingFound;
  });
};

const resultsOf = (answer: RecallResult | RecallIndexResult): readonly (RecallItem | RecallIndexItem)[] => listIn(answer, 'results').items;

/** A recall for a person. */
export const sayRecall = (answer: RecallResult | RecallIndexResult): string =>
  [
    ...(answer.domain_filter_notice === undefined ? [] : [answer.domain_filter_notice]),
    ...resultsOf(answer).map((item) => sayItem(item)),
    ...notes(answer),
  ].join('\n\n') || 'No memory matches.';

const sayItem = (item: RecallItem | RecallIndexItem): string => {
  const about = [
    item.project === undefined ? undefined : `project ${item.project}`,
    item.tags && item.tags.length > 0 ? `tags ${item.tags.join(', ')}` : undefined,
    item.state === 'active' ? undefined : item.state,
    item.provenance,
    'created_at' in item ? instant(item.created_at) : undefined,
  ];
  return [
    `${item.score.toFixed(3)}  ${item.key}`,
    `    ${oneLine(about.filter(Boolean).join(' · '), 160)}`,
    indented('content' in item ? item.content : item.snippet),
    ...(item.score_breakdown ? [`    ${parts(item.score_breakdown)}`] : []),
    ...(item.reinstate_candidate ? ['    It was put aside and seems to matter again.'] : []),
  ].join('\n');
};

const parts = (breakdown: object): string =>
  Object.entries(breakdown)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toFixed(3) : String(value)}`)
    .join('  ');

const notes = ({ message, nearest, project_suggestion, search_note, stale, licence_notice, cut }: RecallNotes): string[] =>
  [
    message && [message, ...(nearest ?? []).map(({ key, title }) => `    ${key}  ${title}`)].join('\n'),
    project_suggestion?.note,
    search_note,
    stale?.note,
    licence_notice,
    cut && [cut.note, ...(cut.keys ?? []).map((key) => `    ${key}`)].join('\n'),
  ].flatMap((note) => note || []);
