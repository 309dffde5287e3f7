import type { Reembedded } from '../../ops/reembed.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

export const addReembed: AddCommand = (program) => {
  const command = program
    .command('reembed')
    .summary('move recall to the chosen embedding model')
    .description(
      'Makes the vectors of every memory under the model that EMBEDDING chooses, beside those that serve, and then moves recall to them. Recall goes on meanwhile. A better model that arrives is taken by itself; this is for going back to another one. The server must be started with the same EMBEDDING, else it moves on again.',
    )
    .addHelpText('after', examples('omnimem reembed', 'EMBEDDING=use-lite omnimem reembed'));
  does(command, async (context) => {
    const [{ reembedAll }, { openStore }, { createLogger }] = await Promise.all([
      import('../../ops/reembed.js'),
      import('../../ops/store.js'),
      import('../../log.js'),
    ]);
    const { config, signal, progress } = context;
    const { valkey: target } = await context.instance();
    const store = await openStore({ target, tenant: config.tenant });
    store.close();
    const result = await reembedAll({
      config,
      target,
      cluster: store.cluster,
      logger: createLogger({ level: config.log.level === 'info' ? 'error' : config.log.level, format: 'text' }),
      signal,
      onWait: (what) => progress.say(`waiting for ${what}`),
      onFetch: ({ file, loaded, total }) => progress.bar(`fetching ${file}`, loaded, total),
      onProgress: (done, total) => progress.bar('making vectors', done, total),
    });
    context.answer(result, say);
    return EXIT.ok;
  });
};

const say = ({ status, from, to, memories }: Reembedded): string =>
  status === 'unchanged'
    ? `${to} serves already. Memories that lack a vector are filled in by the server.`
    : `${memories} memories have vectors of ${to}; recall uses them${from === undefined ? '' : ` in place of ${from}`}.`;
