import { contradictions, type OpenPair, readOpenPairs } from '../../projections/contradictions.js';
import type { Document } from '../../projections/recall/document.js';
import { readView, type View } from '../../projections/view.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';

/** Keys of the memories that contradict this one and still stand: what was forgotten, archived or set aside contradicts nothing. */
export const openContradictions = (documents: ReadonlyMap<string, Document>, key: string): readonly string[] =>
  (documents.get(key)?.contradicts ?? []).filter((other) => documents.get(other)?.state === 'active');

/** The same as an item of an answer shows it; nothing when there are none. */
export const contradictionFields = (
  contradicts: readonly string[],
): { readonly contradictions?: number; readonly contradicts?: readonly string[] } =>
  contradicts.length === 0 ? {} : { contradictions: contradicts.length, contradicts };

export type OpenPairsInput = {
  /** Every name of one project; absent: the whole store. */
  readonly projects?: readonly string[] | undefined;
  readonly limit: number;
};

/** Pairs that nobody has settled and whose two memories are active, newest first, from the view that serves. */
export const openPairs = ({ redis, keys }: Pick<QueryParts, 'redis' | 'keys'>, input: OpenPairsInput): Promise<readonly OpenPair[]> =>
  unavailableWhenDown(() => readView(redis, keys, contradictions, (view: View) => readOpenPairs(view, input)));
