import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Position } from '../../domain/envelope.js';
import { isDomainError } from '../../domain/errors.js';
import type { ProjectRecord } from '../../domain/project/directory.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import type { LogReader } from '../log-reader.js';
import { BinaryReader, BinaryWriter } from '../search/binary.js';
import { InMemoryLexicalIndex } from '../search/lexical.js';
import type { LexicalIndex, VectorIndex } from '../search/ports.js';
import { loadSnapshot, saveSnapshot } from '../search/snapshot.js';
import { readChecked, writeParts } from '../search/snapshot-files.js';
import { ValkeyVectorIndex } from '../search/valkey/index.js';
import { InProcessVectorIndex } from '../search/vectors.js';
import type { Document } from './document.js';
import type { Model } from './space.js';
import type { HeldTopic } from './suppressed-topics.js';

/** Raised when the files mean something else than before. */
const FORMAT = 6;
const CURRENT = 'current.json';
const CONTENT = 'content-0.bin';

export const WORTH_SAVING = 1_000;
const AGAIN_MS = 30_000;

export type SnapshotPlace = {
  /** Holds the snapshot and nothing else. */
  readonly directory: string;
  /** What beside the log the content depends on: another edition of the program reads the log anew. */
  readonly edition: string;
  /** Log entries, read since the last snapshot, for which a new one is written. Default 1,000. */
  readonly worth?: number;
};

/** All that the recall index knows at one place of the log. */
export type IndexContent = KeptContents & { readonly position: Position; readonly eventId: string };

export type KeptContents = {
  readonly documents: readonly Document[];
  readonly topics: readonly HeldTopic[];
  readonly projects: readonly ProjectRecord[];
  readonly model: Model;
  readonly missing: readonly string[];
  /** Vectors that are searched outside this process are not in the files. */
  readonly indexes: ReadonlyMap<Namespace, { readonly words: LexicalIndex; readonly vectors: VectorIndex | undefined }>;
};

const Current = z.strictObject({
  format: z.literal(FORMAT),
  edition: z.string(),
  folder: z.string().regex(/^[0-9a-f]{12}$/),
  tenant: z.string(),
  log_id: z.string(),
  position: z.string(),
  event_id: z.string(),
  erasures: z.number(),
  content: z.strictObject({ bytes: z.number(), sha256: z.string() }),
});
type Current = z.infer<typeof Current>;

/** In the files something is not as it was written. */
class Damaged extends Error {}

/**
 * The recall index in files, so that a start need not read the whole log. Worth nothing unless the log still holds the
 * event it stopped at and nothing was forgotten since; whatever is doubtful is told and deleted. Holds the words of memories.
 * Only a cache: a folder that cannot be used is told once and left alone, and the log is read instead.
 */
export class IndexSnapshot {
  #place: SnapshotPlace;
  #log: LogReader;
  #tenant: string;
  #onTrouble: (message: string, error?: unknown) => void;
  #unusable: string | undefined;
  #mayHoldForgotten = false;
  #triedAt = 0;

  constructor(place: SnapshotPlace, log: LogReader, tenant: string, onTrouble: (message: string, error?: unknown) => void) {
    this.#place = place;
    this.#log = log;
    this.#tenant = tenant;
    this.#onTrouble = onTrouble;
  }

  /** The folder and why nothing can be removed from it or kept in it, or undefined while it can. */
  get unusable(): string | undefined {
    return this.#unusable;
  }

  /** Whether files lie in the folder that could not be removed and may be older than a forgetting. */
  get mayHoldForgotten(): boolean {
    return this.#mayHoldForgotten;
  }

  /** Replaces the snapshot; false when the index is not at the log's end or something changed meanwhile. Nothing may change the index. */
  async save(content: IndexContent): Promise<boolean> {
    const indexes = concrete(content.indexes);
    if (!indexes) return false;
    if (this.#unusable !== undefined) await this.remove();
    if (this.#unusable !== undefined) return false;
    // In this order: an erasure that the number counts is an event at or before a head read later.
    const erasures = await this.#log.erasures();
    const head = await this.#log.head();
    if (head?.position !== content.position || head.eventId !== content.eventId) return false;

    const { directory, edition } = this.#place;
    const folder = randomBytes(6).toString('hex');
    await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
    const { position, eventId, documents, topics, projects, model, missing } = content;
    const words: Partial<Record<Namespace, Checked>> = {};
    for (const [namespace, { words: index, vectors }] of indexes) {
      const path = join(directory, folder, namespace);
      if (vectors) await saveSnapshot(path, model.id, this.#partOf(namespace, position), { words: index, vectors });
      else words[namespace] = await saveWords(path, index);
    }
    const bytes = Buffer.from(JSON.stringify({ documents, topics, projects, model, missing, words } satisfies Stored));
    const written = await writeParts(join(directory, folder, CONTENT), [bytes]);
    const current: Current = {
      format: FORMAT,
      edition,
      folder,
      tenant: this.#tenant,
      log_id: this.#log.logId,
      position,
      event_id: eventId,
      erasures,
      content: written,
    };
    await writeParts(join(directory, folder, CURRENT), [Buffer.from(signed(JSON.stringify(current)))]);
    await rename(join(directory, folder, CURRENT), join(directory, CURRENT));
    await this.#removeOthers(folder);
    if ((await this.#log.erasures()) === erasures) return true;
    await this.remove();
    return false;
  }

  /** The content that was saved, or undefined when there is none that may be used. Throws UNAVAILABLE while the log cannot be asked. */
  async load(): Promise<IndexContent | undefined> {
    let fault: string | undefined;
    const content = await this.#read().catch((error: unknown) => {
      if (isDomainError(error, 'UNAVAILABLE')) throw error;
      fault = error instanceof Error ? error.message : String(error);
      return undefined;
    });
    if (content) return content;
    await this.remove();
    if (fault !== undefined && this.#unusable === undefined)
      this.#onTrouble(`the search index that was kept in ${this.#place.directory} is damaged and is rebuilt from the log: ${fault}`);
    return undefined;
  }

  /** Never throws: a folder that cannot be removed is told once, and `unusable` until it can. */
  async remove(): Promise<void> {
    const { directory } = this.#place;
    this.#triedAt = performance.now();
    try {
      await rm(directory, { recursive: true, force: true }).catch(async (error) => {
        // A mount point cannot be removed, and need not be.
        if ((await readdir(directory).catch(() => undefined))?.length !== 0) throw error;
      });
      this.#unusable = undefined;
      this.#mayHoldForgotten = false;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      // Where no folder can be, no file of ours is.
      this.#mayHoldForgotten = code !== 'ENOTDIR';
      if (this.#unusable === undefined)
        this.#onTrouble(
          `the search index cannot be kept in ${directory} (${code}), so each start reads the whole log; remove that folder, or give this user the right to`,
        );
      this.#unusable = `${directory} (${code})`;
    }
  }

  /** Tries again, now and then, to remove what could not be removed. */
  async mend(): Promise<void> {
    if (this.#unusable !== undefined && performance.now() - this.#triedAt > AGAIN_MS) await this.remove();
  }

  async #read(): Promise<IndexContent | undefined> {
    const { directory, edition } = this.#place;
    const text = await readFile(join(directory, CURRENT), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    const current = text === undefined ? undefined : parseCurrent(text);
    if (current?.edition !== edition || current.log_id !== this.#log.logId) return undefined;
    if (current.tenant !== this.#tenant) throw new Damaged(`${CURRENT} is of the tenant ${current.tenant}`);
    const { position, event_id: eventId } = current;
    if ((await this.#log.erasures()) !== current.erasures || !(await this.#log.holds(position, eventId))) return undefined;
    const bytes = await readChecked(join(directory, current.folder, CONTENT), current.content);
    if (!bytes) throw new Damaged(`${join(current.folder, CONTENT)} is not the file that was written`);
    const stored = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Stored;
    const indexes = new Map<Namespace, SavedIndexes>();
    for (const namespace of NAMESPACES) {
      const found = await this.#readPart(join(directory, current.folder), namespace, position, stored);
      const miscounted = countFault(stored, namespace, found);
      if (miscounted !== undefined) throw new Damaged(`${join(current.folder, namespace)}: ${miscounted}`);
      indexes.set(namespace, found);
    }
    return { ...stored, position, eventId, indexes };
  }

  async #readPart(folder: string, namespace: Namespace, position: Position, { model, words }: Stored): Promise<SavedIndexes> {
    const path = join(folder, namespace);
    const alone = words[namespace];
    if (alone) {
      const bytes = await readChecked(path, alone);
      if (!bytes) throw new Damaged(`${path} is not the file that was written`);
      return { words: InMemoryLexicalIndex.load(new BinaryReader(bytes)), vectors: undefined };
    }
    const outcome = await loadSnapshot(path, model.id, { dimension: model.dimension });
    if (outcome.status !== 'loaded') throw new Damaged(`${path}: ${outcome.status === 'absent' ? 'it is not there' : outcome.detail}`);
    if (JSON.stringify(outcome.position) !== JSON.stringify(this.#partOf(namespace, position))) {
      await outcome.vectors.close();
      throw new Damaged(`${path} is of ${JSON.stringify(outcome.position)}`);
    }
    return outcome;
  }

  /** What the manifest of one namespace says that it is of. */
  #partOf(namespace: Namespace, position: Position): object {
    return { tenant: this.#tenant, namespace, position };
  }

  async #removeOthers(kept: string): Promise<void> {
    const names = (await readdir(this.#place.directory)).filter((name) => name !== kept && name !== CURRENT);
    await Promise.all(names.map((name) => rm(join(this.#place.directory, name), { recursive: true, force: true })));
  }
}

type Checked = Current['content'];

type Stored = Pick<IndexContent, 'documents' | 'topics' | 'projects' | 'model' | 'missing'> & {
  /** Of namespaces whose vectors are searched elsewhere: the file of their words. */
  readonly words: Readonly<Partial<Record<Namespace, Checked>>>;
};

type SavedIndexes = { readonly words: InMemoryLexicalIndex; readonly vectors: InProcessVectorIndex | undefined };

const saveWords = (path: string, words: InMemoryLexicalIndex): Promise<Checked> => {
  const parts = new BinaryWriter();
  words.dump(parts);
  return writeParts(path, parts.chunks());
};

/** The indexes, when every one of them is of the kind that can be written to a file. */
const concrete = (indexes: IndexContent['indexes']): ReadonlyMap<Namespace, SavedIndexes> | undefined => {
  const found = new Map<Namespace, SavedIndexes>();
  for (const [namespace, { words, vectors }] of indexes) {
    const elsewhere = vectors instanceof ValkeyVectorIndex;
    if (!(words instanceof InMemoryLexicalIndex) || !(elsewhere || vectors instanceof InProcessVectorIndex)) return undefined;
    found.set(namespace, { words, vectors: elsewhere ? undefined : vectors });
  }
  return found;
};

/** How many vectors wait for the graphs: a snapshot that was taken too early makes each start build them again. */
export const waitingForGraphs = (indexes: IndexContent['indexes']): number =>
  [...indexes.values()].reduce((sum, { vectors }) => sum + (vectors instanceof InProcessVectorIndex ? vectors.waiting : 0), 0);

/** One line of JSON and one with its digest. */
const signed = (json: string): string => `${json}\n${createHash('sha256').update(json).digest('hex')}\n`;

/** Undefined for what another edition of the program wrote. */
const parseCurrent = (text: string): Current | undefined => {
  const line = text.slice(0, text.indexOf('\n'));
  if (text !== signed(line)) throw new Damaged(`${CURRENT} is not the file that was written`);
  return Current.safeParse(JSON.parse(line)).data;
};

/** Each document has its words, and its vector unless it is known to lack one. */
const countFault = (
  { documents, missing }: Pick<Stored, 'documents' | 'missing'>,
  namespace: Namespace,
  { words, vectors }: SavedIndexes,
): string | undefined => {
  const keys = new Set(documents.filter((document) => document.namespace === namespace).map(({ key }) => key));
  const inWords = words.stats().memories;
  if (inWords !== keys.size) return `words of ${inWords} memories where ${keys.size} are stored`;
  const inVectors = vectors?.stats().memories;
  const least = keys.size - missing.filter((key) => keys.has(key)).length;
  if (inVectors === undefined || (inVectors >= least && inVectors <= keys.size)) return undefined;
  return `vectors of ${inVectors} memories where ${least} are stored`;
};
