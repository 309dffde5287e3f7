import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a client sent, as far as tests look at it. */
export type MessagesRequest = {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: string;
  /** The text of the one user message. */
  readonly prompt: string;
  readonly headers: IncomingMessage['headers'];
};

/** How the server answers one request. */
export type Reply =
  | { readonly text: string; readonly stop?: 'end_turn' | 'max_tokens' | 'refusal' }
  | { readonly status: number; readonly type?: string; readonly retryAfter?: number }
  /** Bytes that are no message, under this content type. */
  | { readonly body: string; readonly contentType?: string }
  /** Headers and half a body, then silence; or nothing at all. */
  | { readonly hang: 'body' | 'all' }
  | { readonly hangUp: true };

export type MessagesServer = {
  readonly url: string;
  readonly requests: readonly MessagesRequest[];
  /** How many requests wait for their answer now, and the most at once so far. */
  readonly open: () => number;
  readonly mostOpen: () => number;
  /** Decides each answer from now on. */
  answer: (request: MessagesRequest) => Reply | Promise<Reply>;
  readonly close: () => Promise<void>;
};

/** A server on loopback that speaks the Messages API, without a model behind it. */
export const startMessagesServer = async (answer: MessagesServer['answer'] = () => ({ text: '[]' })): Promise<MessagesServer> => {
  const requests: MessagesRequest[] = [];
  let open = 0;
  let most = 0;
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/messages') return send(response, { status: 404, type: 'not_found_error' });
    const seen = await readRequest(request);
    requests.push(seen);
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    send(response, await server.answer(seen), seen);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: MessagesServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    open: () => open,
    mostOpen: () => most,
    answer,
    close: () => {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(() => resolve()));
    },
  };
  return server;
};

const readRequest = async (request: IncomingMessage): Promise<MessagesRequest> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString()) as {
    model: string;
    max_tokens: number;
    system: string;
    messages: readonly { readonly content: string }[];
  };
  const { model, max_tokens, system, messages } = body;
  return { model, max_tokens, system, prompt: messages[0]?.content ?? '', headers: request.headers };
};

const send = (response: ServerResponse, reply: Reply, request?: MessagesRequest): void => {
  const json = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test', ...headers }).end(JSON.stringify(body));
  };
  if ('text' in reply) {
    const { text, stop = 'end_turn' } = reply;
    const usage = { input_tokens: Math.ceil((request?.prompt.length ?? 0) / 4), output_tokens: Math.ceil(text.length / 4) };
    const content = stop === 'refusal' ? [] : [{ type: 'text', text }];
    json(200, {
      id: 'msg_test',
      type: 'message',
      role: 'assistant',
      model: request?.model,
      content,
      stop_reason: stop,
      stop_sequence: null,
      usage,
    });
  } else if ('status' in reply) {
    const error = { type: reply.type ?? 'api_error', message: `echo: ${request?.prompt ?? ''}` };
    json(reply.status, { type: 'error', error }, reply.retryAfter === undefined ? {} : { 'retry-after': String(reply.retryAfter) });
  } else if ('body' in reply) {
    response.writeHead(200, { 'content-type': reply.contentType ?? 'application/json' }).end(reply.body);
  } else if ('hangUp' in reply) {
    response.destroy();
  } else if (reply.hang === 'body') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":"msg_te');
  }
};
