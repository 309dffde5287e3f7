import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { systemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import { replaced } from '../restored-log.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { type Seal, type Secrets, sealFor } from './crypt.js';
import { factsOf, type RawEntry } from './entry.js';
import { namesIn, removeStale, removeTemporaries, writeWhole } from './files.js';
import { addForgotten, erasedSince } from './forgotten.js';
import {
  type BackupSet,
  envelopesFile,
  type Manifest,
  payloadsFile,
  type Segment,
  sideFile,
  vectorsFile,
  writeManifest,
} from './layout.js';
import { withBackups } from './lease.js';
import { encodeEnvelopes, encodePayloads } from './segment.js';
import { setToWrite } from './set.js';
import { readSideOfStore, sideDigest } from './side.js';
import { readRaw, readRawBetween } from './source.js';
import { encodeVectors, vectorsOfStore } from './vectors.js';

export type BackupParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly log: EventLog;
  readonly random: Random;
  readonly now: () => number;
};

export type TakeOptions = {
  /** Folder of the sets. */
  readonly root: string;
  readonly name?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly withEmbeddings?: boolean | undefined;
  readonly secrets: Secrets;
  readonly actor: string;
  readonly commandId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Entries and payload bytes after which a segment ends. Defaults 10,000 and 16 MB. */
  readonly segmentEvents?: number | undefined;
  readonly segmentBytes?: number | undefined;
  readonly leaseMs?: number | undefined;
};

export type BackupReport = {
  readonly name: string;
  readonly path: string;
  readonly log_id: string;
  /** In the whole set, and those this run added. */
  readonly events: number;
  readonly events_added: number;
  readonly segments_added: number;
  readonly bytes: number;
  readonly head: Position | null;
  /** SHA-256 over every envelope: equal to that of the store it is restored into. */
  readonly log_digest: string;
  readonly encrypted: boolean;
  readonly vectors: number;
  /** What whoever asked for it should know. */
  readonly warning?: string;
};

const PAGE = 500;
const ROUNDS = 20;
const HEAD_ROUNDS = 3;

/**
 * Brings a backup up to date with the log, while everything goes on: new segments only, each written whole, then the
 * manifest that names it. Ends when nothing was erased since it began; text that was erased meanwhile is not in what it
 * wrote. Throws CONFLICT while another backup of this store or in this folder runs, UNAVAILABLE (also when another log took the place of this one), and the file system's own errors.
 */
export const takeBackup = (parts: BackupParts, options: TakeOptions): Promise<BackupReport> =>
  withBackups(parts, options.root, (signal) => takeWithin(parts, options, signal), options);

/** The same for who has the backups and the folder for himself already; `signal` ends when he has not any more. */
export const takeWithin = async (parts: BackupParts, options: TakeOptions, signal: AbortSignal): Promise<BackupReport> => {
  const { redis, log, keys, now } = parts;
  const there = await unavailableWhenDown(() => redis.hget(keys.meta, 'log_id'));
  if (there !== log.logId) throw replaced();
  const set = await setToWrite({ ...options, signal }, log, keys.tenant, now());
  await removeTemporaries(set.dir);
  return new Run(parts, options, set, signal).run();
};

class Run {
  #parts: BackupParts;
  #options: TakeOptions;
  #set: BackupSet & { readonly warning?: string };
  #manifest: Manifest;
  #seal: Seal;
  #signal: AbortSignal;
  #written: Segment[] = [];
  /** How far the log was read; what only tells of the last backup is read and not written. */
  #readTo: Position;
  /** How far the log was read for what was forgotten. */
  #erasedTo: Position = ORIGIN;

  constructor(parts: BackupParts, options: TakeOptions, set: BackupSet & { readonly warning?: string }, signal: AbortSignal) {
    this.#parts = parts;
    this.#options = options;
    this.#set = set;
    this.#manifest = set.manifest;
    this.#seal = sealFor(set.manifest.encryption);
    this.#signal = signal;
    this.#readTo = set.manifest.head?.position ?? ORIGIN;
  }

  async run(): Promise<BackupReport> {
    const { log } = this.#parts;
    if (this.#manifest.side === undefined) await this.#writeSide(ORIGIN, async () => false);
    let vectors = 0;
    for (let round = 1; ; round++) {
      const before = await log.erasures();
      if (round > 1) for (const segment of this.#written) await this.#rewritePayloads(segment);
      await this.#copyToHead();
      vectors = this.#options.withEmbeddings ? await this.#writeVectors() : 0;
      await this.#noteForgotten();
      if ((await log.erasures()) === before) break;
      if (round === ROUNDS) {
        throw new DomainError(
          'CONFLICT',
          'Memories were being forgotten the whole time',
          'Run the backup again; what it wrote so far is good.',
        );
      }
    }
    await this.#finish();
    return this.#report(vectors);
  }

  /** Copies until the log's head stood still for as long as what is beside the log was read. */
  async #copyToHead(): Promise<void> {
    for (let round = 1; ; round++) {
      await this.#copy();
      const still = async (): Promise<boolean> => ((await this.#parts.log.head())?.position ?? ORIGIN) === this.#readTo;
      if ((await still()) || round === HEAD_ROUNDS) return this.#writeSide(this.#manifest.head?.position ?? ORIGIN, still);
    }
  }

  async #copy(): Promise<void> {
    const { redis, keys, log } = this.#parts;
    const { segmentEvents = 10_000, segmentBytes = 16 * 2 ** 20, onProgress } = this.#options;
    const total = await log.size();
    // Those who go on writing must not keep it from ending.
    const end = (await log.head())?.position ?? ORIGIN;
    let entries: RawEntry[] = [];
    let bytes = 0;
    const size = Math.min(PAGE, segmentEvents);
    const read = (after: Position, count: number): ReturnType<typeof readRaw> => {
      const page = readRaw(redis, keys, after, count);
      page.catch(() => undefined); // it is met where the page is taken
      return page;
    };
    let next = read(this.#manifest.head?.position ?? ORIGIN, size);
    for (;;) {
      this.#signal.throwIfAborted();
      const page = await next;
      entries = [...entries, ...page];
      this.#readTo = entries.at(-1)?.position ?? this.#manifest.head?.position ?? ORIGIN;
      bytes += page.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);
      const ended = page.length === 0 || comparePositions(this.#readTo, end) >= 0;
      if (!ended) {
        // The server reads on while this process hashes and writes.
        next = read(this.#readTo, Math.min(size, segmentEvents - (entries.length % segmentEvents)));
      }
      if (entries.length > 0 && (ended || entries.length >= segmentEvents || bytes >= segmentBytes)) {
        if (this.#saysOnlyThatItWasBackedUp(entries)) return;
        await this.#writeSegment(entries);
        onProgress?.(this.#manifest.events, Math.max(total, this.#manifest.events));
        entries = [];
        bytes = 0;
      }
      if (ended) return;
    }
  }

  /** A segment that only tells of the backup before it would make the next one need one, too. */
  #saysOnlyThatItWasBackedUp(entries: readonly RawEntry[]): boolean {
    return this.#manifest.complete && this.#written.length === 0 && entries.every((entry) => factsOf(entry).type === 'BackupTaken');
  }

  async #writeSegment(entries: readonly RawEntry[]): Promise<void> {
    // The event that explains a missing payload may lie beyond what a run that is killed gets to copy.
    if (entries.some(({ state }) => state === 'h')) await this.#noteForgotten();
    const manifest = this.#manifest;
    const number = manifest.segments.length + 1;
    const { bytes: plain, chain } = encodeEnvelopes(manifest.log_id, number, manifest.chain, entries);
    const envelopes = await this.#seal(plain);
    const payloads = await this.#seal(
      encodePayloads(
        manifest.log_id,
        number,
        entries.map(({ payload }) => payload),
      ),
    );
    await writeWhole(join(this.#set.dir, payloadsFile(manifest, number)), payloads);
    await writeWhole(join(this.#set.dir, envelopesFile(manifest, number)), envelopes);
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return;
    const eventId = factsOf(last).id;
    const segment: Segment = {
      number,
      first: first.position,
      last: last.position,
      events: entries.length,
      previous: manifest.chain,
      chain,
      bytes: envelopes.length + payloads.length,
    };
    this.#written.push(segment);
    await this.#save({
      segments: [...manifest.segments, segment],
      events: manifest.events + entries.length,
      head: { position: last.position, ...(eventId !== undefined && { event_id: eventId }) },
      chain,
      // What is said of a first run that is cut off; of a later one the time of the last whole run stands.
      ...(!manifest.complete && { updated_at: new Date(this.#parts.now()).toISOString() }),
    });
  }

  /** Writes the payloads of a segment again, without those that were erased since. */
  async #rewritePayloads(segment: Segment): Promise<void> {
    const { redis, keys } = this.#parts;
    const entries = await readRawBetween(redis, keys, segment.first, segment.last);
    await this.#noteForgotten();
    const payloads = await this.#seal(
      encodePayloads(
        this.#manifest.log_id,
        segment.number,
        entries.map(({ payload }) => payload),
      ),
    );
    await writeWhole(join(this.#set.dir, payloadsFile(this.#manifest, segment.number)), payloads);
  }

  async #writeSide(head: Position, still: () => Promise<boolean>): Promise<void> {
    const { redis, keys } = this.#parts;
    const side = await readSideOfStore(redis, keys, head, still);
    if (side.meta.log_id !== this.#manifest.log_id) throw replaced();
    const name = sideFile(this.#manifest, this.#stamp());
    const bytes = await this.#seal(Buffer.from(JSON.stringify(side)));
    await writeWhole(join(this.#set.dir, name), bytes);
    await this.#save({ side: name, side_sha256: sideDigest(bytes) });
  }

  async #writeVectors(): Promise<number> {
    const { redis, keys } = this.#parts;
    const vectors = await vectorsOfStore(redis, keys, await redis.smembers(keys.models));
    const name = vectorsFile(this.#manifest, this.#stamp());
    await writeWhole(join(this.#set.dir, name), await this.#seal(encodeVectors(vectors)));
    await this.#save({ vectors: name });
    return vectors.length;
  }

  #stamp(): string {
    const { random, now } = this.#parts;
    return random.ulid(now());
  }

  /** Adds to FORGOTTEN, beside the sets and in this one, what was forgotten since the last look. */
  async #noteForgotten(): Promise<void> {
    const { redis, keys } = this.#parts;
    const { erased, readTo } = await erasedSince(redis, keys, this.#erasedTo);
    await addForgotten(this.#options.root, erased);
    await addForgotten(this.#set.dir, erased);
    this.#erasedTo = readTo;
  }

  /** Removes what earlier runs left beside the segments: it may tell of what was forgotten since. */
  async #finish(): Promise<void> {
    const { dir } = this.#set;
    const { side, vectors } = this.#manifest;
    let bytes = 0;
    await removeStale(dir, [side, vectors]);
    for (const name of await namesIn(dir)) bytes += (await stat(join(dir, name))).size;
    await this.#save({ complete: true, updated_at: new Date(this.#parts.now()).toISOString(), bytes });
    await this.#tell();
  }

  async #save(change: Partial<Manifest>): Promise<void> {
    this.#manifest = { ...this.#manifest, ...change };
    await writeManifest(this.#set.dir, this.#manifest);
  }

  async #tell(): Promise<void> {
    if (this.#written.length === 0) return;
    const { log, random, now } = this.#parts;
    const { actor, commandId } = this.#options;
    const at = new Date(now()).toISOString();
    const data = {
      backup: this.#set.name,
      events: this.#added(),
      segments: this.#written.length,
      head: this.#manifest.head?.position ?? ORIGIN,
      encrypted: this.#manifest.encryption !== undefined,
    };
    await log.append({
      commandId: commandId ?? random.ulid(now()),
      actor,
      at,
      writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'BackupTaken', data }] }],
      result: data,
    });
  }

  #added(): number {
    return this.#written.reduce((sum, { events }) => sum + events, 0);
  }

  #report(vectors: number): BackupReport {
    const { log_id, events, bytes, head, chain, encryption } = this.#manifest;
    return {
      name: this.#set.name,
      path: this.#set.dir,
      log_id,
      events,
      events_added: this.#added(),
      segments_added: this.#written.length,
      bytes,
      head: head?.position ?? null,
      log_digest: chain,
      encrypted: encryption !== undefined,
      vectors,
      ...(this.#set.warning !== undefined && { warning: this.#set.warning }),
    };
  }
}
