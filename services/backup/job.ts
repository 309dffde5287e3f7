import { isDomainError } from '../../domain/errors.js';
import { createWakeup } from '../wakeup.js';
import { createForgottenKeeper } from './forgotten.js';
import { isOf, listSets } from './layout.js';
import { purgeBackups } from './purge.js';
import { backUp } from './service.js';
import type { BackupSettings } from './settings.js';
import type { BackupParts } from './take.js';

const LOOK_MS = 1_000;
const AGAIN_MS = 60_000;

export type BackupJobParts = BackupParts & {
  readonly settings: BackupSettings;
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
};

/**
 * Backs up when it is time, frees the backups of what was forgotten, and keeps FORGOTTEN up with the log, so that a backup
 * that is restored a minute after a forgetting knows of it.
 */
export class BackupJob {
  #parts: BackupJobParts;
  #stopping = new AbortController();
  #wakeup = createWakeup();
  #running: Promise<void> | undefined;
  #keepForgotten: () => Promise<void>;
  #since: number;
  #notBefore = 0;
  #failed: string | undefined;

  constructor(parts: BackupJobParts) {
    this.#parts = parts;
    this.#since = parts.now();
    this.#keepForgotten = createForgottenKeeper(parts.redis, parts.keys, parts.settings.dir);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Something was forgotten now. */
  poke(): void {
    this.#wakeup.poke();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.poke();
    await this.#running;
  }

  async status(): Promise<BackupStatus> {
    const { settings, log, keys } = this.#parts;
    const ours = (await listSets(settings.dir)).sets.filter((set) => isOf(set, log.logId, keys.tenant));
    const newest = ours.find(({ manifest }) => manifest.complete);
    return {
      everyMs: settings.everyMs,
      newestAt: newest && Date.parse(newest.manifest.updated_at),
      bytes: ours.reduce((sum, { manifest }) => sum + manifest.bytes, 0),
      since: this.#since,
      failed: this.#failed,
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if ((await listSets(this.#parts.settings.dir)).sets.length > 0) await this.#keepForgotten();
        if (await this.#isTime()) await this.#backUp(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#notBefore = this.#parts.now() + AGAIN_MS;
        // Somebody else who backs up is no failure.
        if (!isDomainError(error, 'CONFLICT')) this.#failed = error instanceof Error ? error.message : 'unknown';
        this.#parts.onTrouble('a scheduled backup could not be made; it is tried again in a minute', error);
      }
      await this.#wakeup.sleep(LOOK_MS, signal);
    }
  }

  async #isTime(): Promise<boolean> {
    const { settings, now, log } = this.#parts;
    if (settings.everyMs === undefined || now() < this.#notBefore) return false;
    const { newestAt } = await this.status();
    return now() - (newestAt ?? 0) >= settings.everyMs && (await log.size()) > 0;
  }

  async #backUp(signal: AbortSignal): Promise<void> {
    const { settings, redis, keys, random, now, leaseMs } = this.#parts;
    await backUp(this.#parts, settings, { actor: 'job:backup', withEmbeddings: settings.withEmbeddings, signal, leaseMs });
    const purged = await purgeBackups({ redis, keys, stamp: () => random.ulid(now()) }, { root: settings.dir, secrets: settings, signal });
    const failed = purged.sets.find((set) => set.failed !== undefined);
    this.#failed = failed && `${failed.name} still holds what was forgotten: ${failed.failed}`;
  }
}
