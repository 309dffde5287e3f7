import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.js';

export type Options = {
  readonly help: boolean;
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly sizes: readonly number[];
  readonly out: string;
};

const FULL_SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [1_000, 10_000];

/** Throws TypeError, with the reason, for arguments that make no sense. */
export const parseOptions = (args: readonly string[], scenarios: readonly Scenario[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      sizes: { type: 'string' },
      out: { type: 'string', default: 'bench-results' },
    },
  });
  const only = values.only.flatMap((names) => names.split(','));
  const unknown = only.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new TypeError(`There is no scenario ${unknown}. Scenarios: ${scenarios.map(({ name }) => name).join(', ')}`);
  }
  const sizes = values.sizes?.split(',').map((size) => Number(size.replace(/k$/, '000')));
  if (sizes?.some((size) => !Number.isInteger(size) || size < 100)) {
    throw new TypeError('--sizes takes whole numbers from 100 up, such as 1000,10k');
  }
  return { help: values.help, quick: values.quick, only, sizes: sizes ?? (values.quick ? QUICK_SIZES : FULL_SIZES), out: values.out };
};

export const helpText = (
  scenarios: readonly Scenario[],
): string => `Usage: npm run bench -- [--quick] [--only <scenario>]... [--sizes 1000,10k] [--out <folder>]

Measures the product against what the machine can do, both in the same run, and prints a table. The same figures go to
<folder>/<time>-<mode>.json (default bench-results). --quick takes about a minute and leaves out the largest store.

Scenarios:
${scenarios.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}

Exit codes: 0 every target that was measured is met, 1 a scenario broke, 2 wrong arguments, 3 a target was missed.`;
