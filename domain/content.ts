import { foldCase, unstorableInLine, unstorableInText, withoutControls } from './characters.js';
import { DomainError } from './errors.js';
import { clip } from './passage.js';
import { LIMITS } from './vocabulary.js';

/** UTF-16 units of a query that are read, as many as a tool takes: every word and code of them is searched. */
export const QUERY_LENGTH = 10_000;

const INVISIBLE = /[\s\p{Cf}\p{Cc}]/gu;
const isBlank = (text: string): boolean => text.replace(INVISIBLE, '') === '';

/**
 * The text of a memory, returned byte for byte: CRLF, right-to-left marks, emoji and outer blanks stay.
 * Throws VALIDATION for a blank text, a control character but tab, LF and CR, or a lone surrogate (with its position), TOO_LARGE beyond 50,000
 * UTF-16 units.
 */
export const parseContent = (text: string): string => {
  if (text.length > LIMITS.content)
    throw new DomainError(
      'TOO_LARGE',
      `The content has ${text.length} characters, at most ${LIMITS.content} fit in one memory`,
      'Store the part that matters, or split it and call remember_document for each part.',
    );
  const bad = unstorableInText(text);
  if (bad)
    throw new DomainError(
      'VALIDATION',
      `The content holds ${bad.name} at position ${bad.position}`,
      'Remove or escape it, then send again.',
    );
  if (isBlank(text)) throw new DomainError('VALIDATION', 'The content is empty', 'Say what to remember in at least one word.');
  return text;
};

/**
 * The form in which two texts are exactly the same memory: Unicode NFC, case folded, white space runs one blank, trimmed.
 * NFC and not NFKC, so that `x²` and `x2` stay two texts. Idempotent.
 */
export const normalisedForIdentity = (text: string): string => foldCase(text.normalize('NFC')).replace(/\s+/gu, ' ').trim();

/** A topic to suppress: 1 to 200 characters after trimming, lower case, at least one letter, digit or emoji. Else throws VALIDATION. */
export const parseTopic = (text: string): string => {
  const topic = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\S\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const bad = unstorableInLine(topic);
  if (bad) throw new DomainError('VALIDATION', `The topic holds ${bad.name} at position ${bad.position}`, 'A topic is one line of words.');
  if (isBlank(topic)) throw new DomainError('VALIDATION', 'The topic is empty', 'Name a word or a phrase, such as kubernetes.');
  if (topic.length > LIMITS.topic)
    throw new DomainError('VALIDATION', `The topic has ${topic.length} characters, at most ${LIMITS.topic} fit`, 'Use a word or a phrase.');
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(topic))
    throw new DomainError('VALIDATION', 'The topic has no letter or digit, so it would match nothing', 'Name a word or a phrase.');
  return topic;
};

/** A query trimmed, its control characters blanked, cut at 10,000 UTF-16 units. A blank one throws VALIDATION: it must not match everything. */
export const parseQuery = (text: string): string => {
  const query = withoutControls(text).trim();
  if (isBlank(query)) throw new DomainError('VALIDATION', 'The query is empty', 'Ask in words, or name an identifier.');
  return clip(query, QUERY_LENGTH);
};
