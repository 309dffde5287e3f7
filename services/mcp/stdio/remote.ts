import type { CallToolResult } from '@modelcontextprotocol/server';
import { ulid } from 'ulid';
import { DomainError } from '../../../domain/errors.js';
import { errorResultOf, refusalOf } from '../result.js';
import type { ServerToolRequest } from '../server.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SESSION_META_KEY,
  STATELESS_VERSION,
} from '../wire.js';
import { eventData } from './events.js';

/** A call as it is passed on. Of the tool, its name and whether it changes anything: the instance knows the rest. */
export type RemoteRequest = Omit<ServerToolRequest, 'tool'> & { readonly tool: Pick<ServerToolRequest['tool'], 'name' | 'effect'> };

/** A running instance: the address of its `/mcp`, and the token if it wants one. */
export type Instance = { readonly url: string; readonly token?: string | undefined };

export type RemoteParts = {
  /** Finds the running instance, or starts one. Called at the first tool call, and again when the instance has gone. */
  readonly connectInstance: (progress: (what: string) => void) => Promise<Instance>;
};

/** A host that waits hears in this interval that the call lives. */
const REPEAT_MS = 5_000;
const ATTEMPTS = 3;
const RETRY_PAUSE_MS = 250;

/**
 * Runs tools in a running instance, over its HTTP address. A command gets an id here when the caller gave none, so that one
 * whose answer was lost can be sent again without being done twice.
 */
export const createRemoteCaller = ({ connectInstance }: RemoteParts): ((request: RemoteRequest) => Promise<CallToolResult>) => {
  let instance: Promise<Instance> | undefined;
  const session = ulid();
  const connected = (progress: (what: string) => void): Promise<Instance> => {
    const connecting = instance ?? connectInstance(progress);
    instance = connecting;
    connecting.catch(() => {
      if (instance === connecting) instance = undefined;
    });
    return connecting;
  };

  const attempt = async (request: RemoteRequest, args: unknown, onConnected: () => void): Promise<CallToolResult> => {
    const using = connected(request.progress);
    const { url, token } = await using;
    onConnected();
    try {
      return await callOver(url, token, { ...request, session }, args);
    } catch (error) {
      if (instance === using) instance = undefined; // it may have been restarted elsewhere
      throw error;
    }
  };

  return async (request) => {
    const args = withCommandId(request);
    let phase = 'waiting for the OmniMem instance';
    const repeat = setInterval(() => request.progress(phase), REPEAT_MS);
    const running = (): void => {
      phase = 'running';
    };
    try {
      for (let left = ATTEMPTS; ; left--) {
        try {
          return await attempt(request, args, running);
        } catch (error) {
          if (request.signal.aborted) throw error;
          if (left <= 1 || !(error instanceof Unreachable))
            return errorResultOf(refusalOf(error instanceof Unreachable ? unavailable(error) : error));
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    } finally {
      clearInterval(repeat);
    }
  };
};

/** No answer, or only part of one: the call may or may not have been carried out. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const unavailable = (cause: Unreachable): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    `The OmniMem instance does not answer (${cause.message})`,
    'Start it with npm start, or run omnimem doctor.',
    { cause },
  );

const withCommandId = ({ tool, arguments: args }: RemoteRequest): unknown =>
  tool.effect === 'reads' || typeof args !== 'object' || args === null || 'command_id' in args ? args : { ...args, command_id: ulid() };

const callOver = async (url: string, token: string | undefined, request: RemoteRequest, args: unknown): Promise<CallToolResult> => {
  const { tool, client, session, signal, progress } = request;
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: tool.name,
      arguments: args ?? {},
      _meta: {
        progressToken: 1,
        [PROTOCOL_VERSION_META_KEY]: STATELESS_VERSION,
        [CLIENT_INFO_META_KEY]: client ?? { name: 'stdio', version: '0' },
        [CLIENT_CAPABILITIES_META_KEY]: {},
        [SESSION_META_KEY]: session,
      },
    },
  };
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': STATELESS_VERSION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': tool.name,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal }).catch((error: Error) => {
    throw new Unreachable(causeOf(error), { cause: error });
  });
  if (response.status === 401)
    throw new DomainError(
      'UNAUTHORISED',
      'The OmniMem instance refused the token',
      'MCP_AUTH_TOKEN must be the one the running instance was started with.',
    );
  if (response.status >= 500 || response.body === null) throw new Unreachable(`HTTP ${response.status}`);
  const answer = /text\/event-stream/.test(response.headers.get('content-type') ?? '')
    ? await lastMessage(response.body, progress)
    : await response.json().catch(() => undefined);
  return resultIn(answer, response.status);
};

type Notice = {
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly progress?: number; readonly total?: number };
};

/** Passes progress on until the answer comes. */
const lastMessage = async (body: ReadableStream<Uint8Array>, progress: RemoteRequest['progress']): Promise<unknown> => {
  try {
    for await (const data of eventData(body)) {
      const message = JSON.parse(data) as Notice;
      if (message.method === undefined) return message;
      if (message.method === 'notifications/progress')
        progress(message.params?.message ?? '', message.params?.progress, message.params?.total);
    }
  } catch (error) {
    throw new Unreachable(causeOf(error as Error), { cause: error });
  }
  throw new Unreachable('the stream ended without an answer');
};

const resultIn = (answer: unknown, status: number): CallToolResult => {
  const { result, error } = (answer ?? {}) as { readonly result?: unknown; readonly error?: { readonly message?: string } };
  if (isToolResult(result))
    return {
      content: result.content,
      ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
      ...(result.isError && { isError: true }),
    };
  throw new DomainError(
    'UNAVAILABLE',
    `The OmniMem instance gave no usable answer (HTTP ${status}${error?.message ? `, ${error.message}` : ''})`,
    'It may be of another version: restart it.',
  );
};

const isToolResult = (result: unknown): result is CallToolResult =>
  typeof result === 'object' && result !== null && Array.isArray((result as Partial<CallToolResult>).content);

const causeOf = ({ cause, message }: Error): string =>
  cause instanceof Error ? (cause as NodeJS.ErrnoException).code || cause.message : message;
