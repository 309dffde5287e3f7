import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Called = { readonly name: string; readonly arguments: Record<string, unknown>; readonly authorization: string | undefined };
export type Stub = AsyncDisposable & { readonly url: string; readonly calls: Called[] };

/** An HTTP server on a free port of loopback in the place of a real one. `answer` gets the tool call, or undefined for a probe. */
export const startStub = async (answer: (response: ServerResponse, call: Called | undefined) => void): Promise<Stub> => {
  const calls: Called[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.method !== 'POST') return answer(response, undefined);
      const { params } = JSON.parse(body) as { readonly params: Omit<Called, 'authorization'> };
      const call = { name: params.name, arguments: params.arguments, authorization: request.headers.authorization };
      calls.push(call);
      answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
};

export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
};

/** The answer of a tool that says this text. */
export const says = (text: string, isError = false) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text }], structuredContent: {}, isError, resultType: 'complete' },
});
