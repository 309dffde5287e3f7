import { describe, expect, it } from 'vitest';
import { GUIDE_PROMPT, GUIDE_URI } from '../../../services/mcp/guidance.js';
import { guideText } from '../../../services/mcp/guide.js';
import { initialize, openSession, type Rpc, raw, rpc, startTestServer, stateless } from '../../support/mcp.js';
import { connectTools } from '../app/client.js';
import { startStdio } from './stdio-process.js';

type Ask = (method: string, params?: Record<string, unknown>) => Promise<{ readonly status: number; readonly body: Rpc }>;

/** Claude Code and Cursor ask resources/list and prompts/list of every server, whatever it advertises, and wait for the answers. */
describe.each(['in a session', 'without a session'] as const)('the guide, %s', (era) => {
  const over = async (use: (ask: Ask) => Promise<void>): Promise<void> => {
    await using server = await startTestServer();
    const session = era === 'in a session' ? { 'Mcp-Session-Id': await openSession(server.url) } : undefined;
    await use((method, params) =>
      session ? raw(server.url, 'POST', session, rpc(method, params)) : raw(server.url, 'POST', {}, stateless(method, params)),
    );
  };

  it('is in the lists that clients ask for on connecting', () =>
    over(async (ask) => {
      expect((await ask('prompts/list')).body.result?.prompts).toEqual([
        expect.objectContaining({ name: GUIDE_PROMPT, description: expect.stringContaining('agent') }),
      ]);
      expect((await ask('resources/list')).body.result?.resources).toEqual([
        expect.objectContaining({ uri: GUIDE_URI, mimeType: 'text/markdown' }),
      ]);
      expect((await ask('resources/templates/list')).body.result?.resourceTemplates).toEqual([]);
    }));

  it('comes as a prompt and as a resource, the same text', () =>
    over(async (ask) => {
      const prompt = (await ask('prompts/get', { name: GUIDE_PROMPT })).body.result;
      expect(prompt?.messages).toEqual([{ role: 'user', content: { type: 'text', text: guideText() } }]);
      const resource = (await ask('resources/read', { uri: GUIDE_URI })).body.result;
      expect(resource?.contents).toEqual([{ uri: GUIDE_URI, mimeType: 'text/markdown', text: guideText() }]);
    }));

  it('refuses another name by the names that there are', () =>
    over(async (ask) => {
      const prompt = (await ask('prompts/get', { name: 'other' })).body.error;
      expect(prompt).toMatchObject({ code: -32602, message: expect.stringContaining(GUIDE_PROMPT) });
      const resource = (await ask('resources/read', { uri: 'omnimem://other' })).body.error;
      expect(resource).toMatchObject({ code: -32602, message: expect.stringContaining(GUIDE_URI) });
    }));
});

describe('clients', () => {
  it('of the library are told that there are prompts and resources, and get them', async () => {
    await using server = await startTestServer();
    await using tools = await connectTools(server.url);
    const { client } = tools;
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([GUIDE_PROMPT]);
    expect((await client.readResource({ uri: GUIDE_URI })).contents[0]).toMatchObject({ text: guideText() });
  });

  it('over stdio get them from the process itself, without an instance', async () => {
    const host = await startStdio('/nowhere/instance.json');
    const [hello, prompts, resource] = [initialize(), rpc('prompts/list'), rpc('resources/read', { uri: GUIDE_URI })];
    for (const message of [hello, prompts, resource]) host.send(message);
    expect(await host.answer(prompts.id)).toMatchObject({ result: { prompts: [{ name: GUIDE_PROMPT }] } });
    expect(await host.answer(resource.id)).toMatchObject({ result: { contents: [{ text: guideText() }] } });
    expect((await host.end()).code).toBe(0);
  });
});
