const lastCut = (from, to, atLeast, qualityAt) => {
    for (let i = to; i > from; i--)
        if (qualityAt(i) >= atLeast)
            return i;
    return undefined;
};
const firstCut = (from, to, qualityAt) => {
    for (let i = from; i < to; i++)
        if (qualityAt(i) >= 1)
            return i;
    return from;
};
/**
 * Spans over `count` tokens, in order, that together hold every token. A window ends at a sentence when one ends in its
 * last third, else between words when it can, else where it is full.
 */
export const windowSpans = (count, { size, overlap }, qualityAt) => {
    const spans = [];
    let start = 0;
    while (count - start > size) {
        const full = start + size;
        const worthwhile = start + Math.ceil((size * 2) / 3);
        const end = lastCut(worthwhile, full, 2, qualityAt) ?? lastCut(worthwhile, full, 1, qualityAt) ?? full;
        spans.push({ start, end });
        start = firstCut(end - overlap, end, qualityAt);
    }
    spans.push({ start, end: count });
    return spans;
};
//# sourceMappingURL=windows.js.map