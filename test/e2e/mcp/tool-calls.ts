import { createToolCaller } from '../../../services/mcp/caller.js';
import { toolsByName } from '../../../services/mcp/toolset.js';
import type { FakeApp } from '../../support/fake-app.js';
import { capturingLog } from '../../support/log.js';

export type CalledTool = { readonly text: string; readonly answer: Record<string, unknown>; readonly isError: boolean };

/** Calls tools as the protocol servers do, without a transport between. */
export const toolCalls = (app: FakeApp, { maxTokens = 20_000, readyWaitMs = 60_000 } = {}) => {
  const { log, lines } = capturingLog();
  const caller = createToolCaller({ app, maxTokens, readyWaitMs, log });
  const call = async (
    name: string,
    args: unknown,
    progress: (message: string) => void = () => {},
    signal = new AbortController().signal,
  ): Promise<CalledTool> => {
    const tool = toolsByName.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    const { content, structuredContent, isError = false } = await caller({ tool, arguments: args, actor: 'mcp:test', signal, progress });
    const [block] = content;
    if (block?.type !== 'text') throw new Error('no text');
    return { text: block.text, answer: structuredContent as Record<string, unknown>, isError };
  };
  return Object.assign(call, { logged: () => JSON.stringify(lines) });
};
