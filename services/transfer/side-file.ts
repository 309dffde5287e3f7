import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { diskFault } from '../disk-fault.js';
import type { Refused, SetAside } from './source.js';
import { isObject, jsonOrUndefined } from './text.js';

const KIND = 'omnimem set aside';

/** `notes.json` has its side file in `notes.set-aside.json`; a folder beside itself. */
export const sideFileOf = (source: string): string => {
  const name = basename(source);
  return join(dirname(source), `${name.slice(0, name.length - extname(name).length)}.set-aside.json`);
};

/**
 * What an import set aside, in the shape of a dump, so that a later version can import it: fields by key, and why for each.
 * The same source gives the same file.
 */
export const sideFileText = (source: string, entries: readonly SetAside[], refused: readonly Refused[] = []): string => {
  const data = new Map<string, Readonly<Record<string, unknown>>>();
  const why = new Map<string, Readonly<Record<string, string>>>();
  for (const { key, kind, fields, why: reason } of entries) {
    data.set(key, { ...data.get(key), ...fields });
    why.set(key, { ...why.get(key), [kind]: reason });
  }
  const marks = refused.map(markOf).sort();
  const metadata = { kind: KIND, source: basename(source), total_keys: data.size, ...(marks.length > 0 && { refused: marks }) };
  return `${JSON.stringify({ metadata, why: Object.fromEntries(why), data: Object.fromEntries(data) }, undefined, 2)}\n`;
};

/** Tells a refusal from another without holding anything of its text. */
const markOf = ({ place, code, why }: Refused): string =>
  createHash('sha256')
    .update(JSON.stringify([place, code, why]))
    .digest('hex')
    .slice(0, 16);

/** How many of these an earlier import of the source refused already, by its side file. */
export const refusedBefore = async (path: string, refused: readonly Refused[]): Promise<number> => {
  const document = jsonOrUndefined(await readFile(path, 'utf8').catch(() => ''));
  const marks =
    isObject(document) && isObject(document.metadata) && document.metadata.kind === KIND ? document.metadata.refused : undefined;
  return Array.isArray(marks) ? refused.filter((refusal) => marks.includes(markOf(refusal))).length : 0;
};

/** Writes the side file whole or not at all, for its owner only. Refuses to replace a file that is none. */
export const writeSideFile = async (path: string, text: string): Promise<void> => {
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before === text) return;
  if (before !== undefined && !isSideFile(before))
    throw new DomainError(
      'CONFLICT',
      `${path} is there and was not written by an import`,
      'Name another file with --set-aside. Nothing was imported.',
    );
  const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    const fault = diskFault(error, path);
    if (fault)
      throw new DomainError(fault.code, fault.message, 'Free some space, or name another file with --set-aside. Nothing was imported.');
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new DomainError('VALIDATION', `${path} cannot be written (${code})`, 'Name another file with --set-aside. Nothing was imported.');
  }
};

const isSideFile = (text: string): boolean => {
  const document = jsonOrUndefined(text);
  return isObject(document) && isObject(document.metadata) && document.metadata.kind === KIND;
};
