import { DomainError } from '../../../domain/errors.js';
import type { ForgetResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { oneLine } from '../output.js';

type Options = { readonly confirm?: boolean };

export const addForget: AddCommand = (program) => {
  const command = program
    .command('forget')
    .summary('erase memories for good')
    .description(
      'Erases memories for good: text, vectors and history. Without --confirm it only shows what would go. With --confirm it erases exactly the keys that are given; a question is never asked again to find more.',
    )
    .argument('<key-or-question...>', 'a key, or words that find the memory; with --confirm: the keys of the preview')
    .option('--confirm', 'erase these keys')
    .addHelpText('after', examples('omnimem forget the old staging password', 'omnimem forget --confirm mem:episodic:01J…'));
  does<Options>(command, async (context, { confirm }, words) => {
    const given = words as string[];
    if (confirm) refuseWords(given);
    const input = confirm ? { key_or_query: given[0], keys: given, confirm: true } : { key_or_query: given.join(' ') };
    const answer = await context.tool<ForgetResult>('forget', input);
    context.answer(answer, say);
    if (answer.status === 'not_found') return EXIT.nothingFound;
    return answer.status === 'deleted' && answer.deleted_keys.length === 0 ? EXIT.nothingFound : EXIT.ok;
  });
};

const refuseWords = (given: readonly string[]): void => {
  const word = given.find((text) => !text.startsWith('mem:'));
  if (word === undefined) return;
  throw new DomainError(
    'VALIDATION',
    `${JSON.stringify(word.slice(0, 80))} is not a key, and --confirm takes keys only`,
    'Call it without --confirm first; it prints the line that erases.',
  );
};

const say = (answer: ForgetResult): string => {
  switch (answer.status) {
    case 'not_found':
      return 'No such memory.';
    case 'preview':
      return [
        'Nothing was erased yet. These would go for good:',
        ...answer.targets.map(({ key, content }) => `  ${key}  ${oneLine(content, 80)}`),
        '',
        `To erase them: omnimem forget --confirm ${answer.targets.map(({ key }) => key).join(' ')}`,
      ].join('\n');
    case 'deleted':
      if (answer.deleted_keys.length === 0) return 'Nothing to erase: these memories are gone already, or never were.';
      return [
        `Erased ${answer.deleted_keys.length}:`,
        ...answer.deleted_keys.map((key) => `  ${key}`),
        answer.disk === 'pending'
          ? 'The bytes leave the files on the disk shortly.'
          : 'This Valkey is not ours: its files keep the bytes until it rewrites them.',
      ].join('\n');
  }
};
