import { DomainError } from '../errors.js';
import { isMemoryKey } from '../memory/key.js';
import { LIMITS } from '../vocabulary.js';
import { projectKey } from './key.js';

const PERMITTED = /^[A-Za-z0-9_\-. ]+$/;
const DOTS_ONLY = /^[. ]*$/;

/** Outer blanks off, by hand: a pattern for the trailing ones is quadratic in a long run of blanks. Other white space is not trimmed. */
const trimBlanks = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
};

/**
 * A project's name. Outer blanks are trimmed and nothing else is changed: `My-Project` and `my-project` are two projects.
 * Throws VALIDATION, naming the permitted characters, for anything outside letters, digits, `_`, `-`, `.` and blank, for names of dots
 * only, and for more than 200 characters. A newline is refused wherever it stands.
 */
export const parseProjectName = (text: string): string => {
  const name = trimBlanks(text);
  const refuse = (problem: string): never => {
    throw new DomainError(
      'VALIDATION',
      `The project name ${problem}`,
      `Use 1 to ${LIMITS.project} characters of A-Z, a-z, 0-9, underscore, hyphen, dot and space, such as billing-api.`,
    );
  };
  if (name === '') return refuse('is empty; permitted are letters A-Z a-z, digits, _ - . and space');
  if (name.length > LIMITS.project)
    return refuse(`has ${name.length} characters; at most ${LIMITS.project} of A-Z a-z 0-9 _ - . and space fit`);
  if (!PERMITTED.test(name)) return refuse('holds a character that is not permitted; permitted are A-Z a-z 0-9 _ - . and space');
  if (DOTS_ONLY.test(name)) return refuse('consists of dots; permitted are A-Z a-z 0-9 _ - . and space, with one letter or digit at least');
  // A project and a memory of the namespace project share one key space.
  if (isMemoryKey(projectKey(name))) return refuse('reads as the key of a memory');
  return name;
};
