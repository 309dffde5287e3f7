import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { CLIENT, eventually, raw, rpc, startTestServer, type TestServer } from '../../support/mcp.js';

type AnyClient = {
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  readonly callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
};

/** What every client must be able to do, whatever its line of the library and its transport. */
const tryOut = async (client: AnyClient) => {
  const { tools } = await client.listTools();
  const stored = (await client.callTool({ name: 'remember', arguments: { content: 'ports: the API listens on 8443' } })) as {
    structuredContent: { key: string };
  };
  const recalled = (await client.callTool({ name: 'recall', arguments: { query: 'API port' } })) as {
    structuredContent: { results: { key: string }[] };
  };
  return {
    names: tools.map(({ name }) => name),
    key: stored.structuredContent.key,
    found: recalled.structuredContent.results.map(({ key }) => key),
  };
};

const expectSound = ({ names, key, found }: Awaited<ReturnType<typeof tryOut>>, server: TestServer): void => {
  expect(names).toContain('recall');
  expect(names).toHaveLength(TOOLS.length);
  expect(found).toEqual([key]);
  expect(server.app.seen.map(({ call }) => call?.actor)).toEqual(['mcp:probe/1.0', 'mcp:probe/1.0']);
};

describe('clients', () => {
  it('the first line of the library over HTTP', async () => {
    await using server = await startTestServer();
    const client = new Client(CLIENT);
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    expectSound(await tryOut(client), server);
    expect(client.getServerVersion()).toMatchObject({ name: 'omnimem', version: '0.0.0-test' });
    expect(client.getInstructions()).toContain('OmniMem');
    await client.close();
  });

  it('the second line of the library over HTTP', async () => {
    await using server = await startTestServer();
    const client = new ClientV2(CLIENT);
    await client.connect(new HttpV2(new URL(server.url)));
    expectSound(await tryOut(client), server);
    await client.close();
  });

  it('the second line of the library without sessions', async () => {
    await using server = await startTestServer();
    const client = new ClientV2(CLIENT, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpV2(new URL(server.url)));
    expectSound(await tryOut(client), server);
    expect(server.open().sessions).toBe(0);
    await client.close();
  });

  it('the transport of 2024: GET /sse and POST /messages', async () => {
    await using server = await startTestServer();
    const client = new Client(CLIENT);
    await client.connect(new SSEClientTransport(new URL('/sse', server.url)));
    expect(server.open().sseSessions).toBe(1);
    expectSound(await tryOut(client), server);
    await client.close();
    await eventually(() => server.open().sseSessions === 0, server.open);
  });

  it('posts to an event stream that has gone get 404, and without its id 400', async () => {
    await using server = await startTestServer();
    const messages = new URL('/messages', server.url);
    expect((await raw(messages.href, 'POST', {}, rpc('ping'))).status).toBe(400);
    expect((await raw(`${messages.href}?sessionId=gone`, 'POST', {}, rpc('ping'))).status).toBe(404);
  });

  it('get errors as results, which the output schema does not keep from them', async () => {
    await using server = await startTestServer();
    const old = new Client(CLIENT);
    await old.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const young = new ClientV2(CLIENT, { versionNegotiation: { mode: 'auto' } });
    await young.connect(new HttpV2(new URL(server.url)));
    for (const client of [old, young]) {
      await client.listTools(); // from here on the client checks structured content
      for (const [name, args] of [
        ['remember', { content: ' ' }],
        ['recall', {}],
        ['revise', { key: 'mem:episodic:nothing', content: 'x' }],
      ] as const) {
        expect(await client.callTool({ name, arguments: args }), name).toMatchObject({
          isError: true,
          structuredContent: { error: { hint: expect.any(String) } },
        });
      }
      for (const name of ['health', 'version', 'list_suppressions', 'find_duplicates', 'memory_audit']) {
        expect((await client.callTool({ name, arguments: {} })).isError, name).toBeFalsy();
      }
      await client.close();
    }
  });

  it('passes progress on when it was asked for, growing each time', async () => {
    await using server = await startTestServer();
    server.app.during = async (_name, call) => {
      call?.progress?.('first', 1, 3);
      call?.progress?.('again', 1, 3);
      call?.progress?.('last', 3, 3);
    };
    for (const open of [
      async () => {
        const client = new Client(CLIENT);
        await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
        return client;
      },
      async () => {
        const client = new ClientV2(CLIENT, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new HttpV2(new URL(server.url)));
        return client;
      },
    ]) {
      const client = await open();
      const heard: { progress: number; message?: string | undefined }[] = [];
      const request = { name: 'recall', arguments: { query: 'x' } };
      const options = { onprogress: (notice: { progress: number; message?: string | undefined }) => void heard.push(notice) };
      if (client instanceof Client) await client.callTool(request, undefined, options);
      else await client.callTool(request, options);
      expect(heard.map(({ message }) => message)).toEqual(['first', 'again', 'last']);
      expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3]);
      await client.close();
    }
  });

  it('cancelling ends the call, in both eras', async () => {
    await using server = await startTestServer();
    let aborted = 0;
    let begun = 0;
    server.app.during = (_name, call) => {
      begun++;
      return new Promise((_resolve, reject) => call?.signal?.addEventListener('abort', () => reject(new Error(`aborted ${++aborted}`))));
    };
    const old = new Client(CLIENT);
    await old.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const young = new ClientV2(CLIENT, { versionNegotiation: { mode: 'auto' } });
    await young.connect(new HttpV2(new URL(server.url)));

    const leaving = new AbortController();
    const request = { name: 'recall', arguments: { query: 'x' } };
    const calls = [old.callTool(request, undefined, { signal: leaving.signal }), young.callTool(request, { signal: leaving.signal })].map(
      (call) => call.catch(() => 'cancelled'),
    );
    await eventually(
      () => begun === 2,
      () => begun,
    );
    leaving.abort();
    expect(await Promise.all(calls)).toEqual(['cancelled', 'cancelled']);
    await eventually(
      () => aborted === 2,
      () => aborted,
    );
    // Neither the call nor the stream of its answer stays open.
    await eventually(() => server.open().calls === 0 && server.open().requests === 0, server.open);
    expect(server.app.counted.map(({ outcome }) => outcome)).toEqual(['CANCELLED', 'CANCELLED']);
    await Promise.all([old.close(), young.close()]);
  });
});
