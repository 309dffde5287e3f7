import { DomainError } from '../../domain/errors.js';

const NORM_TOLERANCE = 1e-2;

/** Throws VALIDATION for anything but a unit vector of this many numbers: a NaN would come back as everybody's nearest. */
export const assertUnit = (vector: Float32Array, dimension: number): void => {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2;
  const unit = Math.abs(Math.sqrt(square) - 1) <= NORM_TOLERANCE;
  if (vector.length === dimension && unit) return;
  throw new DomainError(
    'VALIDATION',
    `Not a unit vector of ${dimension} numbers: it has ${vector.length} and the norm ${Math.sqrt(square)}`,
    'Embed the text again with the model of this index',
  );
};
