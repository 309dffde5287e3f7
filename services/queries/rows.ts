import { type MemoryRow, readServingMemories } from '../../projections/memories.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import type { RankedHit, RankParts, Searched } from './rank.js';

/** Of what fell short of a match, so many are named. */
export const NEAREST_SHOWN = 2;

export type Shown = { readonly hit: RankedHit; readonly row: MemoryRow };

/** Memories by key from the serving view, as they were written; those that are not there are left out. */
export const storedRows = (
  { redis, keys }: Pick<QueryParts, 'redis' | 'keys'>,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, MemoryRow>> => unavailableWhenDown(() => readServingMemories(redis, keys, wanted));

/** The same, each under the name that its project counts as. */
export const rowsOf = async (
  parts: Pick<QueryParts, 'redis' | 'keys'> & { readonly index: Pick<Searched, 'projects'> },
  wanted: readonly string[],
): Promise<ReadonlyMap<string, MemoryRow>> => {
  const rows = await storedRows(parts, wanted);
  return new Map([...rows].map(([key, row]) => [key, filedRow(parts, row)]));
};

/** A row under the name that its project counts as. */
export const filedRow = ({ index }: { readonly index: Pick<Searched, 'projects'> }, row: MemoryRow): MemoryRow => {
  const project = row.project === undefined ? undefined : index.projects.canonical(row.project);
  return project === row.project ? row : { ...row, project };
};

/** The first `count` hits that still have a row and speak of no suppressed topic, with their rows. */
export const showable = async (
  parts: RankParts,
  hits: readonly RankedHit[],
  count: number,
  read: (wanted: readonly string[]) => ReturnType<typeof rowsOf> = (wanted) => rowsOf(parts, wanted),
): Promise<readonly Shown[]> => {
  const { matches, topics } = parts.index.suppressed;
  const shown: Shown[] = [];
  let from = 0;
  while (shown.length < count && from < hits.length) {
    // Without suppressions the first page is nearly always enough.
    const page = hits.slice(from, from + (topics.size > 0 ? 2 * count : count - shown.length));
    from += page.length;
    const rows = await read(page.map(({ key }) => key));
    for (const hit of page) {
      const row = rows.get(hit.key);
      if (row && shown.length < count && matches(row.content) === undefined) shown.push({ hit, row: filedRow(parts, row) });
    }
  }
  return shown;
};
