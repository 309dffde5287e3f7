import { InvalidArgumentError } from 'commander';
import { ageOf } from '../../domain/age.js';
import { isoTime } from '../../domain/iso-time.js';

/** For commander: a whole number of at least `min`. */
export const wholeNumber =
  (min: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text.trim()) && value >= min) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${min} or more.`);
  };

/** Epoch milliseconds of an ISO date or time (UTC unless it names a zone), or of so long ago: `90s`, `30m`, `2h`, `3d`, `1w`. */
export const whenOf = (text: string, now: number = Date.now()): number => {
  const age = ageOf(text);
  const at = age === undefined ? isoTime(text) : now - age;
  if (at !== undefined) return at;
  throw new InvalidArgumentError('It must be an ISO date or time such as 2026-11-30T12:00Z, or an age such as 30m, 2h, 3d or 1w.');
};
