import { isDomainError } from '../../domain/errors.js';
/**
 * Text and structured content say the same: some hosts show a model only the one, some only the other. The text is one long
 * line, because one host cuts by lines.
 */
export const resultOf = (answer, text = JSON.stringify) => ({
    content: [{ type: 'text', text: text(answer) }],
    structuredContent: { ...answer },
});
/** A refusal that reaches the model: code to branch on, message, and what to do next. */
export const errorResultOf = ({ code, message, hint }) => ({
    ...resultOf({ error: { code, message, ...(hint && { hint }) } }),
    isError: true,
});
/** What a caller may know of any error: a fault of ours tells no details, the log has them. */
export const refusalOf = (error) => isDomainError(error)
    ? error
    : {
        code: 'INTERNAL',
        message: 'Something failed inside the server',
        hint: 'Call health; the server log has the details. Trying again may help.',
    };
//# sourceMappingURL=result.js.map