import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { freeBytes } from '../disk.js';
import { type Finding, fail, ok, warn } from './doctor-finding.js';

const OLDEST = [20, 12] as const;
const COMFORTABLE_BYTES = 2 ** 30;

export const inspectNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (enough) return ok('node', `Node.js ${version} on ${process.platform} ${process.arch}`);
  return fail('node', `Node.js ${version} is too old`, `Install Node.js ${OLDEST.join('.')} or later.`);
};

export const inspectDataFolder = async (dataDir: string): Promise<readonly Finding[]> => {
  const there = await nearestEntry(dataDir);
  const isFolder = (await stat(there)).isDirectory();
  const writable = await access(there, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isFolder) return [fail('data folder', `${there} is no folder`, 'Move it away, or set OMNIMEM_DATA_DIR to another place.')];
  if (!writable)
    return [fail('data folder', `${there} cannot be written`, 'Give this user the right to write there, or set OMNIMEM_DATA_DIR.')];
  return [ok('data folder', there === dataDir ? dataDir : `${dataDir}, which does not exist yet`)];
};

export const inspectDisk = async (dataDir: string, minFreeBytes: number): Promise<readonly Finding[]> => {
  const free = await freeBytes(await nearestEntry(dataDir));
  const detail = `${gigabytes(free)} free where the data lives`;
  const fix = `Free some space under ${dataDir}. Below ${Math.round(minFreeBytes / 2 ** 20)} MB (OMNIMEM_MIN_FREE_MB) nothing new is stored.`;
  if (free < minFreeBytes) return [fail('disk', detail, fix)];
  return [free < COMFORTABLE_BYTES ? warn('disk', detail, fix) : ok('disk', detail)];
};

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GB`;

/** The path itself, or the first one above it that exists. */
const nearestEntry = async (path: string): Promise<string> => {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestEntry(dirname(path));
};
