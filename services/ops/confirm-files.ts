import { confirmByWord } from '../erasure/confirm.js';
import { systemRandom } from '../eventlog/random.js';
import type { Store } from './store.js';

/** The operator's word that the files of a server that is not ours were rewritten: `confirmByWord` with the clock of this machine. */
export const confirmFilesRewritten = (store: Store): ReturnType<typeof confirmByWord> =>
  confirmByWord({ ...store, random: systemRandom(), now: Date.now }, 'cli');
