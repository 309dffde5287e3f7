import { LRUCache } from 'lru-cache';
import { isEnrichable } from '../../domain/enrichment/eligible.js';
import type { Remembered } from '../../domain/memory/events.js';
import type { IngestMode } from '../../domain/vocabulary.js';
import type { Call, Enriching } from '../api.js';

const SESSIONS = 1_000;
const NOTE =
  'No facts are drawn from memories, since there is no ANTHROPIC_API_KEY: they are kept as they are (raw) and recalled as before.';

/** Whether facts are drawn from new memories, and who has been told that they are not. */
export type EnrichingMode = {
  /** What a memory is stored as, and what is said about it. `force` asks for no enrichment. */
  readonly decide: (
    memory: Pick<Remembered, 'mode' | 'namespace'>,
    options: { readonly force: boolean; readonly document?: boolean },
  ) => { readonly mode: IngestMode; readonly enrichment: Enriching };
  /** Why nothing is enriched, once for each conversation. */
  readonly note: (enrichment: Enriching | undefined, call: Call) => string | undefined;
};

export const createEnriching = ({ on, batch }: { readonly on: boolean; readonly batch: boolean }): EnrichingMode => {
  const told = new LRUCache<string, true>({ max: SESSIONS });
  return {
    decide: (memory, { force, document = false }) => {
      if (force && memory.mode === 'full') return { mode: 'raw', enrichment: 'none' };
      if (!isEnrichable({ ...memory, enriched_from: undefined })) return { mode: memory.mode, enrichment: 'none' };
      if (!on) return { mode: 'raw', enrichment: 'off' };
      return { mode: 'full', enrichment: document && batch ? 'batch_queued' : 'queued' };
    },
    note: (enrichment, { session, actor }) => {
      const conversation = session ?? actor;
      if (enrichment !== 'off' || told.has(conversation)) return undefined;
      told.set(conversation, true);
      return NOTE;
    },
  };
};
