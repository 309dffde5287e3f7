import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { makeFolder } from '../make-folder.js';
import { VERSION } from '../version.js';
import { newEncryption, type Secrets, sameEncryption } from './crypt.js';
import { chainStart } from './entry.js';
import { type BackupSet, isOf, isSetName, listSets, type Manifest, writeManifest } from './layout.js';

export type Wanted = {
  readonly root: string;
  /** Name of the set; default: the newest of this log, or a new one. */
  readonly name?: string | undefined;
  /** Begin a new set even when there is one to go on with. */
  readonly fresh?: boolean | undefined;
  readonly secrets: Secrets;
};

/**
 * The set to write into: one of this log and tenant, under these secrets, whose last entry the log still holds; else a new one.
 * Throws CONFLICT when a set was named that cannot be continued, or is there already and a new one was asked for.
 */
export const setToWrite = async (
  { root, name, fresh = false, secrets }: Wanted,
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
  for (const set of sets) {
    if (name === undefined ? fresh || !isOf(set, log.logId, tenant) : set.name !== name) continue;
    if (name !== undefined && fresh) throw isThere(name);
    if (isOf(set, log.logId, tenant) && (await continues(set, log, secrets))) return set;
    if (name !== undefined) {
      throw new DomainError(
        'CONFLICT',
        `The backup ${name} is of another memory or history, or under another key, and cannot be continued`,
        'Choose another name.',
      );
    }
  }
  const newest = sets.find((set) => isOf(set, log.logId, tenant));
  const plainBeside = newest?.manifest.encryption !== undefined && secrets.passphrase === undefined && secrets.keyFile === undefined;
  const chosen = name ?? freeName([...sets.map((set) => set.name), ...unreadable], now);
  const set = await newSet(root, chosen, secrets, { logId: log.logId, tenant, now });
  return plainBeside ? { ...set, warning: notEncrypted(set.name, newest.name) } : set;
};

const isThere = (name: string): DomainError =>
  new DomainError(
    'CONFLICT',
    `There is a backup ${name} already, and a new one with everything in it was asked for`,
    'Choose another name, or leave out full to bring that one up to date.',
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
  root: string,
  name: string,
  secrets: Secrets,
  { logId, tenant, now }: { readonly logId: string; readonly tenant: string; readonly now: number },
): Promise<BackupSet> => {
  const dir = join(root, name);
  await makeFolder(dir);
  const encryption = await newEncryption(dir, secrets);
  const at = new Date(now).toISOString();
  const manifest: Manifest = {
    format: 1,
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
  await writeManifest(dir, manifest);
  return { dir, name, manifest };
};
