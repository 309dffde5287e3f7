import { parseDocument } from 'yaml';
import { DomainError } from '../../../domain/errors.js';
import { isObject, lineAndColumn } from '../text.js';

export type FrontMatter = {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Everything after the line that closes it, byte for byte. */
  readonly body: string;
  /** The line on which the body begins, from 1. */
  readonly bodyLine: number;
};

const OPEN = /^---[ \t]*\r?\n/;
const CLOSE = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;
const MAX_ALIASES = 20;

/** Parts a file. Throws VALIDATION with line and column when the front matter is no YAML, or no map of names. */
export const splitFrontMatter = (text: string): FrontMatter => {
  const open = OPEN.exec(text);
  if (!open) return { fields: {}, body: text, bodyLine: 1 };
  CLOSE.lastIndex = open[0].length;
  const close = CLOSE.exec(text);
  // A line of dashes on top and none below is a rule of Markdown, not front matter.
  if (!close) return { fields: {}, body: text, bodyLine: 1 };
  const bodyAt = close.index + close[0].length;
  return {
    fields: parseFields(text.slice(open[0].length, close.index), text, open[0].length),
    body: text.slice(bodyAt),
    bodyLine: text.slice(0, bodyAt).split('\n').length,
  };
};

const parseFields = (yaml: string, text: string, offset: number): Readonly<Record<string, unknown>> => {
  const document = parseDocument(yaml, { uniqueKeys: true, logLevel: 'error' });
  const [problem] = document.errors;
  const refuse = (what: string, at: number): never => {
    throw new DomainError('VALIDATION', `The front matter ${what} (${lineAndColumn(text, at)})`, 'Mend it, or remove the lines of ---');
  };
  if (problem) return refuse('is no YAML', offset + problem.pos[0]);
  const value = ((): unknown => {
    try {
      return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
    } catch {
      return refuse('refers to itself too often', offset);
    }
  })();
  if (value === null || value === undefined) return {};
  if (!isTree(value)) return refuse('refers to itself', offset);
  return isObject(value) ? value : refuse('is no map of names to values', offset);
};

/** Whether a value holds itself nowhere. */
const isTree = (value: unknown, above: readonly unknown[] = []): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (above.includes(value)) return false;
  return Object.values(value).every((inner) => isTree(inner, [...above, value]));
};
