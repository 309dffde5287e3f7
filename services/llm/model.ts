import pLimit from 'p-limit';
import type { Message, Transport } from './anthropic.js';
import { modelError } from './failure.js';
import { jsonIn } from './json.js';
import { type Model, ModelError, type ModelErrorCode, type ModelRequest, type Purpose, type Usage } from './port.js';

export type ModelSettings = {
  readonly names: Readonly<Record<Purpose, string>>;
  readonly timeoutMs: number;
  /** Calls at once: so many for work in the background, and as many for callers who wait. */
  readonly concurrency: number;
};

/** Told of every call that ended: `ok` or why not, and the tokens it cost. */
export type OnModelCall = (purpose: Purpose, outcome: 'ok' | 'ABORTED' | ModelErrorCode, usage: Usage | undefined) => void;

const BACKGROUND: ReadonlySet<Purpose> = new Set(['extraction']);

/** The port over a transport: bounded concurrency, a timeout for each call, JSON checked, every call counted. */
export const createModel = ({ names, timeoutMs, concurrency }: ModelSettings, transport: Transport, onCall: OnModelCall): Model => {
  const [background, waiting] = [pLimit(concurrency), pLimit(concurrency)];

  const ask = async (message: Message, signal: AbortSignal | undefined): ReturnType<Transport> => {
    signal?.throwIfAborted();
    const patience = AbortSignal.timeout(timeoutMs);
    try {
      return await transport(message, signal ? AbortSignal.any([signal, patience]) : patience);
    } catch (error) {
      signal?.throwIfAborted();
      throw patience.aborted ? modelError('TIMEOUT', `${timeoutMs / 1_000} s`) : error;
    }
  };

  return {
    nameOf: (purpose) => names[purpose],
    complete: <Value>({ purpose, system, prompt, maxTokens, schema, signal }: ModelRequest<Value>) =>
      (BACKGROUND.has(purpose) ? background : waiting)(async () => {
        let usage: Usage | undefined;
        try {
          const answer = await ask({ model: names[purpose], system, prompt, maxTokens }, signal);
          usage = answer.usage;
          const parsed = schema.safeParse(jsonIn(answer.text));
          if (!parsed.success) throw modelError('GARBAGE', 'no JSON of the wanted form');
          onCall(purpose, 'ok', usage);
          return { ...answer, value: parsed.data };
        } catch (error) {
          onCall(purpose, error instanceof ModelError ? error.code : 'ABORTED', usage);
          throw error;
        }
      }),
  };
};
