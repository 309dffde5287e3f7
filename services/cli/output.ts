import { withoutControls } from '../../domain/characters.js';
import { clip } from '../../domain/passage.js';

/** Text of a memory as a terminal may have it: no control characters but line feeds and tabs, so that it cannot steer the terminal. */
export const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\t').map(withoutControls).join('\t'))
    .join('\n');

/** A text on one line of at most `length` characters. */
export const oneLine = (text: string, length: number): string => {
  const line = withoutControls(text).replace(/\s+/gu, ' ').trim();
  return line.length <= length ? line : `${clip(line, length - 1)}…`;
};

export const indented = (text: string, by = '    '): string =>
  printable(text)
    .split('\n')
    .map((line) => `${by}${line}`)
    .join('\n');

/** ISO, UTC, to the second: `2026-11-30T12:00:01Z`. */
export const instant = (iso: string): string => iso.replace(/\.\d+Z$/, 'Z');

/** Columns as wide as their widest cell; the last one is free. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = [];
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** `812 B`, `3.4 kB`, `12.0 MB`. */
export const size = (bytes: number): string =>
  bytes < 1_000 ? `${Math.round(bytes)} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** A value of an event on one line. */
export const shown = (value: unknown, length = 80): string =>
  typeof value === 'string' ? oneLine(value, length) : oneLine(JSON.stringify(value) ?? '', length);
