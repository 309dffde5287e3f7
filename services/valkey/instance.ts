import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { AS_MASKED, makeFolder } from '../make-folder.js';
import { isAlive, type ProcessRecord, recordOfThis } from './process-identity.js';

/** What a running instance says about itself in `<data>/instance.json`. */
export type Instance = ProcessRecord & {
  readonly host: string;
  /** Milliseconds since 1970, when it claimed the data folder. */
  readonly since: number;
  /** Undefined while it is still starting. */
  readonly mcpUrl?: string;
  /** Of its managed Valkey; undefined with VALKEY_URL. */
  readonly socket?: string;
  /** Its Valkey as it may be shown; undefined until that has answered. */
  readonly valkey?: string;
  /** Whose memories it serves: one instance serves one tenant. */
  readonly tenant?: string;
  /** Set when it runs for as long as somebody is attached to it; see services/attachments.ts. */
  readonly attachPort?: number;
};

export type Claim = {
  /** Adds to what instance.json says already. */
  readonly publish: (facts: Partial<Pick<Instance, 'mcpUrl' | 'socket' | 'valkey' | 'tenant' | 'attachPort'>>) => Promise<void>;
  readonly release: () => Promise<void>;
};

/** `held` when this process now owns the data folder, `running` when another one does. */
export type ClaimResult = { readonly held: Claim } | { readonly running: Instance };

type LockFile = Instance & { readonly released?: boolean };

const FILE = 'instance.json';
const BEAT_MS = 5_000;
/** An owner on another host (a container on the same volume) cannot be asked; it counts as alive for this long after a beat. */
const FOREIGN_MS = 4 * BEAT_MS;

/**
 * Takes the data folder for this process, creating it if need be. The lock is the highest numbered `lock.<n>`: a dead
 * owner's is never removed but outnumbered, by a link that only one process can make, so two takers cannot both win.
 * UNAVAILABLE when the folder cannot be written.
 */
export const claimDataDir = async (dataDir: string): Promise<ClaimResult> => {
  try {
    return await claim(dataDir);
  } catch (error) {
    throw new DomainError(
      'UNAVAILABLE',
      `The data folder ${dataDir} cannot be written: ${(error as Error).message}`,
      'Give this user the right to write there, free some space, or set OMNIMEM_DATA_DIR to another folder.',
      { cause: error },
    );
  }
};

const claim = async (dataDir: string): Promise<ClaimResult> => {
  await makeFolder(dataDir, AS_MASKED);
  const me: Instance = { ...(await recordOfThis()), host: hostname(), since: Date.now() };
  for (;;) {
    const newest = await newestLock(dataDir);
    if (newest !== undefined) {
      const owner = await ownerOf(dataDir, newest);
      if (owner) return { running: (await findInstance(dataDir)) ?? owner };
    }
    const mine = (newest ?? 0) + 1;
    if (!(await linkLock(dataDir, mine, me))) continue;
    if ((await newestLock(dataDir)) !== mine) {
      await rm(lockPath(dataDir, mine), { force: true });
      continue;
    }
    return { held: await hold(dataDir, mine, me) };
  }
};

/** The living instance on this data folder, if there is one. */
export const findInstance = async (dataDir: string): Promise<Instance | undefined> => {
  const newest = await newestLock(dataDir);
  const owner = newest === undefined ? undefined : await ownerOf(dataDir, newest);
  if (!owner) return undefined;
  const told = await readJson<Instance>(join(dataDir, FILE));
  return told?.pid === owner.pid && told.identity === owner.identity ? told : owner;
};

const hold = async (dataDir: string, number: number, me: Instance): Promise<Claim> => {
  await replaceJson(join(dataDir, FILE), me);
  for (const old of await lockNumbers(dataDir)) if (old < number) await rm(lockPath(dataDir, old), { force: true });
  const beat = setInterval(() => {
    const now = new Date();
    utimes(lockPath(dataDir, number), now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  let told = me;
  let written = Promise.resolve();
  return {
    publish: (facts) => {
      told = { ...told, ...facts };
      // One after another: two steps of a start may have something to tell at the same moment.
      written = written.then(() => replaceJson(join(dataDir, FILE), told));
      return written;
    },
    release: async () => {
      clearInterval(beat);
      await written.catch(() => undefined);
      await rm(join(dataDir, FILE), { force: true });
      await replaceJson(lockPath(dataDir, number), { ...me, released: true });
    },
  };
};

/** The owner of a lock file when it is alive. */
const ownerOf = async (dataDir: string, number: number): Promise<Instance | undefined> => {
  const owner = await readJson<LockFile>(lockPath(dataDir, number));
  if (!owner || owner.released) return undefined;
  if (owner.host === hostname()) return (await isAlive(owner)) ? owner : undefined;
  const beaten = await stat(lockPath(dataDir, number)).catch(() => undefined);
  return beaten && Date.now() - beaten.mtimeMs < FOREIGN_MS ? owner : undefined;
};

const lockPath = (dataDir: string, number: number): string => join(dataDir, `lock.${number}`);

const lockNumbers = async (dataDir: string): Promise<number[]> =>
  (await readdir(dataDir).catch(() => [])).flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(5))] : []));

const newestLock = async (dataDir: string): Promise<number | undefined> =>
  (await lockNumbers(dataDir)).reduce<number | undefined>((highest, number) => Math.max(highest ?? 0, number), undefined);

/** Makes the lock file whole or not at all. False when it exists. */
const linkLock = async (dataDir: string, number: number, content: LockFile): Promise<boolean> => {
  const temporary = join(dataDir, `claim.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    await writeFile(temporary, JSON.stringify(content));
    await link(temporary, lockPath(dataDir, number));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
};

const replaceJson = async (path: string, content: object): Promise<void> => {
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, `${JSON.stringify(content)}\n`);
  await rename(temporary, path);
};

const readJson = async <T>(path: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
};
