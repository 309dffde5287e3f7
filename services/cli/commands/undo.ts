import type { UndoneSubject, UndoResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

const SHOWN = 20;

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
    return answer.status === 'unchanged' && answer.kept.length + answer.irreversible.length > 0 ? EXIT.failed : EXIT.ok;
  });
};

const say = ({ status, correlation, undo_correlation, restored, kept, irreversible, note }: UndoResult): string =>
  [
    status === 'undone'
      ? `Undone: ${correlation}. To do it again: omnimem undo ${undo_correlation ?? ''}`
      : `Nothing was changed by undoing ${correlation}.`,
    ...listed('Put back:', restored, ofSubject),
    ...listed('Kept, since it was changed later:', kept, ofSubject),
    ...listed('Out of reach:', irreversible, ({ key, why }) => `${key}  ${why}`),
    ...(note === undefined ? [] : [note]),
  ].join('\n');

const ofSubject = ({ key, topic, fields }: UndoneSubject): string =>
  `${key}  ${topic === undefined ? '' : `(${topic})  `}${fields.join(', ')}`;

const listed = <Item>(title: string, items: readonly Item[], line: (item: Item) => string): readonly string[] =>
  items.length === 0
    ? []
    : [
        title,
        ...items.slice(0, SHOWN).map((item) => `  ${line(item)}`),
        ...(items.length > SHOWN ? [`  and ${items.length - SHOWN} more`] : []),
      ];
