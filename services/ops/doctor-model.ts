import { join } from 'node:path';
import type { Config } from '../config.js';
import { looksFetched, modelDir } from '../embedding/fetch.js';
import { MINILM_Q8 } from '../embedding/manifest.js';
import { type Finding, fail, ok, warn } from './doctor-finding.js';

const FETCH = 'Run omnimem model fetch.';

export const inspectModel = async ({ embedding: { choice }, dataDir }: Config): Promise<readonly Finding[]> => {
  if (choice === 'none')
    return [warn('model', 'EMBEDDING=none: recall finds words only', 'Unset EMBEDDING, and memories are found by meaning as well.')];
  if (choice === 'use-lite')
    return [
      warn(
        'model',
        'EMBEDDING=use-lite: the offline encoder, which finds less',
        'Unset EMBEDDING, and MiniLM is taken when it can be had.',
      ),
    ];
  const models = join(dataDir, 'models');
  const name = `${MINILM_Q8.name} (${MINILM_Q8.dtype})`;
  if (await looksFetched(models, MINILM_Q8)) return [ok('model', `${name} in ${modelDir(models, MINILM_Q8)}`)];
  if (choice === 'minilm') return [fail('model', `${name} was not fetched yet`, FETCH)];
  return [warn('model', `${name} was not fetched yet; the offline encoder serves until then`, FETCH)];
};
