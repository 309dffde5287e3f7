import type { Position } from '../../../domain/envelope.js';
import { planBatch, rowsRead } from '../../../projections/batch.js';
import type { Degraded } from '../../../projections/dead-letter.js';
import type { Projection, Row, Write } from '../../../projections/projection.js';
import type { Entry } from './histories.js';

/** A view kept in memory: what the server's script does, in a few lines. */
export const emptyView = () => {
  const hashes = new Map<string, Map<string, string>>();
  const sets = new Map<string, Set<string>>();
  const write = (change: Write): void => {
    switch (change.op) {
      case 'set': {
        const fields = hashes.get(change.row) ?? new Map<string, string>();
        for (const [name, value] of Object.entries(change.fields)) {
          if (value === undefined) fields.delete(name);
          else fields.set(name, value);
        }
        if (fields.size > 0) hashes.set(change.row, fields);
        else hashes.delete(change.row);
        return;
      }
      case 'del':
        hashes.delete(change.row);
        sets.delete(change.row);
        return;
      case 'add':
        sets.set(change.row, (sets.get(change.row) ?? new Set()).add(change.member));
        return;
      case 'remove':
        sets.get(change.row)?.delete(change.member);
        if (sets.get(change.row)?.size === 0) sets.delete(change.row);
    }
  };
  return {
    write,
    row: (name: string): Row | undefined => {
      const fields = hashes.get(name);
      return fields && Object.fromEntries(fields);
    },
    /** Everything in it, in an order of its own. */
    contents: () => ({
      hashes: [...hashes].map(([row, fields]) => [row, [...fields].sort()] as const).sort(byName),
      sets: [...sets].map(([row, members]) => [row, [...members].sort()] as const).sort(byName),
    }),
  };
};

const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1);

/** Applies a log to an empty view in batches of `atOnce` entries, as the follower does. */
export const viewOf = (projection: Projection, log: readonly Entry[], atOnce = 7) => {
  const view = emptyView();
  const degraded = new Map<string, Degraded>();
  const condemned = new Set<Position>();
  for (let first = 0; first < log.length; first += atOnce) {
    const entries = log.slice(first, first + atOnce);
    const rows = new Map(rowsRead(projection, entries).flatMap((name) => entryOf(name, view.row(name))));
    const batch = planBatch({ projection, name: projection.name, generation: 1, degraded, condemned, rows, size: 1e9 }, entries);
    for (const change of batch.writes) view.write(change);
    for (const [subject, entry] of batch.degraded) degraded.set(subject, entry);
  }
  return { ...view.contents(), degraded };
};

const entryOf = (name: string, row: Row | undefined): readonly (readonly [string, Row])[] => (row ? [[name, row]] : []);
