import { createHash } from 'node:crypto';
import { DomainError } from '../../domain/errors.js';
import type { ModelIdentity, Thresholds } from './port.js';

const POOLINGS = ['mean', 'model'] as const;
/** How token vectors become one: `mean` over the attention mask, or `model` where the graph itself gives one vector a text. */
export type Pooling = (typeof POOLINGS)[number];

/** Raised when text is windowed or cleaned in another way: the same text then has other vectors. */
const PREPARATION = 1;

export type IdentityParts = {
  /** Starts the id; letters, digits and dashes. */
  readonly shortName: string;
  readonly name: string;
  readonly dtype: string;
  readonly dimension: number;
  readonly pooling: string;
  readonly graphSha256: string;
  readonly tokenizerSha256: string;
  readonly thresholds: Thresholds;
};

const isPooling = (pooling: string): pooling is Pooling => POOLINGS.some((known) => known === pooling);

/**
 * The identity of the space that these parts make, its id `<shortName>-<dtype>-<dimension>-<12 hex>`. Whatever changes a
 * vector changes the id. Throws VALIDATION for a pooling that is not known: a guess would give vectors that look right.
 */
export const modelIdentity = (parts: IdentityParts): ModelIdentity => {
  const { shortName, name, dtype, dimension, pooling, graphSha256, tokenizerSha256, thresholds } = parts;
  if (!isPooling(pooling)) {
    throw new DomainError('VALIDATION', `The pooling "${pooling}" of model ${name} is not known.`, `Use one of: ${POOLINGS.join(', ')}.`);
  }
  const facts = [graphSha256, tokenizerSha256, dtype, pooling, dimension, PREPARATION].join('\n');
  const hash = createHash('sha256').update(facts).digest('hex').slice(0, 12);
  return { id: `${shortName}-${dtype}-${dimension}-${hash}`, name, dimension, dtype, pooling, graphSha256, thresholds };
};
