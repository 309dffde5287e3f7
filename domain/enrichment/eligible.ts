import type { Remembered } from '../memory/events.js';

/** Whether facts are drawn from a memory at all: from what was remembered in full mode, never from knowledge or from a fact. */
export const isEnrichable = ({ mode, namespace, enriched_from }: Pick<Remembered, 'mode' | 'namespace' | 'enriched_from'>): boolean =>
  mode === 'full' && namespace !== 'knowledge' && enriched_from === undefined;
