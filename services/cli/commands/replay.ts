import { type AddCommand, collect, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

type Options = { readonly projection?: readonly string[] };
type Replayed = { readonly projection: string; readonly generation: number };

export const addReplay: AddCommand = (program) => {
  const command = program
    .command('replay')
    .summary('rebuild the views from the log')
    .description(
      'Builds each view anew from the log, beside the one that serves, and switches when it is done: reading and writing go on meanwhile. It mends a view that verify found wrong, and takes up what stood still behind an event that could not be used.',
    )
    .option('--projection <name>', 'only this view; may be given several times', collect)
    .addHelpText('after', examples('omnimem replay', 'omnimem replay --projection memories'));
  does<Options>(command, async (context, { projection }) => {
    const [{ openStore }, { replayView, viewsNamed }] = await Promise.all([import('../../ops/store.js'), import('../../ops/views.js')]);
    const views = viewsNamed(projection);
    const store = await openStore({ target: (await context.instance()).valkey, tenant: context.config.tenant });
    try {
      const replayed: Replayed[] = [];
      for (const view of views) {
        context.progress.say(`replaying ${view.name}`);
        const onProgress = (done: number, total: number): void => context.progress.bar(`replaying ${view.name}`, done, total);
        replayed.push({ projection: view.name, generation: await replayView(store, view, context.signal, onProgress) });
        context.progress.clear();
      }
      context.answer({ replayed }, () =>
        replayed.map(({ projection, generation }) => `✓ ${projection}: generation ${generation} serves`).join('\n'),
      );
      return EXIT.ok;
    } finally {
      store.close();
    }
  });
};
