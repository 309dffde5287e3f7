import { comparePositions, type Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';

/** Where a restore stops: the last entry at or before it is still restored. */
export type Until =
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'position'; readonly position: Position }
  | { readonly kind: 'event'; readonly id: string };

/** A time (ISO, UTC unless it names a zone), a place in the log, or the ULID of an event. Throws VALIDATION, also for a moment to come. */
export const parseUntil = (text: string, now = Date.now()): Until => {
  const given = text.trim();
  if (/^\d+-\d+$/.test(given)) {
    if (Number(given.split('-')[0]) > now) throw notPassed();
    return { kind: 'position', position: given };
  }
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(given)) return { kind: 'event', id: given.toUpperCase() };
  const zoned = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(given) ? `${given.replace(' ', 'T')}Z` : given;
  const at = /^\d{4}-\d\d-\d\d/.test(zoned) ? Date.parse(zoned) : Number.NaN;
  if (at > now) throw notPassed();
  if (!Number.isNaN(at)) return { kind: 'time', at };
  throw new DomainError(
    'VALIDATION',
    `${JSON.stringify(given.slice(0, 60))} is no time and no place in the log`,
    'Give 2026-05-03, 2026-05-03T12:00Z, a stream id such as 1777809600000-0, or the ULID of an event.',
  );
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
