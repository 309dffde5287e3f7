import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Lets a data folder use a model that was fetched before, as if it had been fetched into it. */
export const useModel = async (dataDir: string, modelDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true });
  await symlink(dirname(modelDir), join(dataDir, 'models')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
};
