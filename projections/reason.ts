import { isDomainError } from '../domain/errors.js';

/** An error as it may be logged: our own words, or the kind and code of anything else. */
export const reasonOf = (error: unknown): string => {
  if (isDomainError(error)) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as NodeJS.ErrnoException;
  return code ?? /^[A-Z]{3,}/.exec(error.message)?.[0] ?? error.name;
};
