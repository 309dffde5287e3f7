import { unstorableInText } from '../../domain/characters.js';
import { DomainError } from '../../domain/errors.js';
import { withoutFraming } from '../../domain/framing.js';

const MAX_REASON = 2_000;
const MAX_HINTS = 20;
const MAX_HINT = 200;

/** Why something is done, trimmed, without our own framing. Throws VALIDATION for a blank one, one beyond 2,000 UTF-16 units, or one with control characters. */
export const parseReason = (text: string): string => parseNote('The reason', text, MAX_REASON, 'Say in a sentence why');

/** The same where no reason need be given: a blank one counts as none. */
export const parseOptionalReason = (text: string | undefined): string | undefined =>
  text === undefined || withoutFraming(text).trim() === '' ? undefined : parseReason(text);

/** Subjects that bring a memory back, trimmed, blank ones left out. Throws VALIDATION beyond 20, or 200 UTF-16 units each. */
export const parseHints = (hints: readonly string[]): string[] => {
  const given = [...new Set(hints.map((hint) => hint.trim()).filter((hint) => hint !== ''))];
  if (given.length > MAX_HINTS)
    throw new DomainError('VALIDATION', `There are ${given.length} reinstate_hints, at most ${MAX_HINTS} fit`, 'Keep the likeliest ones');
  return given.map((hint) => parseNote('A reinstate hint', hint, MAX_HINT, 'A hint is a word or a phrase'));
};

const parseNote = (what: string, text: string, most: number, hint: string): string => {
  const note = withoutFraming(text).trim();
  if (note === '' || note.length > most)
    throw new DomainError('VALIDATION', `${what} has ${note.length} characters; 1 to ${most} are allowed`, hint);
  const bad = unstorableInText(note);
  if (bad)
    throw new DomainError('VALIDATION', `${what} holds ${bad.name} at position ${bad.position}`, 'Remove or escape it, then send again');
  return note;
};
