import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { App } from '../../../services/api.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { createLogger } from '../../../services/log.js';
import { type McpHttp, startMcpHttp } from '../../../services/mcp/http.js';

export type Answer = Readonly<Record<string, unknown>>;
export type Refusal = { readonly code: string; readonly message: string; readonly hint?: string };

/** A client of the library, connected over HTTP. `await using tools = await connectTools(url)` closes it by itself. */
export type Tools = AsyncDisposable & {
  readonly client: Client;
  /** Calls a tool and answers its structured content; throws when it refuses. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Answer>;
  /** Calls a tool and answers its refusal; throws when it does not refuse. */
  readonly refused: (name: string, args?: Record<string, unknown>) => Promise<Refusal>;
  /** Either, for callers that sort it out themselves. */
  readonly outcome: (name: string, args?: Record<string, unknown>) => Promise<{ readonly answer: Answer } | { readonly refusal: Refusal }>;
  readonly close: () => Promise<void>;
};

export const connectTools = async (url: string, name = 'e2e'): Promise<Tools> => {
  const client = new Client({ name, version: '1.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const outcome: Tools['outcome'] = async (tool, args = {}) => {
    const { structuredContent, isError } = await client.callTool({ name: tool, arguments: args }, { timeout: 120_000 });
    const answer = (structuredContent ?? {}) as Answer;
    return isError ? { refusal: answer.error as Refusal } : { answer };
  };
  const close = (): Promise<void> => client.close();
  return {
    client,
    outcome,
    call: async (tool, args) => {
      const result = await outcome(tool, args);
      if ('refusal' in result) throw new Error(`${tool}: ${result.refusal.code} ${result.refusal.message}`);
      return result.answer;
    },
    refused: async (tool, args) => {
      const result = await outcome(tool, args);
      if ('answer' in result) throw new Error(`${tool} was not refused: ${JSON.stringify(result.answer).slice(0, 300)}`);
      return result.refusal;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Puts the real HTTP server, on a free port, in front of an app. */
export const serve = (app: App, maxResponseTokens = 20_000): Promise<McpHttp> =>
  startMcpHttp({
    app,
    log: createLogger({ level: 'silent' }),
    config: { host: '127.0.0.1', port: 0, allowedHosts: [], allowedOrigins: [], maxResponseTokens, toolset: 'full' },
  });

export const keyOf = ({ key }: Answer): string => {
  if (typeof key === 'string') return key;
  throw new Error('the answer names no key');
};

export type Found = { readonly key: string; readonly content: string; readonly score: number } & Answer;

export const resultsOf = ({ results }: Answer): readonly Found[] => results as readonly Found[];

/** An embedder that waits with the texts `holds` speaks of until `release` is called, and then goes on as usual. */
export const waitingEmbedder = (inner: Embedder, holds: (text: string) => boolean) => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let noticed = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    noticed = resolve;
  });
  const embedder: Embedder = {
    ...inner,
    embed: async (texts, options) => {
      if (texts.some(holds)) {
        noticed();
        const aborted = new Promise<never>((_, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
        await Promise.race([released, aborted]);
      }
      return inner.embed(texts, options);
    },
  };
  return { embedder, reached, release: () => release() };
};
