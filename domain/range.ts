import { DomainError } from './errors.js';

/** Whole numbers from `min` to `max`, both included. */
export type Range = { readonly min: number; readonly max: number };

/**
 * A whole number of the range: what is above it counts as its end. Throws VALIDATION below it, since nobody who asks for
 * less than the least can mean what would be done.
 */
export const withinRange = (name: string, value: number, { min, max }: Range): number => {
  const whole = Math.trunc(value);
  if (whole >= min) return Math.min(max, whole);
  const range = Number.isSafeInteger(max) ? `from ${min} to ${max}` : `${min} or more`;
  throw new DomainError('VALIDATION', `${name} must be ${range}`, 'Leave it out for the default');
};

/** How much may be asked for at once. */
export const RANGES = {
  topK: { min: 1, max: 50 },
  snippetLength: { min: 50, max: 500 },
  auditLimit: { min: 1, max: 500 },
  knowledgeDays: { min: 1, max: 365 },
  knowledgeLimit: { min: 1, max: 50 },
} as const satisfies Readonly<Record<string, Range>>;

/** Throws VALIDATION when a range of times ends before it begins; `first` and `last` name its two ends to the caller. */
export const refuseReversed = (from: number, to: number, first: string, last: string): void => {
  if (from <= to) return;
  throw new DomainError(
    'VALIDATION',
    `${first} is later than ${last}, so nothing lies between them`,
    'Exchange the two; an age such as 2h is earlier than 1h',
  );
};
