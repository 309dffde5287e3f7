import { unstorableInText } from '../../../domain/characters.js';
import { DomainError } from '../../../domain/errors.js';
import { withoutFraming } from '../../../domain/framing.js';
import { refuseSecrets } from '../secrets.js';

/** UTF-16 units of one part of a context. */
const MOST = 10_000;

/** A part of a context, without our own framing; it may be empty. Throws VALIDATION, TOO_LARGE. */
export const parseContextPart = (name: string, text: string, force: boolean): string => {
  const part = withoutFraming(text).trim();
  if (part.length > MOST)
    throw new DomainError(
      'TOO_LARGE',
      `${name} has ${part.length} characters, at most ${MOST} fit`,
      'Keep what matters now; remember the rest as memories of the project',
    );
  const bad = unstorableInText(part);
  if (bad)
    throw new DomainError('VALIDATION', `${name} holds ${bad.name} at position ${bad.position}`, 'Remove or escape it, then send again');
  if (!force) refuseSecrets(part, name);
  return part;
};

/** The same for a part that must say something. */
export const parseSaidPart = (name: string, text: string, force: boolean): string => {
  const part = parseContextPart(name, text, force);
  if (part === '') throw new DomainError('VALIDATION', `${name} is empty`, 'Say it in a sentence');
  return part;
};
