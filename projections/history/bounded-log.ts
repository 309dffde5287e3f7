import { setTimeout as sleep } from 'node:timers/promises';
import type { DomainEvent } from '../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf } from '../../domain/envelope.js';
import type { LogReader } from '../log-reader.js';
import { createPages } from '../pages.js';
import type { Cut } from './cut.js';
import type { Ledger } from './ledger.js';

type Entry = LogEntry<DomainEvent>;

/** A log that can also read single places. */
export type PlacedLog = LogReader & { readonly at: (places: readonly Position[]) => Promise<readonly Entry[]> };

const PAGE = 500;
const FOR_EVER_MS = 2 ** 31 - 1;

/**
 * The log as it was at a moment: it ends there, and nothing more comes. What is read is noted in the ledger, so it can be
 * read once only, from the beginning to the end. `onFailure` is told of a read that failed; there is no other try.
 */
export const boundedLog = (log: PlacedLog, cut: Cut, ledger: Ledger, onFailure: (error: unknown) => void): LogReader => {
  const entries = entriesOf(log, cut, ledger);
  const read = async (_after: Position, count: number): Promise<readonly Entry[]> => {
    const page: Entry[] = [];
    try {
      while (page.length < count) {
        const { value, done } = await entries.next();
        if (done) break;
        page.push(value);
      }
    } catch (error) {
      onFailure(error);
      throw error;
    }
    return page;
  };
  const waitForMore: LogReader['waitForMore'] = (_after, _timeoutMs, signal) =>
    sleep(FOR_EVER_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return { ...log, read, waitForMore };
};

/** Every entry that counts at a moment, oldest first, noted in the ledger as it is read. */
export async function* entriesOf(log: PlacedLog, { upTo, notIn, alsoIn }: Cut, ledger: Ledger): AsyncGenerator<Entry, void> {
  const pages = createPages(log.read, PAGE);
  for (let from = ORIGIN; comparePositions(from, upTo) < 0; ) {
    const page = await pages.take(from);
    const last = page.at(-1);
    if (!last) break;
    for (const entry of page) {
      const place = positionOf(entry);
      if (comparePositions(place, upTo) <= 0 && !notIn.has(place) && ledger.note(entry)) yield entry;
    }
    from = positionOf(last);
  }
  for (let first = 0; first < alsoIn.length; first += PAGE) {
    // Which model served elsewhere says nothing of this store.
    for (const entry of await log.at(alsoIn.slice(first, first + PAGE))) if (!namesModel(entry) && ledger.note(entry)) yield entry;
  }
}

const namesModel = (entry: Entry): boolean => entry.kind === 'event' && entry.event.type === 'EmbeddingModelChanged';
