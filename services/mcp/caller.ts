import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError, isDomainError } from '../../domain/errors.js';
import type { App, Call } from '../api.js';
import type { Logger } from '../log.js';
import { withinCeiling } from './ceiling.js';
import { errorResultOf, refusalOf, resultOf } from './result.js';
import type { Tool } from './tool.js';

export type ToolRequest = {
  readonly tool: Tool;
  readonly arguments: unknown;
  readonly actor: string;
  /** One conversation of one client, where the transport knows it. */
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (message: string, done?: number, total?: number) => void;
};

export type ToolCaller = (request: ToolRequest) => Promise<CallToolResult>;

export type CallerParts = {
  readonly app: App;
  readonly maxTokens: number;
  /** How long a call waits for the store and its views. */
  readonly readyWaitMs: number;
  readonly log: Logger;
};

/** While a call waits it repeats what for, so that the host sees that it lives. */
const REPEAT_MS = 5_000;

/**
 * Runs tools against the app: arguments are checked at once, then the call waits for the store if it needs it, then the
 * answer is held under the ceiling. Refusals and faults are answers too; only a cancelled call throws.
 */
export const createToolCaller =
  ({ app, maxTokens, readyWaitMs, log }: CallerParts): ToolCaller =>
  async ({ tool, arguments: raw, actor, session, signal, progress }) => {
    const begun = performance.now();
    const count = (outcome: string): void => app.countToolCall(tool.name, outcome, performance.now() - begun);
    try {
      const prepared = tool.prepare(raw);
      if (tool.needsStore) await storeReady(app, readyWaitMs, progress, signal);
      const ceiling = Math.min(maxTokens, prepared.maxTokens ?? maxTokens);
      const call: Call = { actor, commandId: prepared.commandId, ...(session !== undefined && { session }), signal, progress };
      const answer = await prepared.run({ app, call, maxTokens: ceiling });
      count('ok');
      const bound = ceiling < maxTokens ? 'max_tokens' : 'MCP_MAX_RESPONSE_TOKENS';
      return resultOf(withinCeiling(answer, ceiling, { ...tool, bound }), tool.text);
    } catch (error) {
      if (signal.aborted) {
        count('CANCELLED');
        throw error;
      }
      const refusal = refusalOf(error);
      count(refusal.code);
      if (refusal.code === 'INTERNAL') log.error({ err: error, tool: tool.name, actor }, 'a tool call failed');
      return errorResultOf(refusal);
    }
  };

const storeReady = async (app: App, timeoutMs: number, progress: ToolRequest['progress'], signal: AbortSignal): Promise<void> => {
  let waitingFor: string | undefined;
  const repeat = setInterval(() => progress(`waiting for ${waitingFor ?? 'the store'}`), REPEAT_MS);
  try {
    await app.whenReady(
      timeoutMs,
      (what) => {
        waitingFor = what;
        progress(`waiting for ${what}`);
      },
      signal,
    );
  } catch (error) {
    if (!isDomainError(error, 'UNAVAILABLE') || waitingFor === undefined) throw error;
    const message = `${error.message} (waited ${Math.round(timeoutMs / 1_000)} s for ${waitingFor})`;
    throw new DomainError('UNAVAILABLE', message, error.hint ?? 'Try again in a moment; health says what is missing.', { cause: error });
  } finally {
    clearInterval(repeat);
  }
};
