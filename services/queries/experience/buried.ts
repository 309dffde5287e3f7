import { burials } from '../../../projections/graveyard.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Scope } from '../../../projections/scope.js';
import type { View } from '../../../projections/view.js';
import type { ExperienceSummaryResult } from '../../api.js';

export type TextOfDeadEnd = ExperienceSummaryResult['graveyard'][number];

const PAGE = 200;

/**
 * The newest dead ends of the scopes, each lower-cased name once, and whether there are older ones. A name that was met
 * again counts with its last time.
 */
export const newestDeadEnds = async (
  view: View,
  scopes: readonly Scope[],
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, MemoryRow>>,
  limit: number,
): Promise<{ readonly shown: readonly TextOfDeadEnd[]; readonly more: boolean }> => {
  const shown = new Map<string, TextOfDeadEnd>();
  for (let offset = 0; ; offset += PAGE) {
    const page = (await burials(view, scopes, { limit: offset + PAGE })).slice(offset);
    const rows = await read([...new Set(page.map(({ key }) => key))]);
    for (const { key, attempted_at } of page) {
      const row = rows.get(key);
      for (const approach of row?.abandoned_approaches ?? []) {
        const name = approach.name.toLowerCase();
        if (!row || approach.attempted_at !== attempted_at || shown.has(name)) continue;
        if (shown.size === limit) return { shown: [...shown.values()], more: true };
        const { effort_score, project } = row;
        shown.set(name, {
          ...approach,
          key,
          ...(effort_score !== undefined && { effort_score }),
          ...(project !== undefined && { project }),
        });
      }
    }
    if (page.length < PAGE) return { shown: [...shown.values()], more: false };
  }
};
