import { ageOf } from '../../domain/age.js';
import { comparePositions, type Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { isoTime } from '../../domain/iso-time.js';
import { isEventId } from '../history/event-place.js';

/** Where a restore stops: the last entry at or before it is still restored. */
export type Until =
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'position'; readonly position: Position }
  | { readonly kind: 'event'; readonly id: string };

/** By the server's clock in milliseconds, so that no month is taken for one. */
const PLACE = /^\d{12,16}-\d{1,16}$/;

/**
 * A date (its first instant) or time (ISO, UTC unless it names a zone), an age, a place in the log, or the ULID of an event,
 * read as `as_of` is. Throws VALIDATION, also for a moment to come.
 */
export const parseUntil = (text: string, now = Date.now()): Until => {
  const given = text.trim();
  if (PLACE.test(given)) {
    if (Number(given.split('-')[0]) > now) throw notPassed();
    return { kind: 'position', position: given };
  }
  if (isEventId(given)) return { kind: 'event', id: given.toUpperCase() };
  const ago = ageOf(given);
  const at = ago === undefined ? isoTime(given) : now - ago;
  if (at === undefined) {
    throw new DomainError(
      'VALIDATION',
      `${JSON.stringify(given.slice(0, 60))} is no time, no age and no place in the log`,
      'Give 2026-05-03, 2026-05-03T12:00Z, an age such as 2h or 3d, a stream id such as 1777809600000-0, or the ULID of an event.',
    );
  }
  if (at > now) throw notPassed();
  return { kind: 'time', at };
};

const notPassed = (): DomainError =>
  new DomainError(
    'VALIDATION',
    'The moment to restore has not passed yet',
    'Name a moment in the past; leave until out for all of the backup.',
  );

/** Whether an entry is still before the end. The server's time, in the entry's place, decides, never the command's clock. */
export const isWithin = (until: Until | undefined, position: Position, passed: boolean): boolean => {
  if (!until) return true;
  switch (until.kind) {
    case 'time':
      return Number(position.split('-')[0]) <= until.at;
    case 'position':
      return comparePositions(position, until.position) <= 0;
    case 'event':
      return !passed;
  }
};
