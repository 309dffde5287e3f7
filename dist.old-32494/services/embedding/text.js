import { DomainError } from '../../domain/errors.js';
/** The tokenizer turns a word of more than 100 characters into one unknown token, whatever it says. */
const LONGEST_WORD = 96;
const TOO_LONG = new RegExp(`[\\p{L}\\p{N}\\p{M}_]{${LONGEST_WORD}}(?=[\\p{L}\\p{N}\\p{M}_])`, 'gu');
/** Text as the tokenizers can take it: no half of a surrogate pair, and no word so long that it would be dropped. */
export const prepareText = (text) => text.replace(/\p{Surrogate}/gu, '\ufffd').replace(TOO_LONG, '$& ');
/** Throws VALIDATION when a text has nothing in it to embed. */
export const refuseBlank = (texts) => {
    const blank = texts.findIndex((text) => text.trim() === '');
    if (blank < 0)
        return;
    throw new DomainError('VALIDATION', `Text ${blank + 1} of ${texts.length} is empty, so it has no meaning to embed.`, 'Leave empty texts out.');
};
//# sourceMappingURL=text.js.map