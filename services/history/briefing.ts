import type { Call } from '../api.js';
import { BRIEFED } from '../queries/briefing/sections.js';
import type { BriefingSources } from '../queries/briefing/sources.js';
import type { QueryParts } from '../queries/parts.js';
import { filedRow } from '../queries/rows.js';
import { askEarlier, type Earlier } from './as-of.js';

/** A briefing of an earlier moment, from the views as they were then. */
export const earlierSources = <T>(
  parts: QueryParts,
  asOf: string,
  call: Call,
  brief: (sources: BriefingSources) => Promise<T>,
): Promise<Earlier<T>> =>
  askEarlier(parts, asOf, call, async (then, moment) => {
    const views = await moment.views(BRIEFED);
    return brief({
      view: async ({ name }, read) => {
        const view = views.get(name);
        if (!view) throw new Error(`a briefing asked for the view ${name}, which is not among its own`);
        return read(view);
      },
      rows: async (keys) => new Map([...(await moment.rows(keys))].map(([key, row]) => [key, filedRow(then, row)])),
      projects: then.index.projects,
      suppressed: then.index.suppressed,
      now: moment.cut.time,
    });
  });
