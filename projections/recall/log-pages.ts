import type { DomainEvent } from '../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf, subjectOf } from '../../domain/envelope.js';
import type { LogReader } from '../log-reader.js';
import { setsText } from './document.js';

/** The entries of these subjects from the beginning of the log up to a position, page by page. */
export async function* entriesOf(
  log: Pick<LogReader, 'read'>,
  subjects: ReadonlySet<string>,
  end: Position,
  size: number,
): AsyncGenerator<readonly LogEntry<DomainEvent>[]> {
  for (let from: Position = ORIGIN; comparePositions(from, end) < 0; ) {
    const page = await log.read(from, size);
    const last = page.at(-1);
    if (!last) return;
    from = positionOf(last);
    yield page.filter((entry) => comparePositions(positionOf(entry), end) <= 0 && subjects.has(subjectOf(entry) ?? ''));
  }
}

/** Whose vectors a page needs, since it sets their text. */
export const subjectsWithText = (page: readonly LogEntry<DomainEvent>[]): readonly string[] => [
  ...new Set(page.flatMap((entry) => (entry.kind === 'event' && setsText(entry.event) ? [entry.event.envelope.subject] : []))),
];
