import { DomainError } from '../../../domain/errors.js';
import type { Call } from '../../api.js';
import type { CommandParts } from '../parts.js';

/** The version that the caller has read: the one named, else the newest that this session was shown. */
export const seenBy = ({ reads }: CommandParts, call: Call, subject: string, version: number | undefined): number | undefined =>
  version ?? reads.seen(call.session, subject);

/** Refuses a version that there is not yet: it cannot have been read. */
export const refuseFuture = (version: number | undefined, now: number): void => {
  if (version === undefined || version <= now) return;
  throw new DomainError(
    'VALIDATION',
    `There is no version ${version} of this project; it is at ${now}`,
    'Pass the version that get_project_context answered, or leave it out',
  );
};
