import fc from 'fast-check';

/**
 * Chance in the tests is the same at every run, so that a tree that passed passes again. `TEST_SEED=7 npm test` draws other
 * cases and other moments to kill at, and `TEST_RUNS=5000` that many cases of each property without a number of its own.
 */
export const TEST_SEED = Number(process.env.TEST_SEED ?? 1);

const { TEST_RUNS } = process.env;
fc.configureGlobal({ seed: TEST_SEED, ...(TEST_RUNS !== undefined && { numRuns: Number(TEST_RUNS) }) });
