import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createAccess } from '../../../services/mcp/http/access.js';
import { readJson } from '../../../services/mcp/http/body.js';
import { createEndpoint } from '../../../services/mcp/http/endpoint.js';
import { exchangeOf } from '../../../services/mcp/http/exchange.js';
import { createHttpServer, listen } from '../../../services/mcp/http/listen.js';
import { DEFAULT_LIMITS } from '../../../services/mcp/limits.js';
import { capturingLog } from '../../support/log.js';

/**
 * The product's HTTP layer in front of the tools that the conformance suite asks for by name. It shows that progress, log
 * messages and requests from server to client pass through our sessions, although no tool of the product uses them all.
 */
export const startFixture = async (): Promise<AsyncDisposable & { readonly url: string }> => {
  const access = createAccess({ host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] });
  const endpoint = createEndpoint(() => fixtureServer().server, DEFAULT_LIMITS, capturingLog().log);
  const server = createHttpServer(
    async (incoming, outgoing) => {
      const { host, origin, authorization } = incoming.headers;
      const refusal = access.checkOrigin({ host, origin, authorization });
      if (refusal) return refusal;
      const body = incoming.method === 'POST' ? await readJson(incoming, DEFAULT_LIMITS.maxBodyBytes) : { value: undefined };
      return 'refusal' in body ? body.refusal : endpoint.streamable(exchangeOf(incoming, outgoing, body.value));
    },
    DEFAULT_LIMITS.requestArrivalMs,
    () => {},
  );
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const moment = () => new Promise((resolve) => setTimeout(resolve, 20));

const fixtureServer = (): McpServer => {
  const server = new McpServer({ name: 'fixture', version: '1' }, { capabilities: { tools: {}, logging: {} } });
  server.registerTool('test_simple_text', { description: 'For the suite', inputSchema: z.object({}) }, () =>
    said('This is a simple text response for testing.'),
  );
  server.registerTool('test_error_handling', { description: 'For the suite', inputSchema: z.object({}) }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_tool_with_logging', { description: 'For the suite', inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await moment();
    }
    return said('logged');
  });
  server.registerTool('test_tool_with_progress', { description: 'For the suite', inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await moment();
    }
    return said('done');
  });
  server.registerTool(
    'test_sampling',
    { description: 'For the suite', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      });
      return said(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'For the suite', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const answer = await mcpReq.elicitInput({
        message,
        requestedSchema: {
          type: 'object',
          properties: { username: { type: 'string' }, email: { type: 'string' } },
          required: ['username', 'email'],
        },
      });
      return said(`User response: ${JSON.stringify(answer)}`);
    },
  );
  return server;
};
