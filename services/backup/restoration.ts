import { createHash } from 'node:crypto';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import { erasesForGood } from '../../domain/erasure.js';
import { DomainError } from '../../domain/errors.js';
import { isSystemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import type { Random } from '../eventlog/random.js';
import type { Store } from '../ops/store.js';
import type { ValkeyTarget } from '../valkey/client.js';
import type { RestoreReport } from './api.js';
import { createClaimWalker } from './claims.js';
import type { Secrets } from './crypt.js';
import { type StoreDigests, storeDigests } from './digests.js';
import { chained, chainStart, factsOf, payloadDigest, type RawEntry } from './entry.js';
import { erasedBelow } from './fate.js';
import { completeness } from './layout.js';
import type { OpenedBackup } from './opened.js';
import { createReadback, type Readback } from './readback.js';
import { sameFields } from './source.js';
import { blankStore, keysHoldingText, storeCursor } from './target.js';
import type { Until } from './until.js';
import { readVectorFile, storeVectors } from './vectors.js';
import { createWriter, writeSide } from './writer.js';

const BATCH_BYTES = 4 * 2 ** 20;
/** Steps that may be under way while the next is made ready. */
const AHEAD = 1;

export type RestoreOptions = {
  readonly path: string;
  readonly target: ValkeyTarget;
  readonly tenant: string;
  readonly secrets: Secrets;
  readonly dryRun?: boolean | undefined;
  readonly until?: Until | undefined;
  /** Append nothing of its own, unless a memory has to be forgotten here, so that later backups of the same log can follow. */
  readonly standby?: boolean | undefined;
  /** More folders whose FORGOTTEN binds. */
  readonly roots?: readonly string[] | undefined;
  readonly actor: string;
  readonly commandId?: string | undefined;
  readonly random?: Random | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((what: 'checking' | 'restoring', done: number, total: number) => void) | undefined;
  /** Entries in one step. Default 1,000. */
  readonly batch?: number | undefined;
  /** Seconds without a sign after which another restore counts as killed. Default 30. */
  readonly silentSeconds?: number | undefined;
};

/** One restore: what it finds, what it writes, and that it is all there afterwards. */
export class Restoration {
  #store: Store;
  #keys: Keys;
  #backup: OpenedBackup;
  #options: RestoreOptions;
  #token: string | undefined;
  #resumed: boolean;
  /** Whether the store holds half of a history now. */
  wrote: boolean;

  constructor(store: Store, backup: OpenedBackup, options: RestoreOptions, token: string | undefined, resumed: boolean) {
    this.#store = store;
    this.#keys = store.keys;
    this.#backup = backup;
    this.#options = options;
    this.#token = token;
    this.#resumed = resumed;
    this.wrote = resumed;
  }

  async run(): Promise<RestoreReport> {
    const { redis } = this.#store;
    const backup = this.#backup;
    const logId = await redis.hget(this.#keys.meta, 'log_id');
    const another = logId !== backup.set.manifest.log_id;
    const blank = another ? await blankStore(redis, this.#keys) : undefined;
    if (another && !blank) throw foreign(String(logId), backup);
    const cursor = blank ? undefined : storeCursor(redis, this.#keys);
    const mode = blank || (await this.#isEmpty()) ? 'restored' : 'forwarded';
    const textKeys = mode === 'forwarded' ? await keysHoldingText(redis, this.#keys) : undefined;
    const start = { length: blank?.length ?? 0, head: blank?.at(-1)?.position ?? ORIGIN };
    const walker = this.#claimsAreNoted()
      ? undefined
      : createClaimWalker(backup.side.meta.salt ?? '', (subject, n) => n < (erasedBelow(backup, subject) ?? 0));
    const changed = new Set<string>();
    // In a store that held nothing nobody else has a claim, and all go in with the events.
    const noted = mode === 'restored' && !walker ? new Map(Object.entries(backup.side.claims ?? {})) : undefined;
    const payloads = createHash('sha256');
    const readback = mode === 'restored' && this.#token !== undefined ? createReadback(redis, this.#keys) : undefined;
    let write: ReturnType<typeof createWriter> | undefined;
    let waiting: RawEntry[] = [];
    let waitingBytes = 0;
    let restored = 0;
    let seen = 0;
    let chain = backup.whole ? backup.set.manifest.chain : chainStart(backup.set.manifest.log_id);
    const steps: Promise<void>[] = [];

    const flush = async (): Promise<void> => {
      if (waiting.length === 0) return;
      this.#options.signal?.throwIfAborted();
      const born = write === undefined && mode === 'restored';
      write ??= createWriter({ ...this.#writerParts(), textKeys, claims: noted }, start);
      if (this.#token !== undefined) {
        this.wrote = true;
        const step = write(waiting, born ? { deletes: this.#toDelete(blank ?? []), meta: backup.side.meta } : undefined);
        step.catch(() => undefined); // it is waited for below, or at the end
        steps.push(step);
        // The server does one step while the next is made ready. The first brings the script along.
        while (steps.length > (restored === 0 ? 0 : AHEAD)) await steps.shift();
      }
      restored += waiting.length;
      waiting = [];
      waitingBytes = 0;
      this.#options.onProgress?.('restoring', seen, backup.events);
    };

    for await (const entries of backup.entries()) {
      for (const entry of entries) {
        seen += 1;
        if (!backup.whole) chain = chained(chain, entry);
        walker?.see(entry);
        if (readback) {
          const payload = this.#payloadToBe(entry);
          payloads.update(`${entry.position} ${this.#digestOf(entry, payload)}\n`);
          readback.expect(entry, payload);
        }
        const mine = await cursor?.();
        if (mine) {
          if (mine.position !== entry.position || !sameFields(mine.fields, entry.fields)) throw diverged(mine.position, seen, backup);
          start.length += 1;
          start.head = mine.position;
          continue;
        }
        const { subject } = factsOf(entry);
        if (subject !== undefined) changed.add(subject);
        waiting.push(entry);
        waitingBytes += entry.payload?.length ?? 0;
        if (waiting.length >= (this.#options.batch ?? 1_000) || waitingBytes >= BATCH_BYTES) await flush();
      }
    }
    await flush();
    await Promise.all(steps);
    if (restored === 0 && cursor) await this.#refuseShorter(cursor);
    const would = restored === 0 ? 'unchanged' : mode;
    const result = this.#report(would, restored);
    if (this.#token === undefined) return { ...result, status: 'dry_run' };
    // What an earlier, killed restore brought has its claims and vectors still to get.
    if (restored === 0 && !this.#resumed) return result;
    const touched = this.#resumed ? new Set(backup.fates.keys()) : noted ? new Set<string>() : changed;
    await writeSide(
      { redis, keys: this.#keys, token: this.#token, forgotten: backup.forgotten, claims: this.#claims(touched, walker?.held()) },
      backup.side,
    );
    const vectors = await this.#vectors();
    return { ...result, vectors, digests: await this.#digests(chain, readback && { readback, payloads: payloads.digest('hex') }) };
  }

  async #isEmpty(): Promise<boolean> {
    return (await this.#store.log.size()) === 0;
  }

  #writerParts() {
    const { fates, forgotten } = this.#backup;
    return { redis: this.#store.redis, keys: this.#keys, token: this.#token ?? '', fates, forgotten };
  }

  #toDelete(blank: readonly Pick<RawEntry, 'fields'>[]): readonly string[] {
    const subjects = new Set(blank.map((entry) => factsOf(entry).subject).filter((subject) => subject !== undefined));
    return [this.#keys.log, ...[...subjects].map(this.#keys.payloads)];
  }

  #claimsAreNoted(): boolean {
    const { side, head } = this.#backup;
    return side.claims !== null && side.head === head;
  }

  /** What the backup noted, where it noted it at this very place; else what follows from the events. */
  #claims(touched: ReadonlySet<string>, walked: ReadonlyMap<string, string> | undefined): ReadonlyMap<string, string> {
    const { side, forgotten } = this.#backup;
    const held = (subject: string): string => (walked ? walked.get(subject) : side.claims?.[subject]) ?? '';
    return new Map([...touched].flatMap((subject) => (forgotten.has(subject) ? [] : [[subject, held(subject)]])));
  }

  async #vectors(): Promise<number> {
    const { set, open, forgotten, deleted } = this.#backup;
    const gone = new Set([...forgotten, ...deleted]);
    if (set.manifest.vectors === undefined) return 0;
    const vectors = (await readVectorFile(set.dir, set.manifest.vectors, open)).filter(({ subject }) => !gone.has(subject));
    return storeVectors(this.#store.redis, this.#keys, vectors);
  }

  /** The payload that this entry has once it is restored. */
  #payloadToBe(entry: RawEntry): Buffer | undefined {
    const { subject, n } = factsOf(entry);
    if (subject === undefined || n === undefined || n < (erasedBelow(this.#backup, subject) ?? 0)) return undefined;
    return entry.payload;
  }

  /** A payload in state `p` was held against its envelope when the backup was opened. */
  #digestOf(entry: RawEntry, payload: Buffer | undefined): string {
    if (!payload) return '-';
    return (entry.state === 'p' ? factsOf(entry).digest : undefined) ?? payloadDigest(payload);
  }

  /** Reads back what the store holds now. Throws INTERNAL when that is not what it has to be. */
  async #digests(log: string, whole: { readonly readback: Readback; readonly payloads: string } | undefined): Promise<StoreDigests> {
    const { set, head, events } = this.#backup;
    if (whole) {
      if ((await this.#store.log.size()) === events && (await whole.readback.holds())) {
        return { events, head, log, payloads: whole.payloads };
      }
    } else {
      const digests = await storeDigests(this.#store.redis, this.#keys, set.manifest.log_id, head);
      if (digests.log === log) return digests;
    }
    throw new DomainError(
      'INTERNAL',
      'The restored log is not the one in the backup',
      'Please report this; the store stays closed to writers.',
    );
  }

  /** Nothing was missing; a store that holds more than the backup must not be taken for one that was rolled back. */
  async #refuseShorter(cursor: () => Promise<Pick<RawEntry, 'position' | 'fields'> | undefined>): Promise<void> {
    let more = 0;
    for (let entry = await cursor(); entry; entry = await cursor()) {
      const { subject, type } = factsOf(entry);
      if (!isSystemSubject(subject ?? '') && !erasesForGood(type)) more += 1;
    }
    if (more === 0) return;
    throw new DomainError(
      'CONFLICT',
      `The store holds all of this backup and ${more} events more; a restore never makes history shorter`,
      'To look at that moment beside it, restore --into another tenant.',
    );
  }

  #report(would: RestoreReport['would'], restored: number): RestoreReport {
    const { set, events, head, whole, faults, fates, forgotten } = this.#backup;
    return {
      status: would,
      would,
      backup: set.name,
      log_id: set.manifest.log_id,
      events_in_backup: events,
      events_restored: restored,
      head,
      kept_forgotten: [...forgotten].filter((subject) => (fates.get(subject)?.last ?? 0) > 0).length,
      unreadable: faults,
      vectors: 0,
      // What lies before the end of a set that lacks its end is all there.
      ...(whole ? completeness(set.manifest) : { complete: true }),
      ...(set.manifest.side_sha256 === undefined && { side_unproven: true as const }),
    };
  }
}

const foreign = (logId: string, { set }: OpenedBackup): DomainError =>
  new DomainError(
    'CONFLICT',
    `The store holds another log (${logId}) than the backup (${set.manifest.log_id})`,
    'omnimem merge brings the two together; restore --into puts the backup into a tenant of its own.',
  );

const diverged = (position: Position, entry: number, { set }: OpenedBackup): DomainError =>
  new DomainError(
    'CONFLICT',
    `The store and the backup ${set.name} went different ways at entry ${entry} (${position})`,
    'omnimem merge brings the two together; restore --into puts the backup into a tenant of its own.',
  );
