import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError, isDomainError } from '../../domain/errors.js';
import { type BackupSet, isSetName, listSets, readSet } from './layout.js';
import type { BackupSettings } from './settings.js';

type Place = Pick<BackupSettings, 'dir' | 'byToken'>;

/** Only the operator may lead elsewhere by a link, and only for the memory of the process itself. */
const leadsElsewhere = async ({ dir, byToken }: Place, name: string): Promise<boolean> =>
  byToken === true && (await lstat(join(dir, name)).catch(() => undefined))?.isSymbolicLink() === true;

/** The sets in a folder that were taken from this tenant, newest first, and those of which nobody can tell. */
export const ownSets = async (place: Place, tenant: string): Promise<Awaited<ReturnType<typeof listSets>>> => {
  const { sets, unreadable } = await listSets(place.dir);
  const links = await Promise.all(sets.map(({ name }) => leadsElsewhere(place, name)));
  return { sets: sets.filter(({ manifest }, i) => manifest.tenant === tenant && !links[i]), unreadable };
};

/**
 * One set of this tenant, by its name. VALIDATION for what is no name, NOT_FOUND for a set that is not there or was taken
 * from another tenant: only the command line carries memories from one to another.
 */
export const ownSet = async (place: Place, tenant: string, name: string): Promise<BackupSet> => {
  if (!isSetName(name)) {
    throw new DomainError('VALIDATION', 'filename is no name of a backup', 'Call list_backups, and pass one of its filenames.');
  }
  const set = await readSet(join(place.dir, name)).catch((error: unknown) => {
    if (isDomainError(error, 'NOT_FOUND')) return undefined;
    throw error;
  });
  if (set?.manifest.tenant === tenant && !(await leadsElsewhere(place, name))) return set;
  const hint =
    set && !place.byToken
      ? `It was taken from the tenant ${set.manifest.tenant}: omnimem restore ${set.dir} --into ${tenant} puts it here all the same.`
      : 'Call list_backups, and pass one of its filenames.';
  throw new DomainError('NOT_FOUND', `This memory has no backup ${name}`, hint);
};
