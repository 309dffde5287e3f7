import type { Redis } from 'iovalkey';
import type { Keys } from '../keys.js';

/** The vectors of one memory under one model: `contentVersion` says which text they were made of. None: the bytes were no vectors. */
export type CachedVectors = { readonly contentVersion: number; readonly vectors: readonly Float32Array[] };

/** One text's windows as the cache stores them: concatenated float32, little-endian. */
export const packVectors = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)));

/** The opposite. Undefined when the bytes are no whole number of vectors of this dimension. */
export const unpackVectors = (bytes: Buffer, dimension: number): Float32Array[] | undefined => {
  const stride = dimension * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length === 0 || bytes.length % stride !== 0) return undefined;
  // A reply is a slice of a larger buffer and seldom aligned: copy before viewing.
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Array.from({ length: bytes.length / stride }, (_, i) => all.subarray(i * dimension, (i + 1) * dimension));
};

/**
 * Reads the vectors of many memories in one round trip, in their order; undefined where the cache has none for this model.
 * Of bytes that are no whole number of vectors none is taken.
 */
export const readVectors = async (
  redis: Redis,
  keys: Keys,
  model: { readonly id: string; readonly dimension: number },
  memories: readonly string[],
): Promise<(CachedVectors | undefined)[]> => {
  const pipeline = redis.pipeline();
  for (const memory of memories) pipeline.hmgetBuffer(keys.embedding(model.id, memory), 'n', 'w');
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    const [n, bytes] = reply as (Buffer | null)[];
    if (!n || !bytes) return undefined;
    return { contentVersion: Number(n.toString()), vectors: unpackVectors(bytes, model.dimension) ?? [] };
  });
};
