import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';
import { type Open, openFor, type Seal, type Secrets, sealFor } from './crypt.js';
import { factsOf } from './entry.js';
import { removeStale, removeTemporaries, writeWhole } from './files.js';
import { addForgotten, type Erasures, erasedSince, erasuresOf, forgottenAround } from './forgotten.js';
import { type BackupSet, listSets, type Manifest, payloadsFile, sideFile, vectorsFile, writeManifest } from './layout.js';
import { withBackups } from './lease.js';
import { encodePayloads, readEnvelopes, readPayloads } from './segment.js';
import { readSide, sideDigest, sideWithout } from './side.js';
import { encodeVectors, readVectorFile } from './vectors.js';

export type PurgeParts = { readonly redis: Redis; readonly keys: Keys; readonly stamp: () => string };

export type PurgeOptions = {
  readonly root: string;
  readonly secrets: Secrets;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
};

export type PurgeReport = {
  readonly sets: readonly {
    readonly name: string;
    readonly payloads_removed: number;
    readonly files_rewritten: number;
    /** Why this set could not be purged. */
    readonly failed?: string;
  }[];
  readonly forgotten: number;
};

/**
 * Rewrites the payload files of every set in a folder without what was forgotten since, and frees what lies beside them of
 * it. Envelopes stay as they are: they hold no text, and they prove the rest. A set that cannot be opened is named and
 * passed over. Throws CONFLICT while a backup is written.
 */
export const purgeBackups = async (parts: PurgeParts, { root, secrets, signal, onProgress }: PurgeOptions): Promise<PurgeReport> => {
  if ((await listSets(root)).sets.length === 0) return { sets: [], forgotten: 0 };
  const work = async (running: AbortSignal): Promise<PurgeReport> => {
    const { sets } = await listSets(root);
    await addForgotten(root, (await erasedSince(parts.redis, parts.keys, ORIGIN)).erased);
    const reports: PurgeReport['sets'][number][] = [];
    let forgotten = 0;
    for (const [i, set] of sets.entries()) {
      running.throwIfAborted();
      const erased = await forgottenAround(set.dir, set.manifest.log_id);
      // A set that was purged explains what it lacks by itself, wherever it is copied to.
      await addForgotten(set.dir, erased);
      const gone = erasuresOf(erased);
      forgotten = Math.max(forgotten, gone.size);
      reports.push(await purgeSet(set, gone, secrets, parts.stamp));
      onProgress?.(i + 1, sets.length);
    }
    return { sets: reports, forgotten };
  };
  return withBackups(parts, root, work, { signal });
};

const purgeSet = async (set: BackupSet, gone: Erasures, secrets: Secrets, stamp: () => string): Promise<PurgeReport['sets'][number]> => {
  const { dir, name, manifest } = set;
  await removeTemporaries(dir);
  if (manifest.purged === gone.size) return { name, payloads_removed: 0, files_rewritten: 0 };
  try {
    const open = await openFor(dir, manifest.encryption, secrets);
    const seal = sealFor(manifest.encryption);
    let removed = 0;
    let rewritten = 0;
    for (const segment of manifest.segments) {
      const count = await purgeSegment(set, segment, gone, open, seal);
      removed += count;
      rewritten += count > 0 ? 1 : 0;
    }
    const beside = await purgeBeside(set, gone, open, seal, stamp);
    await writeManifest(dir, { ...manifest, ...beside, purged: gone.size });
    await removeStale(dir, [beside.side, beside.vectors]);
    return { name, payloads_removed: removed, files_rewritten: rewritten };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { name, payloads_removed: 0, files_rewritten: 0, failed: error.message };
  }
};

/** Answers how many payloads it took out. The event that tells of the forgetting keeps its own. */
const purgeSegment = async (
  { dir, manifest }: BackupSet,
  segment: Manifest['segments'][number],
  gone: Erasures,
  open: Open,
  seal: Seal,
): Promise<number> => {
  const envelopes = await readEnvelopes(dir, manifest, segment, open);
  const payloads = await readPayloads(dir, manifest, segment, open);
  let removed = 0;
  const kept = envelopes.map((entry, index) => {
    const payload = payloads.get(index);
    const { subject, type } = factsOf(entry);
    if (!payload || subject === undefined || erases(type) || !isGone(gone, subject, entry.position)) return payload;
    removed += 1;
    return undefined;
  });
  if (removed > 0) {
    const bytes = await seal(encodePayloads(manifest.log_id, segment.number, kept));
    await writeWhole(join(dir, payloadsFile(manifest, segment.number)), bytes);
  }
  return removed;
};

const isGone = ({ forgotten, deleted }: Erasures, subject: string, position: Position): boolean => {
  const deletedAt = deleted.get(subject);
  return forgotten.has(subject) || (deletedAt !== undefined && comparePositions(position, deletedAt) < 0);
};

const purgeBeside = async (
  { dir, manifest }: BackupSet,
  { forgotten, deleted }: Erasures,
  open: Open,
  seal: Seal,
  stamp: () => string,
): Promise<Pick<Manifest, 'side' | 'side_sha256' | 'vectors'>> => {
  const beside: { side?: string; side_sha256?: string; vectors?: string } = {};
  // Of a project that has a new context they may belong to that one; they are made again.
  const gone = new Set([...forgotten, ...deleted.keys()]);
  if (manifest.side !== undefined) {
    beside.side = sideFile(manifest, stamp());
    const side = sideWithout(await readSide(dir, manifest, open), gone);
    const bytes = await seal(Buffer.from(JSON.stringify(side)));
    beside.side_sha256 = sideDigest(bytes);
    await writeWhole(join(dir, beside.side), bytes);
  }
  if (manifest.vectors !== undefined) {
    beside.vectors = vectorsFile(manifest, stamp());
    const vectors = (await readVectorFile(dir, manifest.vectors, open)).filter(({ subject }) => !gone.has(subject));
    await writeWhole(join(dir, beside.vectors), await seal(encodeVectors(vectors)));
  }
  return beside;
};
