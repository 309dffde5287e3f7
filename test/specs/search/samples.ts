import type { Facets } from '../../../projections/search/ports.js';

export const facets = (changes: Partial<Facets> = {}): Facets => ({
  namespace: 'episodic',
  state: 'active',
  project: 'atlas',
  licence: 'own',
  createdAt: 1_000,
  ...changes,
});

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export const generator = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

export const unit = (values: readonly number[]): Float32Array => {
  const norm = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / norm);
};

export const randomUnit = (dimension: number, random: () => number): Float32Array =>
  unit(Array.from({ length: dimension }, () => random() + random() + random() - 1.5));

/** Points around a few centres, as sentence vectors are. */
export const clusteredUnits = (count: number, dimension: number, random: () => number): Float32Array[] => {
  const centres = Array.from({ length: Math.ceil(count / 25) }, () => randomUnit(dimension, random));
  return Array.from({ length: count }, (_, i) => {
    const away = randomUnit(dimension, random);
    return unit([...(centres[i % centres.length] as Float32Array)].map((value, j) => value + 0.6 * (away[j] as number)));
  });
};

/** Rounded cosine, computed apart from the code under test. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return Math.round(sum * 1e6) / 1e6;
};
