import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { Open } from './crypt.js';
import { BackupDamaged } from './damage.js';
import { keysBeginning } from './side.js';

const FILL = loadScript('services/vectors/fill.lua');
const ANNOUNCEMENTS_KEPT = 100_000;
const BATCH = 500;
const HEAD = 'omnimem-vectors/1\n';
const DIGEST_BYTES = 32;

export type StoredVector = { readonly model: string; readonly subject: string; readonly n: string; readonly bytes: Buffer };

/** The vector cache as one file: a head, records of lengths and bytes, and a SHA-256 over it all. */
export const encodeVectors = (vectors: readonly StoredVector[]): Buffer => {
  const parts: Buffer[] = [Buffer.from(HEAD)];
  for (const { model, subject, n, bytes } of vectors) {
    for (const part of [Buffer.from(JSON.stringify([model, subject, n])), bytes]) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      parts.push(length, part);
    }
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
};

/** Throws BackupDamaged. */
export const readVectorFile = async (dir: string, name: string, open: Open): Promise<readonly StoredVector[]> => {
  const sealed = await readFile(join(dir, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupDamaged('missing', name);
  });
  const bytes = await open(sealed, name);
  const body = bytes.subarray(0, Math.max(0, bytes.length - DIGEST_BYTES));
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(body.length))) throw new BackupDamaged('altered', name);
  const vectors: StoredVector[] = [];
  const take = (at: number): Buffer => body.subarray(at + 4, at + 4 + body.readUInt32BE(at));
  for (let at = Buffer.byteLength(HEAD); at < body.length; ) {
    const key = take(at);
    const content = take(at + 4 + key.length);
    const [model = '', subject = '', n = ''] = JSON.parse(key.toString('utf8')) as string[];
    vectors.push({ model, subject, n, bytes: content });
    at += 8 + key.length + content.length;
  }
  return vectors;
};

/** Everything in the cache, in no order. Throws UNAVAILABLE. */
export const vectorsOfStore = (redis: Redis, keys: Keys, models: readonly string[]): Promise<readonly StoredVector[]> =>
  unavailableWhenDown(async () => {
    const vectors: StoredVector[] = [];
    for (const model of models) {
      const beginning = keys.embedding(model, '');
      for await (const names of keysBeginning(redis, beginning)) {
        const found = await Promise.all(names.map((name) => redis.hmgetBuffer(name, 'n', 'w')));
        for (const [i, [n, bytes]] of found.entries()) {
          if (n && bytes) vectors.push({ model, subject: (names[i] ?? '').slice(beginning.length), n: n.toString(), bytes });
        }
      }
    }
    return vectors;
  });

/** Puts vectors into the cache where they still fit the text, and announces them to running indexes. Answers how many. */
export const storeVectors = async (redis: Redis, keys: Keys, vectors: readonly StoredVector[]): Promise<number> => {
  let stored = 0;
  for (const model of new Set(vectors.map((vector) => vector.model))) {
    const all = vectors.filter((vector) => vector.model === model);
    for (let from = 0; from < all.length; from += BATCH) {
      const batch = all.slice(from, from + BATCH);
      const answer = await unavailableWhenDown(() =>
        runScript(
          redis,
          FILL,
          [keys.vectors, ...batch.flatMap(({ subject }) => [keys.payloads(subject), keys.embedding(model, subject)])],
          [model, ANNOUNCEMENTS_KEPT, ...batch.flatMap(({ subject, n, bytes }) => [subject, n, bytes])],
        ),
      );
      stored += Number(answer);
    }
  }
  return stored;
};
