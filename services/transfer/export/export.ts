import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DomainError } from '../../../domain/errors.js';
import { diskFault } from '../../disk-fault.js';
import { makeFolder } from '../../make-folder.js';
import { VERSION } from '../../version.js';
import { dumpMetadata, dumpRecord, suppressionRecords } from './dump.js';
import { GIT_ATTRIBUTES, notePath, noteText, SUPPRESSIONS_NOTE, suppressionsText } from './note.js';
import { readStored, type Stored, type StoreParts } from './stored.js';

export type ExportFormat = 'json' | 'markdown';

export type ExportOptions = {
  readonly format: ExportFormat;
  /** A new file, or a folder that is new or empty. */
  readonly to: string;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
};

export type ExportReport = {
  readonly format: ExportFormat;
  readonly to: string;
  readonly memories: number;
  /** Contexts of projects; only a dump has them. */
  readonly projects: number;
  readonly topics: number;
};

type Written = Pick<ExportReport, 'memories' | 'projects' | 'topics'>;
type Write = (text: string) => Promise<void>;

const ATTEMPTS = 3;

/**
 * Writes every memory and suppressed topic as a dump or a vault: under a temporary name, renamed when it is whole. What is
 * stored meanwhile may be in it or not; what is forgotten meanwhile is not. Throws CONFLICT when the place is taken,
 * UNAVAILABLE when the store cannot be read or the disk takes no more, VALIDATION for a place that cannot be written to.
 */
export const exportTo = async (parts: StoreParts, options: ExportOptions): Promise<ExportReport> => {
  const { format, to, signal } = options;
  await refuseTaken(format, to);
  const temporary = `${to}.${randomBytes(4).toString('hex')}.new`;
  try {
    const written = await withoutForgotten(parts, signal, async (stored) => {
      await rm(temporary, { recursive: true, force: true });
      return format === 'json' ? writeDumpFile(stored, temporary, options) : writeVault(stored, temporary, options);
    });
    if (format === 'markdown') await rmdir(to).catch(() => undefined);
    await rename(temporary, to);
    return { format, to, ...written };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof DomainError || code === undefined) throw error;
    const fault = diskFault(error, to);
    if (fault) throw fault;
    throw new DomainError('VALIDATION', `${to} cannot be written (${code})`, 'Name another place with --to');
  }
};

/** The dump as one text. */
export const exportText = async (parts: StoreParts, options: Omit<ExportOptions, 'to' | 'format'>): Promise<string> => {
  let pieces: string[] = [];
  await withoutForgotten(parts, options.signal, async (stored) => {
    pieces = [];
    return writeDump(stored, async (text) => void pieces.push(text), options);
  });
  return pieces.join('');
};

/** Begins again when something was forgotten while it was being written. */
const withoutForgotten = async (
  parts: StoreParts,
  signal: AbortSignal | undefined,
  write: (stored: Stored) => Promise<Written>,
): Promise<Written> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = await readStored(parts, signal);
    const written = await write(stored);
    if (!(await stored.forgotSomething())) return written;
  }
  throw new DomainError('CONFLICT', 'Memories kept being forgotten while they were exported', 'Try again when that has ended');
};

const refuseTaken = async (format: ExportFormat, to: string): Promise<void> => {
  const inside = await readdir(to).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : ['']));
  if (inside === undefined || (format === 'markdown' && inside.length === 0)) return;
  const wanted = format === 'json' ? 'a new file' : 'a folder that is new or empty';
  throw new DomainError('CONFLICT', `${to} is there already; nothing was written`, `Name ${wanted} with --to`);
};

const writeDumpFile = async (stored: Stored, path: string, options: ExportOptions): Promise<Written> => {
  const file = await open(path, 'wx', 0o600);
  try {
    const written = await writeDump(stored, async (text) => void (await file.write(text)), options);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
};

/** Metadata come last: how many memories there are is known only then. */
const writeDump = async (
  stored: Stored,
  write: Write,
  { now = Date.now, onProgress }: Omit<ExportOptions, 'to' | 'format'>,
): Promise<Written> => {
  const keys: string[] = [];
  let projects = 0;
  const record = (key: string, fields: object): string =>
    `${keys.push(key) === 1 ? '' : ','}\n    ${JSON.stringify(key)}: ${JSON.stringify(fields)}`;
  await write('{\n  "data": {');
  for await (const page of stored.pages()) {
    const contexts = await stored.contexts(page);
    projects += contexts.size;
    await write(page.map((row) => record(row.key, dumpRecord(row, contexts.get(row.key)))).join(''));
    onProgress?.(keys.length, stored.keys.length);
  }
  const memories = keys.length - projects;
  for (const [key, fields] of Object.entries(suppressionRecords(stored.topics))) await write(record(key, fields));
  await write(`\n  },\n  "metadata": ${JSON.stringify(dumpMetadata(new Date(now()).toISOString(), VERSION, keys))}\n}\n`);
  return { memories, projects, topics: stored.topics.length };
};

const writeVault = async (stored: Stored, folder: string, { onProgress }: ExportOptions): Promise<Written> => {
  let memories = 0;
  const note = async (path: string, text: string): Promise<void> => {
    await makeFolder(dirname(join(folder, path)));
    await writeFile(join(folder, path), text, { mode: 0o600, flag: 'wx' });
  };
  await note('.gitattributes', GIT_ATTRIBUTES);
  for await (const page of stored.pages()) {
    const rows = page.filter(({ context }) => context === undefined);
    for (const row of rows) await note(notePath(row), noteText(row));
    memories += rows.length;
    onProgress?.(memories, stored.keys.length);
  }
  if (stored.topics.length > 0) await note(SUPPRESSIONS_NOTE, suppressionsText(stored.topics));
  return { memories, projects: 0, topics: stored.topics.length };
};
