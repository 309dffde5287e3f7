import { InvalidArgumentError } from 'commander';
import { DomainError, isDomainError } from '../../../domain/errors.js';
import type { AsOf, BriefingResult, ExplainMemoryResult, MemoryAuditResult, RecallIndexResult, RecallResult } from '../../api.js';
import { parseWhen } from '../../history/when.js';
import { readableBriefing } from '../../mcp/briefing-text.js';
import { type AddCommand, collect, does, examples } from '../command.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { listIn } from '../lists.js';
import { instant, oneLine, table } from '../output.js';
import { wholeNumber } from '../parse.js';
import { sayRecall } from './recall.js';
import { sayTimeline } from './timeline.js';

type Options = {
  readonly project?: readonly string[];
  readonly domain?: readonly string[];
  readonly namespace?: readonly string[];
  readonly topK?: number;
  readonly short?: boolean;
  readonly scores?: boolean;
  readonly archived?: boolean;
  readonly limit?: number;
  readonly offset?: number;
};

export const addAt: AddCommand = (program) => {
  const command = program
    .command('at')
    .summary('look at an earlier moment')
    .description(
      'Answers as things stood at an earlier moment, by replaying the log up to there: what recall would have found, what a briefing told, what a memory said, what was stored. Exits with 3 when nothing is found.',
    )
    .argument(
      '<when>',
      'an ISO date or time, an age such as 30m, 2h, 3d, or an event: its id or its place in the log, as omnimem log --json shows them',
      momentOf,
    )
    .argument('<what>', 'recall <question...>, briefing [project], timeline <key>, or audit')
    .argument('[words...]', 'the question, the project, or the key')
    .option('-p, --project <name>', 'only memories of this project; for recall it may be given several times', collect)
    .option('-d, --domain <name>', 'recall: only projects that declared this kind of work then; may be given several times', collect)
    .option('-n, --namespace <name>', 'only this namespace; for recall it may be given several times', collect)
    .option('-k, --top-k <n>', 'recall: how many, 1 to 50', wholeNumber(1))
    .option('-s, --short', 'recall: the passage around each match in place of the whole text')
    .option('--scores', 'recall: what each score is made of')
    .option('--archived', 'audit: archived memories too')
    .option('-l, --limit <n>', 'audit: entries in a page', wholeNumber(1))
    .option('--offset <n>', 'audit: where the page begins', wholeNumber(0))
    .addHelpText(
      'after',
      examples(
        'omnimem at 2026-05-03 recall which port does staging use',
        'omnimem at 2026-05-03 briefing shop',
        'omnimem at 2h timeline mem:episodic:01J…',
        'omnimem at 1793716200000-0 audit --project shop',
      ),
    );
  does<Options>(command, async (context, options, when, what, words) => {
    const as_of = String(when);
    const text = ((words ?? []) as string[]).join(' ');
    switch (what) {
      case 'recall':
        return recallAt(context, options, as_of, needed(text, 'a question'));
      case 'timeline':
        return timelineAt(context, as_of, needed(text, 'the key of a memory'));
      case 'briefing':
        return briefingAt(context, as_of, text);
      case 'audit':
        return auditAt(context, options, as_of);
      default:
        throw new DomainError('VALIDATION', `There is no ${String(what)} of an earlier moment`, 'Use recall, briefing, timeline or audit');
    }
  });
};

/** What the tools take as `as_of`, refused here where they would refuse it. */
const momentOf = (text: string): string => {
  try {
    parseWhen(text);
  } catch (error) {
    if (isDomainError(error, 'VALIDATION')) throw new InvalidArgumentError(`It is no moment. ${error.hint}.`);
    throw error;
  }
  return text.trim();
};

const needed = (text: string, what: string): string => {
  if (text !== '') return text;
  throw new DomainError('VALIDATION', `It takes ${what}`, 'omnimem help at shows how');
};

const recallAt = async (context: Context, options: Options, as_of: string, query: string): Promise<ExitCode> => {
  const { project, domain, namespace, topK, short, scores } = options;
  const input = {
    query,
    as_of,
    project_filter: project,
    domain_filter: domain,
    namespaces: namespace,
    top_k: topK,
    score_breakdown: scores,
  };
  const answer = await context.tool<RecallResult | RecallIndexResult>(short ? 'recall_index' : 'recall', input);
  context.answer(answer, (found) => `${sayMoment(found.as_of)}\n\n${sayRecall(found)}`);
  return listIn(answer, 'results', true).total > 0 ? EXIT.ok : EXIT.nothingFound;
};

const timelineAt = async (context: Context, as_of: string, key: string): Promise<ExitCode> => {
  const answer = await context.tool<ExplainMemoryResult>('explain_memory', { key, as_of });
  context.answer(answer, (found) => {
    const said = found.status === 'not_found' ? `No memory had the key ${found.key}.` : sayTimeline(found);
    return `${sayMoment(found.as_of)}\n\n${said}`;
  });
  return answer.status === 'not_found' ? EXIT.nothingFound : EXIT.ok;
};

const briefingAt = async (context: Context, as_of: string, project: string): Promise<ExitCode> => {
  const answer = await context.tool<BriefingResult>('briefing', { as_of, project: project === '' ? undefined : project });
  context.answer(answer, readableBriefing);
  return EXIT.ok;
};

const auditAt = async (context: Context, { project, namespace, archived, limit, offset }: Options, as_of: string): Promise<ExitCode> => {
  const [one, another] = [project ?? [], namespace ?? []];
  if (one.length > 1 || another.length > 1) throw new DomainError('VALIDATION', 'An audit is of one project and one namespace');
  const input = { as_of, project: one[0], namespace: another[0], include_archived: archived, limit, offset };
  const answer = await context.tool<MemoryAuditResult>('memory_audit', input);
  context.answer(answer, sayAudit);
  return answer.matching_total > answer.offset ? EXIT.ok : EXIT.nothingFound;
};

const sayAudit = (answer: MemoryAuditResult): string => {
  const { as_of, message, summary = {}, offset, matching_total } = answer;
  const entries = listIn(answer, 'entries').items;
  const counts = Object.entries(summary).map(([state, count]) => `${count} ${state}`);
  return [
    sayMoment(as_of),
    ...(message === undefined ? [] : [message]),
    counts.join(', '),
    ...(entries.length > 0 ? [table(entries.map(({ key, state, content }) => [key, state, oneLine(content, 80)]))] : []),
    ...(entries.length < matching_total
      ? [`(${entries.length > 0 ? `${offset + 1} to ${offset + entries.length}` : 'none'} of ${matching_total})`]
      : []),
  ].join('\n');
};

const sayMoment = (asOf: Pick<AsOf, 'position' | 'time'> & Partial<AsOf> = { position: '', time: '' }): string =>
  [`As of ${instant(asOf.time)} (event ${asOf.position})`, ...(asOf.note === undefined ? [] : [asOf.note])].join('\n');
