/**
 * The first batch of `pieces`, which are sorted longest first: as many as fit when each is padded to the length of the
 * first. Never empty unless `pieces` is.
 */
export const firstBatch = (pieces, limits) => {
    const padded = Math.max(1, pieces[0]?.tokens ?? 1);
    const fitting = Math.max(1, Math.min(limits.windows, Math.floor(limits.tokens / padded)));
    return pieces.slice(0, fitting);
};
//# sourceMappingURL=batches.js.map