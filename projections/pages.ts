import type { DomainEvent } from '../domain/catalogue.js';
import { type LogEntry, type Position, positionOf } from '../domain/envelope.js';

type Entries = readonly LogEntry<DomainEvent>[];
type Page = { readonly after: Position; readonly entries: Promise<Entries> };

export type Pages = {
  /** The page after a position: one that is on its way, or a fresh one. */
  readonly take: (after: Position) => Promise<Entries>;
  /** Drops what was read ahead. */
  readonly forget: () => void;
};

/**
 * Two pages ahead: a read takes two round trips, the second of which waits behind the script that applies the page before.
 * With one page ahead the server and this process would take turns.
 */
const DEPTH = 2;

/** Reads pages of `size` entries, the next ones while full pages are being worked on. */
export const createPages = (read: (after: Position, count: number) => Promise<Entries>, size: number): Pages => {
  let queue: Page[] = [];
  let newest: Page | undefined;

  const request = (after: Position): Page => {
    const entries = read(after, size);
    // A failure is met by whoever takes this page.
    entries.catch(() => undefined);
    newest = { after, entries };
    return newest;
  };

  const readAhead = (): void => {
    const page = newest;
    page?.entries.then(
      (entries) => {
        const last = entries.at(-1);
        if (page !== newest || queue.length >= DEPTH || entries.length < size || !last) return;
        queue.push(request(positionOf(last)));
        readAhead();
      },
      () => undefined,
    );
  };

  return {
    take: async (after) => {
      const waiting = queue.shift();
      const ahead = waiting?.after === after ? waiting : undefined;
      if (!ahead) queue = [];
      const page = ahead ?? request(after);
      readAhead();
      const entries = await page.entries;
      // The log ended there when it was read ahead, and may have grown since.
      return ahead && entries.length === 0 ? request(after).entries : entries;
    },
    forget: () => {
      queue = [];
      newest = undefined;
    },
  };
};
