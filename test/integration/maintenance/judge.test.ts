import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Model, ModelError, type ModelErrorCode } from '../../../services/llm/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { readEvents } from '../../support/eventlog.js';

/** A model that confirms what speaks of a birch, and fails when it is told to. */
const asked: string[] = [];
let fails: ModelErrorCode | undefined;
const model: Model = {
  complete: async ({ prompt, schema }) => {
    asked.push(prompt);
    if (fails) throw new ModelError(fails, 'it fails for a test');
    const verdict = { is_contradiction: prompt.includes('birch'), confidence: 0.9, explanation: 'Both speak of the birch.' };
    return { text: JSON.stringify(verdict), value: schema.parse(verdict), usage: { input: 1, output: 1 } };
  },
  nameOf: () => 'test',
};

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp({ options: { model } });
  for (const tree of ['birch', 'larch']) {
    for (const content of [`Never prune the ${tree} branch`, `Always prune the ${tree} branch`]) {
      await test.app.commands.remember({ content, project: tree, force: true }, test.call);
    }
  }
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});
beforeEach(() => {
  asked.length = 0;
  fails = undefined;
});

const check = (use_api: boolean) => test.app.commands.checkContradictions({ use_api }, test.call);
const flags = async () => (await readEvents(test.log)).filter(({ type }) => type === 'ContradictionFlagged');

describe('check_contradictions with a model', () => {
  it('leaves out every pair while the model fails, and says so', async () => {
    fails = 'OVERLOADED';
    expect(await check(true)).toMatchObject({ contradictions: [], note: expect.stringContaining('OVERLOADED') });
    expect(await flags()).toEqual([]);
  });

  it('keeps only what the model confirms, with its confidence; what it wrote stays out of the log', async () => {
    const { contradictions } = await check(true);
    expect(contradictions).toMatchObject([{ method: 'api_confirmed', confidence: 0.9, explanation: 'Both speak of the birch.' }]);
    expect(asked).toHaveLength(2);
    const made = await flags();
    expect(made.map(({ data }) => data)).toMatchObject([{ method: 'api_confirmed', confidence: 0.9 }, { method: 'api_confirmed' }]);
    expect(JSON.stringify(made.map(({ data }) => data))).not.toContain('birch');
  });

  it('is not asked unless the call says so', async () => {
    expect((await check(false)).contradictions).toHaveLength(2);
    expect(asked).toEqual([]);
  });
});
