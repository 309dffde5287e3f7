import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeApp } from '../../support/fake-app.js';
import { CLIENT, eventually, initialize, rpc, startTestServer } from '../../support/mcp.js';
import { startStdio, stdioArguments } from './stdio-process.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omt stdio ü '));
});
afterAll(() => rm(directory, { recursive: true }));

let count = 0;
const instanceFile = () => join(directory, `instance-${++count}.json`);
const remember = (content: string, more: object = {}) => rpc('tools/call', { name: 'remember', arguments: { content }, ...more });

describe('stdio', () => {
  it('writes nothing but protocol, answers before there is an instance, and goes on after a malformed line (S09)', async () => {
    const file = instanceFile();
    const host = await startStdio(file);
    host.send('this is no JSON');
    host.send('{"neither": "JSON-RPC"}');
    const hello = initialize();
    host.send(hello);
    expect(await host.answer(hello.id)).toMatchObject({ result: { serverInfo: { name: 'omnimem' } } });
    host.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const list = rpc('tools/list');
    host.send(list);
    expect(await host.answer(list.id)).toMatchObject({ result: { tools: expect.any(Array) } });

    // Only now an instance comes up; the call waits for it and says so.
    const call = remember('over stdio', { _meta: { progressToken: 't' } });
    host.send(call);
    await host.notice('notifications/progress');
    await using server = await startTestServer({ config: { authToken: 'a-secret-token' } });
    await writeFile(file, JSON.stringify({ url: server.url, token: 'a-secret-token' }));
    expect(await host.answer(call.id)).toMatchObject({ result: { structuredContent: { status: 'stored' } } });

    const { lines, stderr, code } = await host.end();
    const messages = lines.map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(messages.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([-32700, -32600]);
    expect(messages.find(({ method }) => method === 'notifications/progress')?.params.message).toContain('the instance to start');
    for (const noise of ['a banner of a dependency', 'a progress bar', 'a warning', 'a log line', 'found the instance', 'goodbye'])
      expect(stderr).toContain(noise);
    expect(code).toBe(0);
    expect(server.app.seen[0]?.call).toMatchObject({ actor: 'mcp:probe/1.0', commandId: expect.any(String) });
  });

  it('finishes running calls when the input ends', async () => {
    const file = instanceFile();
    await using server = await startTestServer();
    await writeFile(file, JSON.stringify({ url: server.url }));
    let finish: () => void = () => {};
    server.app.during = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const host = await startStdio(file);
    host.send(initialize());
    const call = remember('last words');
    host.send(call);
    await eventually(() => server.open().calls === 1, server.open);
    const ended = host.end();
    finish();
    const { lines, code } = await ended;
    expect(lines.map((line) => JSON.parse(line)).find(({ id }) => id === call.id)).toMatchObject({
      result: { structuredContent: { status: 'stored' } },
    });
    expect(code).toBe(0);
  });

  it('ends at once when there is nothing to finish', async () => {
    const host = await startStdio(instanceFile());
    const { lines, code } = await host.end();
    expect([lines, code]).toEqual([[], 0]);
  });

  it('serves both lines of the library, with progress, errors and cancelling', async () => {
    const file = instanceFile();
    await using server = await startTestServer();
    await writeFile(file, JSON.stringify({ url: server.url }));
    const parameters = { command: process.execPath, args: await stdioArguments(file), stderr: 'ignore' as const };
    server.app.during = async (_name, call) => {
      call?.progress?.('half way', 1, 2);
      // The older client drops a notice that it reads together with the answer.
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const old = new Client(CLIENT);
    await old.connect(new StdioClientTransport(parameters));
    const young = new ClientV2(CLIENT, { versionNegotiation: { mode: 'auto' } });
    await young.connect(new StdioV2(parameters));

    const heard: unknown[] = [];
    const options = { onprogress: (notice: { message?: string | undefined }) => void heard.push(notice.message) };
    const answers = [
      await old.callTool({ name: 'recall', arguments: { query: 'x' } }, undefined, options),
      await young.callTool({ name: 'recall', arguments: { query: 'x' } }, options),
    ];
    for (const { structuredContent } of answers) expect(structuredContent).toMatchObject({ results: [] });
    expect(heard).toEqual(['half way', 'half way']);
    expect(await old.callTool({ name: 'recall', arguments: { nonsense: 1 } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'VALIDATION' } },
    });

    let aborted = 0;
    server.app.during = (_name, call) =>
      new Promise((_resolve, reject) => call?.signal?.addEventListener('abort', () => reject(new Error(`${++aborted}`))));
    const leaving = new AbortController();
    const running = [
      old.callTool({ name: 'recall', arguments: { query: 'x' } }, undefined, { signal: leaving.signal }),
      young.callTool({ name: 'recall', arguments: { query: 'x' } }, { signal: leaving.signal }),
    ].map((call) => call.catch(() => 'cancelled'));
    await eventually(() => server.open().calls === 2, server.open);
    leaving.abort();
    expect(await Promise.all(running)).toEqual(['cancelled', 'cancelled']);
    await eventually(
      () => aborted === 2,
      () => aborted,
    );
    await Promise.all([old.close(), young.close()]);
  });

  it('finds an instance that was started again elsewhere, and does nothing twice', async () => {
    const file = instanceFile();
    const app = createFakeApp();
    const first = await startTestServer({ app, limits: { drainMs: 50 } });
    await writeFile(file, JSON.stringify({ url: first.url }));
    const host = await startStdio(file);
    host.send(initialize());
    // The first instance dies with the call done but its answer unsent.
    const call = remember('exactly once');
    const commandOf = app.commands.remember;
    let second: Awaited<ReturnType<typeof startTestServer>> | undefined;
    Object.assign(app.commands, {
      remember: async (...args: Parameters<typeof commandOf>) => {
        Object.assign(app.commands, { remember: commandOf });
        await commandOf(...args);
        second = await startTestServer({ app });
        await writeFile(file, JSON.stringify({ url: second.url }));
        void first.close();
        return new Promise(() => {});
      },
    });
    host.send(call);
    expect(await host.answer(call.id)).toMatchObject({ result: { structuredContent: { status: 'stored' } } });
    expect(app.memories.size).toBe(1);
    await host.end();
    await second?.close();
  });

  it('says what to do when the instance refuses the token', async () => {
    const file = instanceFile();
    await using server = await startTestServer({ config: { authToken: 'a-secret-token' } });
    await writeFile(file, JSON.stringify({ url: server.url, token: 'another-token' }));
    const host = await startStdio(file);
    host.send(initialize());
    const call = remember('x');
    host.send(call);
    expect(await host.answer(call.id)).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: 'UNAUTHORISED', hint: expect.stringContaining('MCP_AUTH_TOKEN') } } },
    });
    await host.end();
  });
});
