import { ulid } from 'ulid';
import { memoryKey } from '../../../domain/memory/key.js';
import type { Namespace } from '../../../domain/vocabulary.js';
import { packVectors } from '../../../projections/recall/vector-cache.js';
import type { TestApp } from '../../support/app.js';
import { hashedEmbedder } from '../../support/embedders.js';

const embedder = hashedEmbedder();

/** Appends a fact as enrichment does, and waits until it is seen; answers its key. */
export const drawFact = async (
  { log, queryParts }: TestApp,
  source: string,
  content: string,
  { namespace = 'knowledge', expires_at }: { readonly namespace?: Namespace; readonly expires_at?: string } = {},
): Promise<string> => {
  const subject = memoryKey(namespace, ulid());
  const [windows = []] = await embedder.embed([content]);
  await log.append({
    commandId: ulid(),
    actor: 'job:enrichment',
    at: new Date().toISOString(),
    writes: [
      {
        subject,
        expected: 0,
        events: [
          {
            type: 'MemoryRemembered',
            data: {
              namespace,
              content,
              tags: [],
              mode: 'raw',
              licence: 'own',
              provenance: 'concluded',
              enriched_from: source,
              ...(expires_at && { expires_at }),
            },
          },
        ],
        vectors: { model: embedder.identity.id, bytes: packVectors(windows) },
      },
    ],
    result: {},
  });
  await queryParts.fresh();
  return subject;
};
