import { estimateTokens } from '../../domain/budget.js';
const SHORTEST = 64;
const LONGEST = 100_000;
/**
 * The answer, or a shorter one of at most `maxTokens`, always whole JSON: first whole entries of its list go, then long
 * texts are cut at a character boundary and say so, and as the last resort only its plain fields are left.
 */
export const withinCeiling = (answer, maxTokens, { cut, text } = {}) => {
    const fits = (candidate) => estimateTokens(JSON.stringify(candidate)) <= maxTokens && (text === undefined || estimateTokens(text(candidate)) <= maxTokens);
    if (fits(answer))
        return answer;
    const shorter = cut ? withFewerEntries(answer, cut, fits) : answer;
    if (fits(shorter))
        return shorter;
    const limit = largest(SHORTEST, LONGEST, (length) => fits(withShortTexts(shorter, length)));
    const clipped = withShortTexts(shorter, limit ?? SHORTEST);
    return limit === undefined && !fits(clipped) ? onlyPlainFields(answer) : clipped;
};
const withFewerEntries = (answer, { list, from, say }, fits) => {
    const fields = answer;
    const entries = fields[list];
    if (!Array.isArray(entries) || entries.length === 0)
        return answer;
    const keeping = (count) => {
        const gone = entries.length - count;
        const [kept, dropped] = from === 'end' ? [entries.slice(0, count), entries.slice(count)] : [entries.slice(gone), entries.slice(0, gone)];
        return { ...fields, [list]: kept, ...(dropped.length > 0 && say(fields, dropped)) };
    };
    return keeping(largest(1, entries.length, (count) => fits(keeping(count))) ?? 1);
};
const withShortTexts = (value, length) => {
    if (typeof value === 'string')
        return value.length <= length ? value : `${wholeCharacters(value, length)}… [cut: ${value.length} characters in all]`;
    if (Array.isArray(value))
        return value.map((item) => withShortTexts(item, length));
    if (typeof value !== 'object' || value === null)
        return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withShortTexts(inner, length)]));
};
/** The first `length` code units, never half a surrogate pair. */
const wholeCharacters = (text, length) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
const onlyPlainFields = (answer) => {
    const plain = Object.entries(answer).filter(([, value]) => typeof value !== 'object' && String(value).length <= 200);
    return {
        ...Object.fromEntries(plain),
        cut: { note: 'The rest of this answer is longer than MCP_MAX_RESPONSE_TOKENS allows. Ask for fewer entries at once.' },
    };
};
/** The largest whole number of the range that passes; `undefined` when none does. Passing must be monotone. */
const largest = (from, to, passes) => {
    let best;
    for (let low = from, high = to; low <= high;) {
        const middle = (low + high) >> 1;
        if (passes(middle)) {
            best = middle;
            low = middle + 1;
        }
        else
            high = middle - 1;
    }
    return best;
};
//# sourceMappingURL=ceiling.js.map