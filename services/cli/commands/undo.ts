import type { UndoneSubject, UndoResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { listIn, sayList } from '../lists.js';

const SHOWN = { most: 20 };

export const addUndo: AddCommand = (program) => {
  const command = program
    .command('undo')
    .summary('take an action back')
    .description(
      'Takes back everything that one action did, on every memory it touched, by new events: states, tags, wordings, licences, provenances, suppressed topics, contexts, domains and merges of projects. What another action wrote since is kept and listed; what the action had remembered is archived; forgetting cannot be undone. The undo is an action itself and can be undone.',
    )
    .argument('<correlation>', 'the action, as omnimem log --json and explain_memory name it')
    .addHelpText('after', examples('omnimem undo 01J9ZC4Q0000000000000000AB', 'omnimem log --json --limit 5'));
  does(command, async (context, _options, correlation) => {
    const answer = await context.tool<UndoResult>('undo', { correlation });
    context.answer(answer, say);
    const stayed = listIn(answer, 'kept').total + listIn(answer, 'irreversible').total;
    return answer.status === 'unchanged' && stayed > 0 ? EXIT.failed : EXIT.ok;
  });
};

const say = (answer: UndoResult): string => {
  const { status, correlation, undo_correlation, note } = answer;
  return [
    status === 'undone'
      ? `Undone: ${correlation}. To do it again: omnimem undo ${undo_correlation ?? ''}`
      : `Nothing was changed by undoing ${correlation}.`,
    ...sayList('Put back:', listIn(answer, 'restored', true), ofSubject, SHOWN),
    ...sayList('Kept, since it was changed later:', listIn(answer, 'kept'), ofSubject, SHOWN),
    ...sayList('Out of reach:', listIn(answer, 'irreversible'), ({ key, why }) => `${key}  ${why}`, SHOWN),
    ...(note === undefined ? [] : [note]),
  ].join('\n');
};

const ofSubject = ({ key, topic, fields = [] }: UndoneSubject): string =>
  `${key}  ${topic === undefined ? '' : `(${topic})  `}${fields.join(', ')}`;
