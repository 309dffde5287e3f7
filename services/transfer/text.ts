import { readFile } from 'node:fs/promises';
import { DomainError } from '../../domain/errors.js';

/** Bytes beyond which a file is no single text any more. */
const MAX_BYTES = 400_000_000;

/** A file as text, without a byte order mark. VALIDATION when it cannot be read or is not UTF-8, naming the first wrong byte; TOO_LARGE beyond 400 MB. */
export const readText = async (path: string): Promise<string> => {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new DomainError('VALIDATION', `${path} cannot be read: ${error.code ?? error.message}`, 'Check the path and its permissions');
  });
  if (bytes.length > MAX_BYTES) throw new DomainError('TOO_LARGE', `${path} has ${bytes.length} bytes, at most ${MAX_BYTES} are read`);
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd')) {
    const at = firstWrongByte(bytes);
    if (at !== undefined)
      throw new DomainError('VALIDATION', `${path} is not UTF-8: byte ${at} does not fit`, 'Convert it to UTF-8, then import it again');
  }
  return text.startsWith('\ufeff') ? text.slice(1) : text;
};

/** Where decoding and encoding again gives other bytes. */
const firstWrongByte = (bytes: Buffer): number | undefined => {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  if (again.equals(bytes)) return undefined;
  const at = bytes.findIndex((byte, i) => byte !== again[i]);
  return at < 0 ? bytes.length : at;
};

/** `line 3, column 14` of a UTF-16 offset, both from 1. */
export const lineAndColumn = (text: string, offset: number): string => {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
};

/** JSON, or VALIDATION with the place of the first mistake; a text that stops early is said to be cut short. */
export const parseJson = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const at = position === undefined ? text.length : Number(position);
    const cut = text.slice(at).trim() === '';
    throw new DomainError(
      'VALIDATION',
      cut ? `${name} ends too early, at ${lineAndColumn(text, text.length)}` : `${name} is no JSON at ${lineAndColumn(text, at)}`,
      cut
        ? 'The file is cut short: make the dump again, or copy it again. Nothing was imported.'
        : 'Mend that place. Nothing was imported.',
    );
  }
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text, or a number or truth value as one; undefined for anything else. */
export const plainText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** JSON that may be none. */
export const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
