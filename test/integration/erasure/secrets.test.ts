import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToolCaller } from '../../../services/mcp/caller.js';
import { toolsByName } from '../../../services/mcp/toolset.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold, keysHolding } from '../../support/eventlog.js';
import { capturingLog } from '../../support/log.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestApp;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
  test = await openTestApp({ valkey });
});
afterAll(async () => {
  await test.end();
  await valkey.stop();
});

/** Made up in the published format; put together here so that no scanner takes this file for a leak. */
const TOKEN = ['ghp', 'a9Xw2Lq7Rt4Vb8Nz1Kc6Yd3Hs5Jf0Gm2Pe9U'].join('_');
const KEY_FILE = ['-----BEGIN OPENSSH', 'PRIVATE KEY-----'].join(' ');
const BODY = 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW';
const SECRETS = [
  ['a token', `The deploy token is ${TOKEN} for now.`, TOKEN],
  ['a private key', `${KEY_FILE}\n${BODY}\n${BODY}\n-----END OPENSSH PRIVATE KEY-----`, BODY],
] as const;

const call = async (name: string, args: Record<string, unknown>) => {
  const tool = toolsByName.get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  const { log, lines } = capturingLog();
  const caller = createToolCaller({ app: test.app, maxTokens: 20_000, readyWaitMs: 10_000, log });
  const signal = new AbortController().signal;
  const { isError = false, structuredContent } = await caller({
    tool,
    arguments: args,
    actor: 'mcp:test',
    signal,
    progress: () => undefined,
  });
  return { isError, answer: structuredContent as Record<string, unknown>, logged: JSON.stringify(lines) };
};
const remembered = async (content: string): Promise<string> => String((await call('remember', { content, force: true })).answer.key);

describe.each(SECRETS)('content with %s', (what, content, secret) => {
  it.each<[string, () => Promise<Record<string, unknown>>]>([
    ['remember', async () => ({ content })],
    ['remember_document', async () => ({ content: `First paragraph.\n\n${content}\n\nLast paragraph.` })],
    ['revise', async () => ({ key: await remembered(`to be revised for ${what}`), content })],
  ])('is refused by %s, which leaves nothing of it, and taken with force', async (tool, input) => {
    const args = await input();
    const before = await eventsTold(test.log);
    const refused = await call(tool, args);
    expect(refused).toMatchObject({ isError: true, answer: { error: { code: 'VALIDATION', hint: expect.stringContaining('force') } } });
    expect(JSON.stringify(refused)).not.toContain(secret);
    expect(await eventsTold(test.log)).toBe(before);
    const forced = await call(tool, { ...args, force: true });
    expect(forced.isError).toBe(false);
    expect(await keysHolding(test.redis, test.keys, secret)).not.toEqual([]);
    await forgetAll(secret);
  });
});

/** The next case must start without it. */
const forgetAll = async (secret: string): Promise<void> => {
  const { entries } = await test.app.queries.memoryAudit({ include_archived: true, limit: 100 }, test.call);
  const keys = entries.map(({ key }) => key);
  await test.app.commands.forget({ keys, confirm: true }, test.call);
  expect(await keysHolding(test.redis, test.keys, secret)).toEqual([]);
};

describe('a token in any other text', () => {
  const dead = { name: 'the queue', type: 'approach', reason: 'slow' };
  it.each<[string, string, (text: string) => Record<string, unknown>]>([
    ['remember', 'tags', (text) => ({ content: 'Tagged with care.', tags: [text] })],
    ['remember_document', 'tags', (text) => ({ content: 'A page that is tagged with care.', tags: [text] })],
    ['revise', 'reason', (reason) => ({ content: 'Revised with care.', reason })],
    ['retag', 'add', (text) => ({ add: [text] })],
    ['deprioritise', 'reason', (reason) => ({ reason })],
    ['deprioritise', 'reinstate_hints', (text) => ({ reason: 'late', reinstate_hints: [text] })],
    ['archive', 'reason', (reason) => ({ reason })],
    ['suppress_topic', 'topic', (topic) => ({ topic })],
    ['suppress_topic', 'reason', (reason) => ({ topic: 'noise of the docks', reason })],
    ['set_licence', 'licence_note', (licence_note) => ({ licence: 'own', licence_note })],
    ['record_experience', 'gotchas', (gotchas) => ({ effort_score: 2, outcome: 'succeeded', gotchas })],
    [
      'record_experience',
      'abandoned_approaches',
      (reason) => ({ effort_score: 2, outcome: 'pivoted', abandoned_approaches: [{ ...dead, reason }] }),
    ],
    ['log_abandoned', 'reason', (reason) => ({ ...dead, reason })],
    [
      'set_project_context',
      'notes',
      (notes) => ({ project_name: 'harbour', description: 'd', stack: 's', goals: 'g', current_state: 'c', notes }),
    ],
    ['merge_projects', 'into', (into) => ({ from: 'dinghy', into, into_is_new: true })],
  ])('is refused by %s in %s, and taken with force', async (tool, field, input) => {
    await call('remember', { content: `A dinghy of ${tool} by ${field}.`, project: 'dinghy' });
    const key = await remembered(`What ${tool} is tried on by its ${field}.`);
    const about: Record<string, object> = {
      deprioritise: { key_or_query: key },
      archive: { key_or_query: key },
      set_licence: { keys: [key] },
    };
    for (const name of ['revise', 'retag', 'record_experience', 'log_abandoned']) about[name] = { key };
    const args = { ...about[tool], ...input(`kept as ${TOKEN}`) };
    const before = await eventsTold(test.log);
    const refused = await call(tool, args);
    expect(refused).toMatchObject({
      isError: true,
      answer: { error: { code: 'VALIDATION', hint: expect.stringContaining('force: true') } },
    });
    expect(JSON.stringify(refused)).not.toContain(TOKEN);
    expect(await eventsTold(test.log)).toBe(before);
    expect(await call(tool, { ...args, force: true })).toMatchObject({ isError: false });
  });

  it('can be taken off as a tag', async () => {
    const key = await remembered('Tagged with a token by force.');
    await call('retag', { key, add: [TOKEN], force: true });
    expect(await call('retag', { key, remove: [TOKEN] })).toMatchObject({ isError: false, answer: { status: 'updated', tags: [] } });
  });
});
