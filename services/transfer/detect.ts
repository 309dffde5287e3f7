import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { isMarkdownName } from './markdown/folder.js';
import { readMarkdown } from './markdown/read.js';
import { readDump } from './omnimem/dump.js';
import { isGraphLine, readServerMemory } from './server-memory.js';
import type { ReadOptions, Source, SourceFormat } from './source.js';
import { jsonOrUndefined, readText } from './text.js';

export type OpenOptions = ReadOptions & { readonly from?: SourceFormat | undefined; readonly split: 'headings' | 'files' };

/** Lines that are looked at to tell a graph's file. */
const LOOKED_AT = 20;

/** Reads a file or folder in the format it is in, or the one that is named. Throws VALIDATION for what is none of them. */
export const openSource = async (path: string, options: OpenOptions): Promise<Source> => {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new DomainError('VALIDATION', `${path} cannot be opened: ${error.code ?? error.message}`, 'Check the path');
  });
  const { from } = options;
  if (found.isDirectory() || from === 'markdown' || (from === undefined && isMarkdownName(path))) {
    if (from !== undefined && from !== 'markdown')
      throw new DomainError('VALIDATION', `${path} is a folder, and --from ${from} reads a file`, 'Name the file');
    return readMarkdown(path, options);
  }
  const text = await readText(path);
  const name = basename(path);
  switch (from ?? formatOf(text)) {
    case 'omnimem':
      return readDump(text, name, options);
    case 'server-memory':
      return readServerMemory(text, Math.min(found.mtimeMs, options.now), options);
    default:
      throw new DomainError(
        'VALIDATION',
        `${name} is none of: an OmniMem dump (JSON), the JSONL of server-memory, Markdown (.md)`,
        'Say which it is with --from. Nothing was imported.',
      );
  }
};

const formatOf = (text: string): SourceFormat | undefined => {
  const lines = text.split('\n', LOOKED_AT).filter((line) => line.trim() !== '');
  if (lines.some((line) => isGraphLine(jsonOrUndefined(line)))) return 'server-memory';
  return text.trimStart().startsWith('{') ? 'omnimem' : undefined;
};
