import { isDomainError } from '../../domain/errors.js';
import { findSecrets } from '../../domain/secrets.js';
import type { ImportedTopic } from '../commands/import.js';
import type { ImportCandidate } from '../commands/import-intake.js';
import type { ImportedProject } from '../commands/import-projects.js';
import { LiveCredential } from '../commands/secrets.js';

export const SOURCE_FORMATS = ['omnimem', 'server-memory', 'markdown'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** `place` says where in the source it stands: a key, a file with its line, a line. */
export type Placed<T> = T & { readonly place: string };

/** Something the source holds that has no place in the log yet. It is written to the side file, whole. */
export type SetAside = Placed<{
  /** What it is, in words that are counted: `project context`, `field breakthrough`. */
  readonly kind: string;
  readonly why: string;
  /** The name it has in a dump, and the fields. */
  readonly key: string;
  readonly fields: Readonly<Record<string, unknown>>;
}>;

export type Dropped = { readonly kind: string; readonly why: string };

export type Refused = Placed<{ readonly code: string; readonly why: string }>;

/**
 * What an import says of what it refuses, whatever was thrown over it: one record must not take the others with it. For a live
 * credential it says the way out too.
 */
export const refusalOf = (place: string, error: unknown): Refused => {
  if (!isDomainError(error)) {
    const said = error instanceof Error ? error.message : String(error);
    return { place, code: 'VALIDATION', why: `It cannot be understood (${said.slice(0, SHOWN)})` };
  }
  const { code, message } = error;
  return { place, code, why: error instanceof LiveCredential ? `${message}; --force imports it all the same` : message };
};

const SHOWN = 120;

/** A text with the kind of each live credential in its place: names and places are shown and written down, too. */
export const withoutCredentials = (text: string): string =>
  findSecrets(text).reduceRight((kept, { kind, index, length }) => `${kept.slice(0, index)}(${kind})${kept.slice(index + length)}`, text);

/** A topic to suppress, and as it was `said`: formats of credentials know capital letters. */
export type TopicCandidate = ImportedTopic & { readonly said: string };

/** A source as it was read, before anything is checked against the rules of memories or against the store. */
export type Source = {
  readonly format: SourceFormat;
  readonly candidates: readonly Placed<ImportCandidate>[];
  readonly topics: readonly Placed<TopicCandidate>[];
  readonly projects: readonly Placed<ImportedProject>[];
  readonly setAside: readonly SetAside[];
  readonly dropped: readonly Dropped[];
  readonly refused: readonly Refused[];
  /** Sentences on how the source was read. */
  readonly notes: readonly string[];
};

/** A source under construction. */
export type Draft = {
  readonly candidates: Placed<ImportCandidate>[];
  readonly topics: Placed<TopicCandidate>[];
  readonly projects: Placed<ImportedProject>[];
  readonly setAside: SetAside[];
  readonly dropped: Dropped[];
  readonly refused: Refused[];
  readonly notes: string[];
};

export const newDraft = (): Draft => ({ candidates: [], topics: [], projects: [], setAside: [], dropped: [], refused: [], notes: [] });

/** What a source is read with. */
export type ReadOptions = {
  /** The project of memories that name none. */
  readonly project?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
};
