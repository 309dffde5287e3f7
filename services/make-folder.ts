import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Rights of a folder as the system's own mask leaves them. */
export const AS_MASKED = 0o777;

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );

/**
 * Makes a folder, for this user only unless told otherwise, and those above it. The runtime's own `recursive` never ends
 * where a folder that is there refuses a new one with ENOENT, as `/proc` does.
 */
export const makeFolder = async (path: string, mode = 0o700): Promise<void> => {
  if (await isFolder(path)) return;
  try {
    const above = dirname(path);
    if (above !== path && !(await isFolder(above))) await makeFolder(above, mode);
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
};
