import type { Projection } from '../../projections/projection.js';
import type { Call } from '../api.js';
import type { BriefingSources } from '../queries/briefing/sources.js';
import type { QueryParts } from '../queries/parts.js';
import { filedRow } from '../queries/rows.js';
import { askEarlier, type Earlier } from './as-of.js';

/** Answers from these views and the memories as they were at an earlier moment. */
export const earlierSources = <T>(
  parts: QueryParts,
  asOf: string,
  call: Call,
  read: readonly Projection[],
  answer: (sources: BriefingSources) => Promise<T>,
): Promise<Earlier<T>> =>
  askEarlier(parts, asOf, call, async (then, moment) => {
    const views = await moment.views(read);
    return answer({
      view: async ({ name }, read) => {
        const view = views.get(name);
        if (!view) throw new Error(`the view ${name} of an earlier moment was not made`);
        return read(view);
      },
      rows: async (keys) => new Map([...(await moment.rows(keys))].map(([key, row]) => [key, filedRow(then, row)])),
      projects: then.index.projects,
      suppressed: then.index.suppressed,
      now: moment.cut.time,
    });
  });
