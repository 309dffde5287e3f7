import { DomainError } from '../../domain/errors.js';
const NORM_TOLERANCE = 1e-3;
/** Cosine of two unit vectors of one length, which is their dot product. */
export const cosine = (a, b) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++)
        sum += (a[i] ?? 0) * (b[i] ?? 0);
    return sum;
};
/** What is wrong with a vector that should be a finite unit vector of `dimension` numbers, or undefined. */
export const faultOf = (vector, dimension) => {
    if (vector.length !== dimension)
        return `it has ${vector.length} numbers instead of ${dimension}`;
    const norm = Math.sqrt(cosine(vector, vector));
    if (!Number.isFinite(norm))
        return 'it holds a number that is not finite';
    if (Math.abs(norm - 1) > NORM_TOLERANCE)
        return `its length is ${norm.toFixed(4)} instead of 1`;
    return undefined;
};
/** Throws INTERNAL for a vector that an index must never meet: wrong length, NaN, infinite, or not of norm 1 within 1e-3. */
export const checkVector = (vector, dimension) => {
    const fault = faultOf(vector, dimension);
    if (fault === undefined)
        return;
    throw new DomainError('INTERNAL', `The embedding model gave a vector that cannot be used: ${fault}.`, 'Run `omnimem doctor`; a damaged model is mended by `omnimem model fetch`.');
};
//# sourceMappingURL=vectors.js.map