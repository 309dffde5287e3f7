import { createHash } from 'node:crypto';
import { DomainError } from '../../domain/errors.js';
import type { Embedder, ModelIdentity } from '../../services/embedding/port.js';
import type { EmbedderProvider } from '../../services/embedding/provider.js';

/**
 * An embedder that needs no model: each word adds a direction of its own, so texts that share words are close. Real vectors
 * of unit length, the same for the same text; no paraphrase is found with it.
 */
export const hashedEmbedder = (name = 'hashed', dimension = 256): Embedder => {
  const vector = (text: string): Float32Array => {
    const sum = new Float32Array(dimension);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ['']) {
      // As many independent directions as there are dimensions, so that texts without a common word stay far apart.
      const bytes = Buffer.concat(
        Array.from({ length: Math.ceil(dimension / 64) }, (_, part) => createHash('sha512').update(`${name}:${part}:${word}`).digest()),
      );
      for (let i = 0; i < dimension; i++) sum[i] = (sum[i] ?? 0) + (bytes[i] ?? 0) - 127.5;
    }
    const norm = Math.hypot(...sum);
    return sum.map((value) => value / norm);
  };
  const identity: ModelIdentity = {
    id: `${name}-f32-${dimension}-000000000000`,
    name,
    dimension,
    dtype: 'f32',
    pooling: 'sum',
    graphSha256: '0'.repeat(64),
    thresholds: {
      duplicate: 0.92,
      contradiction: 0.7,
      cluster: 0.8,
      knowledgeWatch: 0.35,
      skillSuggest: 0.3,
      domainSuggest: 0.6,
      recallFloor: 0.36,
    },
  };
  return {
    identity,
    embed: async (texts) => texts.map((text) => [vector(text)]),
    embedQuery: async (text) => vector(text),
    close: async () => undefined,
  };
};

/** A provider with the given embedder ready; `arrive` makes another one the current one. */
export const providerOf = (first?: Embedder): EmbedderProvider & { readonly arrive: (embedder: Embedder) => void } => {
  let current = first;
  const known = new Map(first ? [[first.identity.id, first]] : []);
  const listeners = new Set<(embedder: Embedder) => void>();
  return {
    current: () => current,
    status: () => ({
      choice: 'auto',
      state: current ? 'ready' : 'loading',
      modelId: current?.identity.id,
      name: current?.identity.name,
      reason: undefined,
      failedRoads: [],
      progress: undefined,
      retryAt: undefined,
    }),
    ready: async () => {
      if (current) return current;
      throw new DomainError('UNAVAILABLE', 'no embedder in this test');
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forModel: async (id) => known.get(id),
    release: async () => undefined,
    close: async () => undefined,
    arrive: (embedder) => {
      known.set(embedder.identity.id, embedder);
      current = embedder;
      for (const listener of listeners) listener(embedder);
    },
  };
};
