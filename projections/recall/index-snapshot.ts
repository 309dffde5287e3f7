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

/** Raised when the files mean something else than before. */
const FORMAT = 3;
const CURRENT = 'current.json';
const CONTENT = 'content-0.bin';

export const WORTH_SAVING = 1_000;

export type SnapshotPlace = {
  /** Holds the snapshot and nothing else. */
  readonly directory: string;
  /** What beside the log the content depends on: another edition of the program reads the log anew. */
  readonly edition: string;
  /** Log entries, read since the last snapshot, for which a new one is written. Default 1,000. */
  readonly worth?: number;
};

/** All that the recall index knows at one place of the log. */
export type IndexContent = {
  readonly position: Position;
  readonly eventId: string;
  readonly documents: readonly Document[];
  readonly topics: readonly (readonly [topic: string, reason: string | undefined])[];
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
  log_id: z.string(),
  position: z.string(),
  event_id: z.string(),
  erasures: z.number(),
  content: z.strictObject({ bytes: z.number(), sha256: z.string() }),
});
type Current = z.infer<typeof Current>;

/**
 * The recall index in files, so that a start need not read the whole log. Worth nothing unless the log still holds the
 * event it stopped at and nothing was forgotten since; whatever is doubtful is deleted. Holds the words of memories.
 */
export class IndexSnapshot {
  #place: SnapshotPlace;
  #log: LogReader;

  constructor(place: SnapshotPlace, log: LogReader) {
    this.#place = place;
    this.#log = log;
  }

  /** Replaces the snapshot; false when the index is not at the log's end or something changed meanwhile. Nothing may change the index. */
  async save(content: IndexContent): Promise<boolean> {
    const indexes = concrete(content.indexes);
    if (!indexes) return false;
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
      if (vectors) await saveSnapshot(path, model.id, position, { words: index, vectors });
      else words[namespace] = await saveWords(path, index);
    }
    const bytes = Buffer.from(JSON.stringify({ documents, topics, projects, model, missing, words } satisfies Stored));
    const written = await writeParts(join(directory, folder, CONTENT), [bytes]);
    const current: Current = {
      format: FORMAT,
      edition,
      folder,
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
    const content = await this.#read().catch((error) => {
      if (isDomainError(error, 'UNAVAILABLE')) throw error;
      return undefined;
    });
    if (!content) await this.remove();
    return content;
  }

  async remove(): Promise<void> {
    await rm(this.#place.directory, { recursive: true, force: true });
  }

  async #read(): Promise<IndexContent | undefined> {
    const { directory, edition } = this.#place;
    const current = parseCurrent(await readFile(join(directory, CURRENT), 'utf8'));
    if (current?.edition !== edition || current.log_id !== this.#log.logId) return undefined;
    const { position, event_id: eventId } = current;
    if ((await this.#log.erasures()) !== current.erasures || !(await this.#log.holds(position, eventId))) return undefined;
    const bytes = await readChecked(join(directory, current.folder, CONTENT), current.content);
    if (!bytes) return undefined;
    const stored = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Stored;
    const indexes = new Map<Namespace, SavedIndexes>();
    for (const namespace of NAMESPACES) {
      const { id, dimension } = stored.model;
      const path = join(directory, current.folder, namespace);
      const alone = stored.words[namespace];
      if (alone) {
        const words = await readChecked(path, alone);
        if (!words) return undefined;
        indexes.set(namespace, { words: InMemoryLexicalIndex.load(new BinaryReader(words)), vectors: undefined });
        continue;
      }
      const outcome = await loadSnapshot(path, id, { dimension });
      if (outcome.status !== 'loaded' || outcome.position !== position) return undefined;
      indexes.set(namespace, outcome);
    }
    return { ...stored, position, eventId, indexes };
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

const parseCurrent = (text: string): Current | undefined => {
  const line = text.slice(0, text.indexOf('\n'));
  return text === signed(line) ? Current.safeParse(JSON.parse(line)).data : undefined;
};
