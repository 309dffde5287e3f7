import { DomainError, type ErrorCode } from '../../domain/errors.js';
import { CLI_CLIENT } from '../mcp/actor.js';
import { createRemoteCaller, type RemoteParts } from '../mcp/stdio/remote.js';
import type { Effect } from '../mcp/tool.js';
import { VERSION } from '../version.js';

/** What the commands ask of an instance. Said here and not read from the tools, which take longer to load than an answer takes. */
export const TOOLS_USED = {
  briefing: 'reads',
  explain_memory: 'reads',
  forget: 'destroys',
  health: 'reads',
  maintain: 'writes',
  memory_audit: 'reads',
  queue_status: 'reads',
  recall: 'reads',
  recall_index: 'reads',
  reindex: 'writes',
  remember: 'writes',
  remember_document: 'writes',
  undo: 'writes',
} as const satisfies Readonly<Record<string, Effect>>;

export type ToolUsed = keyof typeof TOOLS_USED;

const CLIENT = { name: CLI_CLIENT, version: VERSION };

export type CallOptions = { readonly signal?: AbortSignal; readonly onProgress?: (message: string) => void };

/** Runs a tool of the MCP server in an instance and answers what it answered. Throws its refusal as DomainError. */
export const callTool = async <T>(
  connectInstance: RemoteParts['connectInstance'],
  name: ToolUsed,
  input: Readonly<Record<string, unknown>>,
  { signal = new AbortController().signal, onProgress = () => undefined }: CallOptions = {},
): Promise<T> => {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const call = createRemoteCaller({ connectInstance });
  const tool = { name, effect: TOOLS_USED[name] };
  const { isError, structuredContent } = await call({ tool, arguments: given, client: CLIENT, actor: 'cli', signal, progress: onProgress });
  if (isError) throw refusalIn(structuredContent);
  return structuredContent as T;
};

const refusalIn = (answer: unknown): DomainError => {
  const { error } = (answer ?? {}) as { readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string } };
  return error
    ? new DomainError(error.code, error.message, error.hint)
    : new DomainError('INTERNAL', 'The instance refused the call and did not say why');
};
