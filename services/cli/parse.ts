import { InvalidArgumentError } from 'commander';
import { isoTime } from '../../domain/iso-time.js';

/** For commander: a whole number of at least `min`. */
export const wholeNumber =
  (min: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text.trim()) && value >= min) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${min} or more.`);
  };

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Epoch milliseconds of an ISO date or time (UTC unless it names a zone), or of so long ago: `90s`, `30m`, `2h`, `3d`, `1w`. */
export const whenOf = (text: string, now: number = Date.now()): number => {
  const [, count, unit] = /^(\d+)\s*([smhdw])$/.exec(text.trim()) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const at = isoTime(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError('It must be an ISO date or time such as 2026-11-30T12:00Z, or an age such as 30m, 2h, 3d or 1w.');
};
