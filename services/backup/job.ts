import { isDomainError } from '../../domain/errors.js';
import { inBackground } from '../jobs/background.js';
import type { Wakeup } from '../wakeup.js';
import { inFolder } from './folder-fault.js';
import { createForgottenKeeper, listFault } from './forgotten.js';
import { bytesOf, isOf, listSets } from './layout.js';
import { purgeBackups } from './purge.js';
import { refuseServersFolder } from './servers-folder.js';
import { backUp } from './service.js';
import type { BackupSettings } from './settings.js';
import type { BackupParts } from './take.js';

const LOOK_MS = 1_000;
/** After a run that failed, doubled up to the last with each that fails again. */
const AGAIN_MS = 60_000;
const AGAIN_MOST_MS = 3_600_000;
/** The same for the list of what was forgotten: it protects whatever is restored next. */
const LIST_AGAIN_MS = 1_000;
const LIST_AGAIN_MOST_MS = 300_000;

/** Milliseconds until the next try after so many that failed. */
export const pauseAfter = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(30, failures - 1));

export type BackupJobParts = BackupParts & {
  readonly settings: BackupSettings;
  readonly dataDir: string;
  readonly onTrouble: (message: string, error?: unknown) => void;
  /** See services/backup/lease.ts. */
  readonly leaseMs?: number | undefined;
};

/** How the backups of this log stand. */
export type BackupStatus = {
  /** Milliseconds between scheduled runs; undefined when none is. */
  readonly everyMs: number | undefined;
  /** Epoch milliseconds of the newest complete set's last run. */
  readonly newestAt: number | undefined;
  /** Bytes of all sets of this log. */
  readonly bytes: number;
  /** Epoch milliseconds since when this process looks after them. */
  readonly since: number;
  /** Why the last scheduled run failed. */
  readonly failed: string | undefined;
  /** Why the folder cannot be read; `newestAt` and `bytes` are what was seen last. */
  readonly unread: string | undefined;
  /** Why FORGOTTEN cannot be written. */
  readonly unlisted: string | undefined;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

/**
 * Backs up when it is time, frees the backups of what was forgotten, and keeps FORGOTTEN up with the log, so that a backup
 * that is restored a minute after a forgetting knows of it.
 */
export class BackupJob {
  #parts: BackupJobParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  #keepForgotten: () => Promise<void>;
  #since: number;
  #notBefore = 0;
  #failures = 0;
  #failed: string | undefined;
  #listNotBefore = 0;
  #listFailures = 0;
  #unlisted: string | undefined;
  /** What was seen when the folder could be read last. */
  #seen: Pick<BackupStatus, 'newestAt' | 'bytes'> = { newestAt: undefined, bytes: 0 };

  constructor(parts: BackupJobParts) {
    this.#parts = parts;
    this.#since = parts.now();
    this.#keepForgotten = createForgottenKeeper(parts.redis, parts.keys, parts.settings.dir);
  }

  start(): void {
    this.#background.start();
  }

  /** Something was forgotten now. */
  poke(): void {
    this.#listNotBefore = 0;
    this.#background.poke();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async status(): Promise<BackupStatus> {
    const { settings, log, keys } = this.#parts;
    let unread: string | undefined;
    try {
      const ours = (await listSets(settings.dir)).sets.filter((set) => isOf(set, log.logId, keys.tenant));
      const newest = ours.find(({ manifest }) => manifest.complete);
      this.#seen = {
        newestAt: newest && Date.parse(newest.manifest.updated_at),
        bytes: ours.reduce((sum, { manifest }) => sum + bytesOf(manifest), 0),
      };
    } catch (error) {
      unread = messageOf(error);
    }
    return { everyMs: settings.everyMs, ...this.#seen, since: this.#since, failed: this.#failed, unread, unlisted: this.#unlisted };
  }

  /** Why what is forgotten now cannot be noted beside the backups, as far as that can be told at once. */
  async unlisted(): Promise<string | undefined> {
    const why = this.#unlisted ?? (await listFault(this.#parts.settings.dir));
    return why !== undefined && this.#parts.settings.byToken ? 'The folder of the backups cannot be used.' : why;
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    while (!signal.aborted) {
      await this.#list(signal);
      if (signal.aborted) return;
      try {
        if (await this.#isTime()) {
          await this.#backUp(signal);
          this.#failures = 0;
        }
      } catch (error) {
        if (signal.aborted) return;
        // Somebody else who backs up is no failure.
        const failed = !isDomainError(error, 'CONFLICT');
        if (failed) this.#failed = messageOf(error);
        this.#failures = failed ? this.#failures + 1 : 0;
        const pause = pauseAfter(Math.max(1, this.#failures), AGAIN_MS, AGAIN_MOST_MS);
        this.#notBefore = this.#parts.now() + pause;
        this.#parts.onTrouble(`a scheduled backup could not be made; it is tried again in ${Math.round(pause / 60_000)} min`, error);
      }
      await sleep(LOOK_MS, signal);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { settings, now, onTrouble } = this.#parts;
    if (now() < this.#listNotBefore) return;
    try {
      if ((await listSets(settings.dir)).sets.length > 0) await inFolder(settings.dir, this.#keepForgotten);
      this.#listFailures = 0;
      this.#unlisted = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.#listFailures += 1;
      this.#listNotBefore = now() + pauseAfter(this.#listFailures, LIST_AGAIN_MS, LIST_AGAIN_MOST_MS);
      this.#unlisted = messageOf(error);
      onTrouble('what was forgotten could not be noted beside the backups; it is tried again', error);
    }
  }

  async #isTime(): Promise<boolean> {
    const { settings, now, log } = this.#parts;
    if (settings.everyMs === undefined || now() < this.#notBefore) return false;
    const { newestAt } = await this.status();
    return now() - (newestAt ?? 0) >= settings.everyMs && (await log.size()) > 0;
  }

  async #backUp(signal: AbortSignal): Promise<void> {
    const { settings, dataDir, redis, keys, random, now, leaseMs, onTrouble } = this.#parts;
    await refuseServersFolder(dataDir, settings.dir);
    const { report } = await backUp(this.#parts, settings, {
      actor: 'job:backup',
      withEmbeddings: settings.withEmbeddings,
      signal,
      leaseMs,
    });
    if (report.warning !== undefined) onTrouble(report.warning);
    const purged = await purgeBackups({ redis, keys, stamp: () => random.ulid(now()) }, { root: settings.dir, secrets: settings, signal });
    const failed = purged.sets.find((set) => set.failed !== undefined);
    this.#failed = failed && `${failed.name} still holds what was forgotten: ${failed.failed}`;
  }
}
