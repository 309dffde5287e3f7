import type { Redis } from 'iovalkey';
import { DomainError } from '../../domain/errors.js';
import type { Namespace } from '../../domain/vocabulary.js';
import type { Keys } from '../keys.js';
import type { LogReader } from '../log-reader.js';
import type { LexicalIndex, VectorIndex } from '../search/ports.js';
import type { SnapshotPlace } from './index-snapshot.js';

/** What a recall index is made of. */
export type RecallIndexParts = {
  readonly log: LogReader;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly createLexical: () => LexicalIndex;
  readonly createVectors: (dimension: number, namespace: Namespace, model: string) => VectorIndex;
  /** Removes what an index of `createVectors` keeps outside the process; called for a model that the log has just left. */
  readonly retireVectors?: ((model: string) => Promise<void>) | undefined;
  /** Where the index is kept in files between two lives of the process. Absent: it is made from the log each time. */
  readonly snapshot?: SnapshotPlace | undefined;
  /** Told how many vectors the cache had, and had not. */
  readonly onVectorsRead?: ((hits: number, misses: number) => void) | undefined;
  /** The generation of the memories view that serves: when it moves, what stood still is read again. */
  readonly generation: () => Promise<number | undefined>;
  /** Told of outages and faults, without text. */
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/** How long an index that takes another one's place may take for the last events, in milliseconds. */
export const SUCCESSION_MS = 10_000;

export const notToBeReplaced = (): DomainError =>
  new DomainError('CONFLICT', 'The search index was not replaced: a move to another model is under way', 'Reindex again when it is done.');
