import type { Redis } from 'iovalkey';
import { ageOf } from '../../domain/age.js';
import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { isoTime } from '../../domain/iso-time.js';
import { type Cut, cutAtPlace, cutAtTime, millisOf } from '../../projections/history/cut.js';
import type { MergedEvents } from '../../projections/history/merged.js';
import type { Keys } from '../../projections/keys.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { isEventId, placeOfEvent } from './event-place.js';

/** A moment as a caller names it: a place in the log, an event that stands there, a time in epoch milliseconds, or milliseconds ago. */
export type When = { readonly place: Position } | { readonly event: string } | { readonly time: number } | { readonly ago: number };

/** By the server's clock in milliseconds, so that no month is taken for one. */
const PLACE = /^\d{12,16}-\d{1,16}$/;

/**
 * Reads `as_of`, for tools and the command line alike: a place in the log, the id of an event, an age, or an ISO date (its
 * first instant) or time, in UTC unless it names a zone. Else VALIDATION.
 */
export const parseWhen = (text: string): When => {
  const given = text.trim();
  if (PLACE.test(given)) return { place: given };
  if (isEventId(given)) return { event: given.toUpperCase() };
  const ago = ageOf(given);
  if (ago !== undefined) return { ago };
  const time = isoTime(given);
  if (time === undefined) {
    throw new DomainError(
      'VALIDATION',
      'as_of is neither a time, nor an age, nor a place in the log, nor the id of an event',
      'Write a time like 2026-11-03T14:30:00Z or 2026-11-03T15:30+01:00, a date like 2026-11-03, an age like 90s, 30m, 2h, 3d or 1w, a place in the log like 1793716200000-0 as a timeline shows it, or the id of an event like 01KB5M1V8G3X9Y2Z4W6Q7R8S9T as omnimem log --json shows it',
    );
  }
  return { time };
};

export type ResolverParts = { readonly redis: Redis; readonly keys: Keys; readonly merged: MergedEvents };

/** The events of a moment, and how many erasures there had been when they were found. */
export type Resolved = { readonly cut: Cut; readonly erasures: number };

/**
 * Finds which events a moment holds, mostly in one round trip. Times are those of the server. Throws VALIDATION for a moment
 * that has not passed: events could still come into it; NOT_FOUND for an event that is not in the log.
 */
export const resolveWhen = ({ redis, keys, merged }: ResolverParts, asked: When): Promise<Resolved> =>
  unavailableWhenDown(async () => {
    // One reading of the clock for what an age counts from and for what has passed; before all that is read here.
    const asking = clockOf(redis);
    const when = 'place' in asked || 'time' in asked ? asked : await fixed(redis, keys, asked, await asking);
    const end = 'place' in when ? when.place : String(Math.max(0, when.time));
    const [clock, head, upTo, erased] = await Promise.all([
      asking,
      lastUpTo(redis, keys, '+'),
      lastUpTo(redis, keys, end),
      redis.get(keys.erasures),
    ]);
    const erasures = Number(erased ?? 0);
    // The log never goes back, even where the server's clock does.
    const present = Math.max(clock, millisOf(head));

    if ('place' in when) {
      const time = millisOf(when.place);
      if (comparePositions(when.place, head) > 0 && time >= present) throw notPassed();
      return { cut: cutAtPlace(upTo, time), erasures };
    }
    if (when.time >= present) throw notPassed();
    return { cut: cutAtTime(upTo, when.time, await merged.all()), erasures };
  });

type Fixed = { readonly place: Position } | { readonly time: number };

/** An event by its place, an age by its time. */
const fixed = async (
  redis: Redis,
  keys: Keys,
  asked: { readonly event: string } | { readonly ago: number },
  clock: number,
): Promise<Fixed> => ('event' in asked ? { place: await placeOfEvent(redis, keys, asked.event) } : { time: clock - asked.ago });

/** Epoch milliseconds of the server. */
const clockOf = async (redis: Redis): Promise<number> => {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
};

const lastUpTo = async (redis: Redis, keys: Keys, end: string): Promise<Position> => {
  const [entry] = await redis.xrevrange(keys.log, end, '-', 'COUNT', 1);
  return entry?.[0] ?? ORIGIN;
};

const notPassed = (): DomainError =>
  new DomainError('VALIDATION', 'as_of has not passed yet', 'Name a moment in the past, by the clock of the server; leave it out for now');
