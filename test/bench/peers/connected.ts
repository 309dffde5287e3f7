import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { byCallers } from '../figures.js';
import { type MemoryServer, type PeerMemory, SHOWN } from './servers.js';

export type Connected = AsyncDisposable & {
  readonly fill: (memories: readonly PeerMemory[]) => Promise<void>;
  readonly write: (memory: PeerMemory) => Promise<void>;
  /** Whether a name is among the first answers to a question. */
  readonly finds: (query: string, mark: string) => Promise<boolean>;
};

const CALLERS = 8;
const CALL_MS = 300_000;

/** A server with a client of the protocol's own SDK, over standard input and output. */
export const connect = async (server: MemoryServer, folder: string): Promise<Connected> => {
  const { args, env } = server.start(folder);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...(process.env as Record<string, string>), ANTHROPIC_API_KEY: '', ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport, { timeout: CALL_MS });
  const call = async ({ tool, arguments: input }: ReturnType<MemoryServer['search']>) => {
    const answer = await client.callTool({ name: tool, arguments: input }, { timeout: CALL_MS });
    if (answer.isError) throw new Error(`${server.name} refused ${tool}: ${JSON.stringify(answer.content).slice(0, 300)}`);
    return answer;
  };
  return {
    fill: async (memories) => {
      const { together } = server;
      const parts = Array.from({ length: Math.ceil(memories.length / together) }, (_, i) =>
        memories.slice(i * together, (i + 1) * together),
      );
      // Servers that rewrite one file lose writes that overlap.
      await byCallers(together === 1 ? CALLERS : 1, parts.length, (i) => call(server.write(parts[i] ?? [])));
    },
    write: async (memory) => void (await call(server.write([memory]))),
    finds: async (query, mark) => {
      const { structuredContent, content } = await call(server.search(query));
      return firstAnswers(structuredContent ?? textOf(content)).some((answer) => answer.includes(mark));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
};

const textOf = (content: unknown): unknown => {
  const [first] = content as readonly { readonly text?: string }[];
  return JSON.parse(first?.text ?? '{}');
};

const firstAnswers = (answer: unknown): readonly string[] => {
  const { results, entities } = answer as { readonly results?: readonly unknown[]; readonly entities?: readonly unknown[] };
  return (results ?? entities ?? []).slice(0, SHOWN).map((one) => JSON.stringify(one));
};
