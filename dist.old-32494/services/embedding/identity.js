import { createHash } from 'node:crypto';
import { DomainError } from '../../domain/errors.js';
const POOLINGS = ['mean', 'model'];
/** Raised when text is windowed or cleaned in another way: the same text then has other vectors. */
const PREPARATION = 1;
const isPooling = (pooling) => POOLINGS.some((known) => known === pooling);
/**
 * The identity of the space that these parts make, its id `<shortName>-<dtype>-<dimension>-<12 hex>`. Whatever changes a
 * vector changes the id. Throws VALIDATION for a pooling that is not known: a guess would give vectors that look right.
 */
export const modelIdentity = (parts) => {
    const { shortName, name, dtype, dimension, pooling, graphSha256, tokenizerSha256, thresholds } = parts;
    if (!isPooling(pooling)) {
        throw new DomainError('VALIDATION', `The pooling "${pooling}" of model ${name} is not known.`, `Use one of: ${POOLINGS.join(', ')}.`);
    }
    const facts = [graphSha256, tokenizerSha256, dtype, pooling, dimension, PREPARATION].join('\n');
    const hash = createHash('sha256').update(facts).digest('hex').slice(0, 12);
    return { id: `${shortName}-${dtype}-${dimension}-${hash}`, name, dimension, dtype, pooling, graphSha256, thresholds };
};
//# sourceMappingURL=identity.js.map