import type { MaintainResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
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
  const { status, project, correlation, duplicates_archived, contradictions_found, knowledge_expired, left } = answer;
  const where = project === undefined ? 'the whole store' : `the project ${project}`;
  const kept = answer.kept_for_experience ?? [];
  return [
    status === 'nothing_to_do' ? `Nothing to tidy up in ${where}.` : `${dryRun ? 'Would be done in' : 'Done in'} ${where}:`,
    ...listed('copies archived', duplicates_archived, (copy) => `${copy.key}  for ${copy.kept}`),
    ...listed(
      'contradictions flagged',
      contradictions_found,
      ({ key_a, key_b, content_a, content_b }) => `${key_a}  ${oneLine(content_a, 60)}\n    ${key_b}  ${oneLine(content_b, 60)}`,
    ),
    ...listed('expired and archived', knowledge_expired, (key) => key),
    ...listed('copies kept for what they know of the work', kept, ({ key, copy_of }) => `${key}  beside ${copy_of}`),
    ...(answer.project_suggestion ? [answer.project_suggestion.note] : []),
    ...(left > 0 ? [`${left} more are left for the next run.`] : []),
    ...(status === 'ran' && correlation !== undefined ? [`To take it back: omnimem undo ${correlation}`] : []),
  ].join('\n');
};

const listed = <Item>(title: string, items: readonly Item[], line: (item: Item) => string): readonly string[] =>
  items.length === 0
    ? []
    : [
        `  ${items.length} ${title}`,
        ...items.slice(0, SHOWN).map((item) => `    ${line(item)}`),
        ...(items.length > SHOWN ? [`    and ${items.length - SHOWN} more`] : []),
      ];
