import type { MaintainResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { type Listed, listIn, sayList } from '../lists.js';
import { oneLine } from '../output.js';

const SHOWN = 20;

export const addMaintain: AddCommand = (program) => {
  const command = program
    .command('maintain')
    .summary('tidy up: copies, contradictions, expired knowledge')
    .description(
      'Archives older copies of memories, flags contradictions, and archives knowledge that has expired, in a project or in the whole store. It erases nothing, changes no more than MAINTENANCE_MAX_CHANGES memories in a run, and omnimem undo takes a run back.',
    )
    .option('--project <name>', 'only this project')
    .option('--dry-run', 'say what would be done, and do nothing')
    .addHelpText('after', examples('omnimem maintain --dry-run', 'omnimem maintain --project shop'));
  does<{ project?: string; dryRun?: boolean }>(command, async (context, { project, dryRun }) => {
    const answer = await context.tool<MaintainResult>('maintain', { project, dry_run: dryRun });
    context.answer(answer, (value) => sayMaintenance(value, dryRun === true));
    return EXIT.ok;
  });
};

/** A run of maintenance for a person. */
export const sayMaintenance = (answer: MaintainResult, dryRun: boolean): string => {
  const { status, project, correlation, left } = answer;
  const where = project === undefined ? 'the whole store' : `the project ${project}`;
  return [
    status === 'nothing_to_do' ? `Nothing to tidy up in ${where}.` : `${dryRun ? 'Would be done in' : 'Done in'} ${where}:`,
    ...listed('copies archived', listIn(answer, 'duplicates_archived', true), (copy) => `${copy.key}  for ${copy.kept}`),
    ...listed(
      'contradictions flagged',
      listIn(answer, 'contradictions_found'),
      ({ key_a, key_b, content_a, content_b }) => `${key_a}  ${oneLine(content_a, 60)}\n    ${key_b}  ${oneLine(content_b, 60)}`,
    ),
    ...listed('expired and archived', listIn(answer, 'knowledge_expired'), (key) => key),
    ...listed(
      'copies kept for what they know of the work',
      listIn(answer, 'kept_for_experience'),
      ({ key, copy_of }) => `${key}  beside ${copy_of}`,
    ),
    ...(answer.project_suggestion ? [answer.project_suggestion.note] : []),
    ...(left > 0 ? [`${left} more are left for the next run.`] : []),
    ...(status === 'ran' && correlation !== undefined ? [`To take it back: omnimem undo ${correlation}`] : []),
  ].join('\n');
};

const listed = <Item>(title: string, list: Listed<Item>, line: (item: Item) => string): readonly string[] =>
  sayList(`  ${list.total} ${title}`, list, line, { most: SHOWN, indent: '    ' });
