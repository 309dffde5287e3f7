import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import type { RecallIndex } from './recall-index.js';

const LOOK_AGAIN_MS = 200;

export type IndexRebuildOptions = {
  readonly signal: AbortSignal;
  /** Told how many memories were read so far. */
  readonly onProgress?: (documents: number) => void;
};

/** Memories that only the old index held, and that only the new one holds. */
export type IndexRebuilt = { readonly phantoms: readonly string[]; readonly restored: readonly string[] };

/**
 * Makes the search index anew from the log beside the one that serves, and puts it in its place. `create` makes an empty
 * index that follows the same log. Throws CONFLICT while a move to another model is under way; what serves then goes on.
 */
export const rebuildRecallIndex = async (
  index: RecallIndex,
  create: () => RecallIndex,
  { signal, onProgress }: IndexRebuildOptions,
): Promise<IndexRebuilt> => {
  const fresh = create();
  fresh.start();
  try {
    while (!ready(fresh, index)) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
      onProgress?.(fresh.documents.size);
    }
    const replaced = index.documents;
    await Promise.race([index.replaceWith(fresh), aborted(signal)]);
    return {
      phantoms: [...replaced.keys()].filter((key) => !index.documents.has(key)),
      restored: [...index.documents.keys()].filter((key) => !replaced.has(key)),
    };
  } finally {
    await fresh.close();
  }
};

const ready = (fresh: RecallIndex, index: RecallIndex): boolean =>
  fresh.progress.everCaughtUp && (fresh.serving?.model.id === index.serving?.model.id || index.building !== undefined);

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new DomainError('UNAVAILABLE', 'The server is stopping', 'Reindex again when it runs.'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
