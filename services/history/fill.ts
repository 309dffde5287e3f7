import { positionOf } from '../../domain/envelope.js';
import { contextText } from '../../domain/project/text.js';
import type { Ledger } from '../../projections/history/ledger.js';
import type { Document } from '../../projections/recall/document.js';
import type { VectorSpace } from '../../projections/recall/space.js';
import type { Embedder } from '../embedding/port.js';
import type { QueryParts } from '../queries/parts.js';

/** Texts embedded for one moment, and the time for them. */
const MOST = 500;
const PATIENCE_MS = 15_000;
const TOGETHER = 8;

export type FillParts = Pick<QueryParts, 'log' | 'onTrouble'> & {
  readonly documents: ReadonlyMap<string, Document>;
  readonly ledger: Ledger;
};

/**
 * Gives memories the vectors of texts that were revised since, which the cache no longer has: each is embedded by itself,
 * as `remember` does. At most 500, in the order of their keys; what is left stays in `space.missing`.
 */
export const fillOldVectors = async (parts: FillParts, space: VectorSpace, embedder: Embedder): Promise<void> => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const wanted = [...space.missing].sort().slice(0, MOST);
  try {
    for (let first = 0; first < wanted.length && !signal.aborted; first += TOGETHER) {
      const keys = wanted.slice(first, first + TOGETHER);
      const texts = await oldTexts(parts, keys);
      await Promise.all(
        texts.map(async ({ document, text }) => {
          const [vectors = []] = await embedder.embed([text], { signal });
          await space.index(document.namespace).upsert(document.key, vectors, document);
          space.missing.delete(document.key);
        }),
      );
    }
  } catch (error) {
    if (!signal.aborted) parts.onTrouble('a text of an earlier moment could not be embedded', error);
  }
};

type OldText = { readonly document: Document; readonly text: string };

const oldTexts = async ({ log, documents, ledger }: FillParts, keys: readonly string[]): Promise<readonly OldText[]> => {
  const wanted = new Map<string, Document>();
  for (const key of keys) {
    const document = documents.get(key);
    const place = ledger.placesOf(key)[(document?.contentVersion ?? 0) - 1];
    if (document && place !== undefined) wanted.set(place, document);
  }
  return (await log.at([...wanted.keys()])).flatMap((entry) => {
    const document = wanted.get(positionOf(entry));
    if (!document || entry.kind !== 'event') return [];
    if (document.context) return [{ document, text: contextText(document.project ?? '', document.context) }];
    const { event } = entry;
    return event.type === 'MemoryRemembered' || event.type === 'MemoryRevised' ? [{ document, text: event.data.content }] : [];
  });
};
