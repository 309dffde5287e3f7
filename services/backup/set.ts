import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { makeFolder } from '../make-folder.js';
import { VERSION } from '../version.js';
import { KEY, newEncryption, type Secrets, sameEncryption } from './crypt.js';
import { chainStart } from './entry.js';
import { writeWhole } from './files.js';
import { type BackupSet, FORMAT, isOf, isSetName, listSets, type Manifest, writeManifest } from './layout.js';

export type Wanted = {
  readonly root: string;
  /** Name of the set; default: the newest of this log, or a new one. */
  readonly name?: string | undefined;
  /** Begin a new set even when there is one to go on with, or go on with one whose first run was cut off. */
  readonly fresh?: boolean | undefined;
  readonly secrets: Secrets;
  /** Ends when the folder is another's. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * The set to write into: one of this log and tenant, under these secrets, whose last entry the log still holds; else a new one.
 * Throws CONFLICT when a set was named that cannot be continued, that differs from one that is there by case only, or that is
 * there already when a new one was asked for.
 */
export const setToWrite = async (
  { root, name, fresh = false, secrets, signal }: Wanted,
  log: { readonly logId: string; readonly holds: (position: string, eventId: string) => Promise<boolean> },
  tenant: string,
  now: number,
): Promise<BackupSet & { readonly warning?: string }> => {
  if (name !== undefined && !isSetName(name)) {
    throw new DomainError(
      'VALIDATION',
      'That is no name for a backup',
      'Use letters, digits, dots, _ and -, at most 200, without a folder; not a name that the folder of backups itself uses, nor one that Windows keeps for itself.',
    );
  }
  await makeFolder(root);
  const { sets, unreadable } = await listSets(root);
  if (name !== undefined && unreadable.includes(name)) {
    throw new DomainError('CONFLICT', `The backup ${name} cannot be read`, 'Choose another name; restore says what is wrong with it.');
  }
  const names = [...sets.map((set) => set.name), ...unreadable];
  const alike = name === undefined || names.includes(name) ? undefined : names.find((other) => sameOnSomeDisks(other, name));
  if (name !== undefined && alike !== undefined) throw differsByCase(name, alike);
  const newest = sets.find((set) => isOf(set, log.logId, tenant));
  // A new one whose first run was cut off is gone on with: else each try on a full disk would leave one more.
  const isBegun = (set: BackupSet): boolean => set === newest && !set.manifest.complete;
  for (const set of sets) {
    if (name === undefined ? !isOf(set, log.logId, tenant) || (fresh && !isBegun(set)) : set.name !== name) continue;
    if (name !== undefined && fresh && set.manifest.complete) throw isThere(name);
    if (isOf(set, log.logId, tenant) && (await continues(set, log, secrets))) return set;
    if (name !== undefined) {
      throw new DomainError(
        'CONFLICT',
        `The backup ${name} is of another memory or history, or under another key, and cannot be continued`,
        'Choose another name.',
      );
    }
  }
  const plainBeside = newest?.manifest.encryption !== undefined && secrets.passphrase === undefined && secrets.keyFile === undefined;
  const chosen = name ?? freeName(names, now);
  const set = await newSet({ root, name: chosen, secrets, signal }, { logId: log.logId, tenant, now });
  return plainBeside ? { ...set, warning: notEncrypted(set.name, newest.name) } : set;
};

const isThere = (name: string): DomainError =>
  new DomainError(
    'CONFLICT',
    `There is a backup ${name} already, and a new one with everything in it was asked for`,
    'Choose another name, or leave out full to bring that one up to date.',
  );

/** Names of sets are ASCII, so that this is what a disk takes for one name. */
const sameOnSomeDisks = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const differsByCase = (name: string, there: string): DomainError =>
  new DomainError(
    'CONFLICT',
    `There is a backup ${there} already, and ${name} differs from it by capital letters only: some disks take them for one folder`,
    `Pass ${there} to bring that one up to date, or choose another name.`,
  );

const notEncrypted = (name: string, newest: string): string =>
  `${name} is not encrypted, and ${newest} beside it is: BACKUP_PASSPHRASE and BACKUP_KEY_FILE are not set. Set the one that was used, and remove ${name}.`;

const continues = async ({ dir, manifest }: BackupSet, log: Parameters<typeof setToWrite>[1], secrets: Secrets): Promise<boolean> => {
  const { head } = manifest;
  if (head && !(head.event_id !== undefined && (await log.holds(head.position, head.event_id)))) return false;
  return sameEncryption(dir, manifest.encryption, secrets);
};

/** `omnimem-20261130T114502Z`, with a number when there is one of this second already. */
const freeName = (names: readonly string[], now: number): string => {
  const base = `omnimem-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const taken = new Set(names);
  for (let i = 1; ; i++) {
    const name = i === 1 ? base : `${base}-${i}`;
    if (!taken.has(name)) return name;
  }
};

const newSet = async (
  { root, name, secrets, signal }: Wanted & { readonly name: string },
  { logId, tenant, now }: { readonly logId: string; readonly tenant: string; readonly now: number },
): Promise<BackupSet> => {
  const dir = join(root, name);
  const { encryption, keyFile } = (await newEncryption(secrets)) ?? {};
  signal?.throwIfAborted();
  const at = new Date(now).toISOString();
  const manifest: Manifest = {
    format: FORMAT,
    log_id: logId,
    tenant,
    created_at: at,
    updated_at: at,
    program: VERSION,
    ...(encryption && { encryption }),
    segments: [],
    events: 0,
    chain: chainStart(logId),
    complete: false,
    bytes: 0,
    purged: 0,
  };
  await makeFolder(dir);
  try {
    if (keyFile) await writeWhole(join(dir, KEY), keyFile);
    await writeManifest(dir, manifest);
  } catch (error) {
    // Nobody would know of it. A folder that somebody else keeps something in stays.
    await rm(join(dir, KEY), { force: true }).catch(() => undefined);
    await rmdir(dir).catch(() => undefined);
    throw error;
  }
  return { dir, name, manifest };
};
