import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What this data folder last saw of its store: an empty or another store where there was data must not pass in silence. */
export type StoreMarker = { readonly log_id: string; readonly events: number; readonly seen_at: string };

const pathOf = (dataDir: string, tenant: string): string => join(dataDir, `store-${tenant}.json`);

/** The marker, or undefined when there is none or it cannot be read. */
export const readMarker = async (dataDir: string, tenant: string): Promise<StoreMarker | undefined> => {
  try {
    return JSON.parse(await readFile(pathOf(dataDir, tenant), 'utf8')) as StoreMarker;
  } catch {
    return undefined;
  }
};

/** Writes the marker whole; throws when the folder cannot be written, which health reports. */
export const writeMarker = async (dataDir: string, tenant: string, marker: StoreMarker): Promise<void> => {
  const path = pathOf(dataDir, tenant);
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, JSON.stringify(marker));
  await rename(temporary, path);
};

/** Why the store is not the one that was here, in words, or undefined when it is. */
export const storeDiffers = (before: StoreMarker | undefined, now: Pick<StoreMarker, 'log_id' | 'events'>): string | undefined => {
  if (!before) return undefined;
  if (before.log_id !== now.log_id) {
    return `This is another store than before: it holds log ${now.log_id} (${now.events} events), and log ${before.log_id} with ${before.events} events was here on ${before.seen_at}.`;
  }
  if (now.events < before.events) {
    return `The log is shorter than it was: ${now.events} events now, ${before.events} on ${before.seen_at}.`;
  }
  return undefined;
};
