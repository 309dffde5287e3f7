import type { ExplainMemoryResult, TimelineLine } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { indented, instant, shown } from '../output.js';

export const addTimeline: AddCommand = (program) => {
  const command = program
    .command('timeline')
    .summary('show how a memory came to be')
    .description(
      'Shows every event in the history of one memory, straight from the log: when, by whom, and what changed. Of a forgotten memory the events are left, without their text.',
    )
    .argument('<key>', 'the key of the memory, as recall shows it')
    .addHelpText('after', examples('omnimem timeline mem:episodic:01J…', 'omnimem timeline mem:episodic:01J… --json'));
  does(command, async (context, _options, key) => {
    const answer = await context.tool<ExplainMemoryResult>('explain_memory', { key });
    context.answer(answer, say);
    return answer.status === 'not_found' ? EXIT.nothingFound : EXIT.ok;
  });
};

const say = (answer: ExplainMemoryResult): string => {
  if (answer.status === 'not_found') return `No memory has the key ${answer.key}.`;
  const { state, project, recall_count, timeline_cut } = answer;
  const about = [
    answer.status === 'forgotten' ? 'forgotten' : state,
    project && `project ${project}`,
    recall_count && `recalled ${recall_count} times`,
  ];
  return [
    `${answer.key}  ${about.filter(Boolean).join(', ')}`,
    ...(answer.content === undefined ? [] : [indented(answer.content)]),
    ...(timeline_cut ? [`  (the last ${timeline_cut.shown} of ${timeline_cut.total} events)`] : []),
    ...answer.timeline.map(sayLine),
  ].join('\n');
};

const sayLine = ({ n, event, at, actor, changed = {}, erased }: TimelineLine): string => {
  const changes = Object.entries(changed).map(([field, { from, to }]) => {
    if (from === undefined) return `      ${field} = ${shown(to)}`;
    return `      ${field}: ${shown(from)} -> ${to === undefined ? 'nothing' : shown(to)}`;
  });
  return [`  ${n}  ${instant(at)}  ${event}  by ${actor}${erased ? '  (erased)' : ''}`, ...changes].join('\n');
};
