import type { Model, ModelError, ModelRequest } from '../../services/llm/port.js';

export type Asked = Pick<ModelRequest<unknown>, 'purpose' | 'system' | 'prompt' | 'maxTokens'>;

/** A model of a test: `answer` gives the JSON of each answer, or throws. */
export type TestModel = Model & {
  readonly asked: readonly Asked[];
  answer: (asked: Asked, signal: AbortSignal | undefined) => unknown;
};

export const testModel = (answer: TestModel['answer'] = () => []): TestModel => {
  const asked: Asked[] = [];
  const model: TestModel = {
    asked,
    answer,
    nameOf: (purpose) => `test-${purpose}`,
    complete: async ({ purpose, system, prompt, maxTokens, schema, signal }) => {
      const request = { purpose, system, prompt, maxTokens };
      asked.push(request);
      const json = await model.answer(request, signal);
      return { text: JSON.stringify(json), value: schema.parse(json), usage: { input: prompt.length, output: 1 } };
    },
  };
  return model;
};

/** Holds every answer back until it is let go. */
export const held = (answer: (asked: Asked) => unknown) => {
  const waiting: (() => void)[] = [];
  return {
    waiting,
    answer: (asked: Asked, signal: AbortSignal | undefined): Promise<unknown> =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        waiting.push(() => resolve(answer(asked)));
      }),
  };
};

export const failing = (error: ModelError) => (): never => {
  throw error;
};
