import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { Model } from '../../projections/recall/space.js';
import type { EmbedderProvider } from './provider.js';

/** Why a recall goes by words only, in words for people. */
export const lexicalReason = (provider: EmbedderProvider, index: Pick<RecallIndex, 'modelInLog'>): string => {
  const { state, reason } = provider.status();
  if (state === 'off') return 'Embeddings are switched off (EMBEDDING=none); this was a search by words only.';
  if (state === 'ready') {
    return index.modelInLog
      ? 'The vectors of this store are of another model and are still being made or loaded; this was a search by words only.'
      : 'The first vectors are being made; this was a search by words only.';
  }
  return `No embedding model is ready${reason ? ` (${reason})` : ''}; this was a search by words only.`;
};

/** That the vectors which serve are of another model than the one that was chosen; undefined when they are not. */
export const otherModelNote = (provider: Pick<EmbedderProvider, 'current'>, served: Model): string | undefined => {
  const chosen = provider.current()?.identity;
  if (!chosen || chosen.id === served.id) return undefined;
  return `The vectors of this store are of ${served.name}, not of ${chosen.name}, which is configured; they were searched. health says what to do.`;
};
