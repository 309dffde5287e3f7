import type { DomainEvent } from '../../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf } from '../../../domain/envelope.js';
import type { PlacedLog } from '../../../projections/history/bounded-log.js';
import type { LogReader } from '../../../projections/log-reader.js';

export type Entry = LogEntry<DomainEvent>;

/** A log in memory that answers at most `page` entries at once. */
export const fakeLog = (entries: readonly Entry[]): PlacedLog => ({
  logId: 'log',
  read: async (after, count) => entries.filter((entry) => comparePositions(positionOf(entry), after) > 0).slice(0, count),
  at: async (places) => places.flatMap((place) => entries.find((entry) => positionOf(entry) === place) ?? []),
  head: async () => undefined,
  erasures: async () => 0,
  holds: async () => true,
  waitForMore: async () => undefined,
});

/** Everything that a log gives, read as an index reads it: page after page until one is short. */
export const readToTheEnd = async (log: LogReader, count: number): Promise<readonly Entry[]> => {
  const read: Entry[] = [];
  for (let after: Position = ORIGIN; ; ) {
    const page = await log.read(after, count);
    read.push(...page);
    const last = page.at(-1);
    if (!last || page.length < count) return read;
    after = positionOf(last);
  }
};
