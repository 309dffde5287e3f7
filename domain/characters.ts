import { foldAccents } from './text/fold.js';

/** Character rules that several validations share. Positions are UTF-16 offsets. */

export type BadCharacter = { readonly position: number; readonly name: string };

const KEPT_CONTROLS = new Set(['\t', '\n', '\r']);
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
const LONE_SURROGATE = /\p{Cs}/u;

/** Writing systems without blanks between words, and Hangul, whose particles stick to the word. */
export const UNSPACED_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const codeName = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * The first character that a text may not be stored with: a lone surrogate (it has no UTF-8 form), or a C0 control.
 * Tab, line feed and carriage return pass. Right-to-left marks, emoji and C1 controls pass, as they are.
 */
export const unstorableInText = (text: string): BadCharacter | undefined => {
  const surrogate = LONE_SURROGATE.exec(text);
  for (let position = 0; position < text.length; position++) {
    if (surrogate?.index === position) return { position, name: `a lone surrogate (${codeName(surrogate[0])})` };
    const code = text.charCodeAt(position);
    if (code >= 0x20 || KEPT_CONTROLS.has(text.charAt(position))) continue;
    return { position, name: code === 0 ? 'a NUL character (U+0000)' : `a control character (${codeName(text.charAt(position))})` };
  }
  return undefined;
};

/** As `unstorableInText` for a value of one line: every control character and line separator counts. */
export const unstorableInLine = (text: string): BadCharacter | undefined => {
  const surrogate = LONE_SURROGATE.exec(text);
  const position = text.search(CONTROL);
  if (surrogate && (position < 0 || surrogate.index < position))
    return { position: surrogate.index, name: `a lone surrogate (${codeName(surrogate[0])})` };
  return position < 0 ? undefined : { position, name: `a control character (${codeName(text.charAt(position))})` };
};

/** Control characters become blanks and lone surrogates U+FFFD: for text that is searched with and never stored. */
export const withoutControls = (text: string): string => text.replace(CONTROL, ' ').replace(/\p{Cs}/gu, '\uFFFD');

/** A name on one line: each control character, line separator and lone surrogate as its escape (`\u000a`). */
export const escapedControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (bad) => `\\u${bad.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Unicode case folding, close enough: `ß`, `ẞ` and `SS` meet, final sigma meets sigma, the Turkish dotless i stays apart.
 * Lower case comes first for `ẞ`, which is upper case already and would become `ß`.
 */
export const foldCase = (text: string): string =>
  text.replace(/[^ı]+/gu, (run) => run.toLowerCase().toUpperCase().toLowerCase()).normalize('NFC');

/** Case, accents and width folded, white space collapsed: the form in which words are compared, never stored. */
export const foldForMatching = (text: string): string => foldCase(foldAccents(text)).replace(/\s+/gu, ' ').trim();
