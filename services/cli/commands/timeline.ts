import type { ExplainMemoryResult, RecallAppearance, TimelineLine } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { listIn } from '../lists.js';
import { indented, instant, shown } from '../output.js';

export const addTimeline: AddCommand = (program) => {
  const command = program
    .command('timeline')
    .summary('show how a memory came to be')
    .description(
      'Shows every event in the history of one memory, straight from the log: when, by whom, and what changed, and the recalls it appeared in. Of a forgotten memory the events are left, without their text.',
    )
    .argument('<key>', 'the key of the memory, as recall shows it')
    .addHelpText('after', examples('omnimem timeline mem:episodic:01J…', 'omnimem timeline mem:episodic:01J… --json'));
  does(command, async (context, _options, key) => {
    const answer = await context.tool<ExplainMemoryResult>('explain_memory', { key });
    context.answer(answer, sayTimeline);
    return answer.status === 'not_found' ? EXIT.nothingFound : EXIT.ok;
  });
};

/** A memory's history for a person. */
export const sayTimeline = (answer: ExplainMemoryResult): string => {
  if (answer.status === 'not_found') return `No memory has the key ${answer.key}.`;
  const { state, project, recall_count, timeline_cut, recalls_cut } = answer;
  const [timeline, recalls] = [listIn(answer, 'timeline'), listIn(answer, 'recalls')];
  const about = [
    answer.status === 'forgotten' ? 'forgotten' : state,
    project && `project ${project}`,
    recall_count && `recalled ${recall_count} times`,
  ];
  return [
    `${answer.key}  ${about.filter(Boolean).join(', ')}`,
    ...(answer.content === undefined ? [] : [indented(answer.content)]),
    ...(timeline_cut ? [`  (the last ${timeline_cut.shown} of ${timeline_cut.total} events)`] : []),
    ...(timeline_cut === undefined && timeline.total > timeline.items.length
      ? [`  (${timeline.items.length} of ${timeline.total} events)`]
      : []),
    ...timeline.items.map(sayLine),
    ...(recalls.items.length > 0
      ? [`  Recalls it appeared in${recalls_cut ? ` (the newest ${recalls_cut.shown} of ${recalls_cut.total})` : ''}:`]
      : []),
    ...recalls.items.map(sayAppearance),
  ].join('\n');
};

const sayAppearance = ({ at, rank, score, actor, query }: RecallAppearance): string =>
  `    ${instant(at)}  place ${rank}  ${score.toFixed(3)}  by ${actor}${query === undefined ? '' : `  ${shown(query)}`}`;

const sayLine = ({ n, event, at, actor, correlation, changed = {}, note, erased }: TimelineLine): string => {
  const changes = Object.entries(changed).map(([field, { from, to }]) => {
    if (from === undefined) return `      ${field} = ${shown(to)}`;
    return `      ${field}: ${shown(from)} -> ${to === undefined ? 'nothing' : shown(to)}`;
  });
  return [
    `  ${n}  ${instant(at)}  ${event}  by ${actor}${erased ? '  (erased)' : `  action ${correlation}`}`,
    ...changes,
    ...(note === undefined ? [] : [`      ${note}`]),
  ].join('\n');
};
