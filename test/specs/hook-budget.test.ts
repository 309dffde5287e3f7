import { describe, expect, it } from 'vitest';

const path = '../../integrations/claude-code/hooks/lib/hook.mjs';
const { BUDGET_MS, budgetFrom } = (await import(path)) as {
  readonly BUDGET_MS: number;
  readonly budgetFrom: (setting: string | undefined) => number;
};

describe('the time limit of a hook', () => {
  it.each([undefined, '', 'soon', '0', '-5', '60001', '2147483648', '1e999', 'Infinity', '-Infinity', 'NaN'])(
    'is the default where the setting is %j',
    (setting) => expect(budgetFrom(setting)).toBe(BUDGET_MS),
  );
  it.each(['1', '20000', '60000'])('is that of the setting %j', (setting) => expect(budgetFrom(setting)).toBe(Number(setting)));
});
