import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const TEMPORARY = /\.tmp$/;

/**
 * Writes a file whole or not at all: under another name first, on the disk before it gets its own. Whoever is killed in
 * between leaves a `.tmp` file, which the next run removes.
 */
export const writeWhole = async (path: string, content: Uint8Array | string): Promise<void> => {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/** Makes a folder's list of names durable. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Names in a folder, sorted; none when there is no folder. */
export const namesIn = async (path: string): Promise<readonly string[]> => {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** Removes what lies beside the segments and no manifest names any more. It may tell of what was forgotten since. */
export const removeStale = async (dir: string, named: readonly (string | undefined)[]): Promise<void> => {
  for (const name of await namesIn(dir)) {
    if (/^(side|vectors)-/.test(name) && !named.includes(name)) await rm(join(dir, name), { force: true });
  }
};

/** Removes what a killed run left half written. */
export const removeTemporaries = async (path: string): Promise<void> => {
  for (const name of await namesIn(path)) if (TEMPORARY.test(name)) await rm(join(path, name), { force: true });
};
