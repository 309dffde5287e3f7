import { resolve } from 'node:path';
import { DomainError } from '../../domain/errors.js';

/** The folder, or file, that a person named. Throws VALIDATION for a blank, which would mean the folder one happens to be in. */
export const placeOf = (given: string, what: string): string => {
  if (given.trim() !== '') return resolve(given);
  throw new DomainError('VALIDATION', `${what} names nothing`, 'Name it; . is the folder you are in.');
};
