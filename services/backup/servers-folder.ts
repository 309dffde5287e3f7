import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { DomainError } from '../../domain/errors.js';

/** Where a path leads, links followed as far as it exists. */
const leadsTo = async (path: string): Promise<string> => {
  const above = dirname(path);
  return realpath(path).catch(async () => (above === path ? path : join(await leadsTo(above), basename(path))));
};

/**
 * Throws VALIDATION for a folder of backups inside the one in which the Valkey of this data folder keeps its own files: what
 * harms or replaces the store there takes its backups along.
 */
export const refuseServersFolder = async (dataDir: string, dir: string): Promise<void> => {
  const [server, backups] = await Promise.all([leadsTo(resolve(dataDir, 'valkey')), leadsTo(resolve(dir))]);
  const within = relative(server, backups);
  if (within.startsWith('..') || isAbsolute(within)) return;
  throw new DomainError(
    'VALIDATION',
    `${dir} is in the folder in which Valkey keeps its own files`,
    'Name a folder beside it, better on another disk.',
  );
};
