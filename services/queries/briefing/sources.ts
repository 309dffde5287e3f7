import type { ProjectDirectory } from '../../../domain/project/directory.js';
import type { TopicMatcher } from '../../../domain/suppression.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Projection } from '../../../projections/projection.js';
import { readView, type View } from '../../../projections/view.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { QueryParts } from '../parts.js';
import { rowsOf } from '../rows.js';

/** All that a briefing is gathered from: the views of now, or of an earlier moment. */
export type BriefingSources = {
  readonly view: <T>(projection: Projection, read: (view: View) => Promise<T>) => Promise<T>;
  /** Memories and contexts by key, under the names that their projects count as; those that are gone are left out. */
  readonly rows: (keys: readonly string[]) => Promise<ReadonlyMap<string, MemoryRow>>;
  readonly projects: ProjectDirectory;
  readonly suppressed: { readonly topics: ReadonlyMap<string, string | undefined>; readonly matches: TopicMatcher };
  /** Epoch milliseconds. */
  readonly now: number;
};

export const presentSources = (parts: QueryParts): BriefingSources => ({
  view: (projection, read) => unavailableWhenDown(() => readView(parts.redis, parts.keys, projection, read)),
  rows: (keys) => rowsOf(parts, keys),
  projects: parts.index.projects,
  suppressed: parts.index.suppressed,
  now: parts.now(),
});
