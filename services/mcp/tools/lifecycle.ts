import type { Cut } from '../ceiling.js';
import type { OutputFields } from '../schemas.js';

/** What deprioritise, archive and reinstate answer. */
export const LIFECYCLE_OUTPUT: OutputFields = { affected: 'object[]', note: 'string', visible: 'boolean' };

export const CUT_AFFECTED: Cut = {
  list: 'affected',
  from: 'end',
  say: (_answer, dropped) => ({
    cut: { keys: dropped.map((transition) => (transition as { readonly key: string }).key), note: 'These were changed as well.' },
  }),
};
