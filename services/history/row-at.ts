import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry } from '../../domain/envelope.js';
import { ProjectDirectory } from '../../domain/project/directory.js';
import { projectKey } from '../../domain/project/key.js';
import { withServing } from '../../projections/generation.js';
import { type Cut, covers } from '../../projections/history/cut.js';
import { foldRow } from '../../projections/history/fold.js';
import { type MemoryRow, toMemory } from '../../projections/memories.js';
import { readTimeline, timeline } from '../../projections/timeline.js';
import type { QueryParts } from '../queries/parts.js';
import { unavailableWhenDown } from '../valkey/errors.js';

/** What decides which name a project counts as. */
const NAMING: ReadonlySet<string> = new Set(['ProjectsMerged', 'ProjectDeleted'] satisfies readonly DomainEvent['type'][]);

/** A memory of an earlier moment from its events up to there, under the name that its project counted as then. */
export const rowAt = async (
  parts: Pick<QueryParts, 'redis' | 'keys' | 'log'>,
  cut: Cut,
  key: string,
  entries: readonly LogEntry<DomainEvent>[],
): Promise<MemoryRow | undefined> => {
  const row = toMemory(key, foldRow(entries));
  return row?.project === undefined ? row : { ...row, project: await canonicalAt(parts, cut, row.project) };
};

/** The name that a project counted as at a moment, from its own history and that of what it was merged into: no log is replayed. */
const canonicalAt = async ({ redis, keys, log }: Pick<QueryParts, 'redis' | 'keys' | 'log'>, cut: Cut, name: string): Promise<string> => {
  const directory = new ProjectDirectory();
  const read = new Set<string>();
  for (let last = name; !read.has(last); last = directory.chainOf(name).at(-1) ?? last) {
    read.add(last);
    const lines = await unavailableWhenDown(() =>
      withServing(redis, keys, timeline.name, (generation) => readTimeline(redis, keys, generation, projectKey(last))),
    );
    const naming = lines.filter(({ type, position }) => NAMING.has(type) && covers(cut, position));
    for (const entry of await log.at(naming.map(({ position }) => position)))
      if (entry.kind === 'event') directory.apply(last, entry.event);
  }
  return directory.canonical(name);
};
