import { access, appendFile, constants, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'iovalkey';
import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { projectOf } from '../../domain/project/key.js';
import { namesItsTopic } from '../../domain/topic/topic.js';
import type { Keys } from '../../projections/keys.js';
import { makeFolder } from '../make-folder.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { BackupDamaged } from './damage.js';
import { syncFolder } from './files.js';
import { inFolder } from './folder-fault.js';
import { listSets } from './layout.js';

const NAME = 'FORGOTTEN';
const PAGE = 2_000;

export const forgottenFile = (root: string): string => join(root, NAME);

export type Erased = {
  readonly subject: string;
  readonly position: Position;
  /** Of a project, or a topic of an older log, which other stores may have too: the id of the log that it was erased in. */
  readonly log?: string | undefined;
};

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** What a line is, or, where a killed writer left it torn, the beginning of it. */
const LINES = [
  /^(?:mem|project|topic):\S+ \d+-\d+(?: \S+)?$/,
  /^(?:mem|project|topic):\S*(?: \d*-?\d*)?$/,
  /^(?:m|me|mem|p(?:r(?:o(?:j(?:e(?:ct?)?)?)?)?)?|t(?:o(?:p(?:ic?)?)?)?)?$/,
];

/** Throws BackupDamaged for a line that no backup wrote: whoever cannot read all of it does not know what must stay away. */
const checkForgotten = async (path: string): Promise<void> => {
  const lines = (await textOf(path)).split('\n');
  const strange = lines.findIndex((line) => !LINES.some((shape) => shape.test(line)));
  if (strange >= 0) throw new BackupDamaged('altered', path, `line ${strange + 1} names nothing that was forgotten`);
};

/** What must never come back, from the file beside the backups. A line that a killed writer left torn is passed over. */
export const readForgotten = async (path: string): Promise<readonly Erased[]> => {
  const text = await textOf(path);
  return text.split('\n').flatMap((line) => {
    const [, subject, position, log] = /^(\S+) (\d+-\d+)(?: (\S+))?$/.exec(line) ?? [];
    return subject !== undefined && position !== undefined ? [{ subject: subject.replaceAll('%20', ' '), position, log }] : [];
  });
};

/** A line ends a subject at a blank, and the name of a project may hold some. */
const lineOf = ({ subject, position, log }: Erased): string =>
  `${subject.replaceAll(' ', '%20')} ${position}${log === undefined ? '' : ` ${log}`}`;

const isOfProject = ({ subject }: Erased): boolean => projectOf(subject) !== undefined;

/** Whether another log may call something else so. */
const isOfOneLog = (erased: Erased): boolean => isOfProject(erased) || namesItsTopic(erased.subject);

/** A memory is forgotten once and for all; a project may be set anew and deleted again. */
const identityOf = (erased: Erased): string => (isOfOneLog(erased) ? lineOf(erased) : erased.subject);

export type Erasures = {
  /** Memories and topics: nothing of them ever comes back. */
  readonly forgotten: Set<string>;
  /** Projects, and the place of their last deletion: what was before it never comes back. */
  readonly deleted: ReadonlyMap<string, Position>;
  /** How many erasures there are. */
  readonly size: number;
};

export const erasuresOf = (all: readonly Erased[]): Erasures => {
  const forgotten = new Set<string>();
  const deleted = new Map<string, Position>();
  for (const { subject, position } of all) {
    const before = deleted.get(subject);
    if (projectOf(subject) === undefined) forgotten.add(subject);
    else if (before === undefined || comparePositions(position, before) > 0) deleted.set(subject, position);
  }
  return { forgotten, deleted, size: new Set(all.map(identityOf)).size };
};

/** What binds a set of this log, from the file in it, the one beside it, and those of more folders. Throws BackupDamaged. */
export const forgottenAround = async (dir: string, logId: string, roots: readonly string[] = []): Promise<readonly Erased[]> => {
  const files = [dir, dirname(dir), ...roots].map(forgottenFile);
  await Promise.all(files.map(checkForgotten));
  const all = await Promise.all(files.map(readForgotten));
  return all.flat().filter(({ log }) => log === undefined || log === logId);
};

/** What was forgotten after a place of the log, from the envelopes alone, and how far was read. */
export const erasedSince = async (
  redis: Redis,
  keys: Keys,
  after: Position,
): Promise<{ readonly erased: readonly Erased[]; readonly readTo: Position }> => {
  const erased: Erased[] = [];
  let readTo = after;
  for (;;) {
    const page = await unavailableWhenDown(() => redis.xrange(keys.log, `(${readTo}`, '+', 'COUNT', PAGE));
    for (const [position, fields] of page) {
      readTo = position;
      const field = (name: string): string | undefined => {
        for (let i = 0; i + 1 < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
        return undefined;
      };
      const subject = erases(field('type')) ? field('subject') : undefined;
      if (subject !== undefined && /^\S+ /.test(lineOf({ subject, position }))) erased.push({ subject, position });
    }
    if (page.length < PAGE) break;
  }
  if (!erased.some(isOfOneLog)) return { erased, readTo };
  const log = (await unavailableWhenDown(() => redis.hget(keys.meta, 'log_id'))) ?? undefined;
  return { erased: erased.map((one) => (isOfOneLog(one) ? { ...one, log } : one)), readTo };
};

/** Adds what is not listed yet, durably; lines are never taken away. Answers how many erasures the file lists now. */
export const addForgotten = async (root: string, erased: readonly Erased[]): Promise<number> => {
  const path = forgottenFile(root);
  const known = new Set((await readForgotten(path)).map(identityOf));
  const fresh = erased.filter((one) => !known.has(identityOf(one)));
  if (fresh.length === 0) return known.size;
  await makeFolder(root);
  // A torn last line of a killed writer must not swallow the first of these.
  await appendFile(path, `\n${fresh.map(lineOf).join('\n')}\n`, { mode: 0o600 });
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(root);
  return new Set([...known, ...fresh.map(identityOf)]).size;
};

/** Why a folder of backups cannot take lines into FORGOTTEN; undefined when it can, or has no backups. Writes nothing. */
export const listFault = async (root: string): Promise<string | undefined> => {
  try {
    await inFolder(root, async () => {
      if ((await listSets(root)).sets.length === 0) return;
      const path = forgottenFile(root);
      await readForgotten(path);
      await access(path, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return access(root, constants.W_OK);
      });
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
};

/**
 * Keeps FORGOTTEN of one folder up with the log of one store. Cheap to call: it reads the log only after the erasure number
 * has moved.
 */
export const createForgottenKeeper = (redis: Redis, keys: Keys, root: string) => {
  let readTo: Position = ORIGIN;
  let seen = 0;
  return async (): Promise<void> => {
    const erasures = Number((await unavailableWhenDown(() => redis.get(keys.erasures))) ?? 0);
    if (erasures === seen) return;
    const found = await erasedSince(redis, keys, readTo);
    await addForgotten(root, found.erased);
    readTo = found.readTo;
    seen = erasures;
  };
};
