import type { ReindexResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { table } from '../output.js';

type Done = Extract<ReindexResult, { readonly status: 'ok' }>;

export const addReindex: AddCommand = (program) => {
  const command = program
    .command('reindex')
    .summary('rebuild the views and the search index')
    .description(
      'Builds every view and the search index of the instance anew from the log, beside those that serve, and switches when they are done: reading and writing go on meanwhile. For when health says that the index and the store disagree. omnimem replay rebuilds single views, omnimem verify only looks.',
    )
    .addHelpText('after', examples('omnimem reindex', 'omnimem reindex --json | jq .reindexed'));
  does(command, async (context) => {
    for (;;) {
      const answer = await context.tool<ReindexResult>('reindex', {});
      if (answer.status === 'ok') {
        context.answer(answer, say);
        return EXIT.ok;
      }
      context.signal.throwIfAborted();
      const { phase, done, total } = answer;
      if (done !== undefined && total !== undefined) context.progress.bar(phase, done, total);
      else context.progress.say(phase);
    }
  });
};

const say = ({ reindexed = [], total_phantoms_removed, views = {}, seconds }: Done): string =>
  [
    `✓ ${Object.keys(views).length} views and the search index serve anew after ${seconds} s; ${total_phantoms_removed} phantoms removed`,
    table([
      ['  namespace', 'memories', 'indexed before', 'after', 'phantoms', 'restored'],
      ...reindexed.map((one) => [
        `  ${one.namespace}`,
        ...[one.actual_records, one.before_num_docs, one.after_num_docs, one.removed_phantoms, one.restored].map(String),
      ]),
    ]),
  ].join('\n');
