import { mkdtempSync, rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { endOrphan } from '../../services/valkey/child.js';
import { connectTools } from '../e2e/app/client.js';
import { openTestApp } from '../support/app.js';
import { startServerProcess } from './server.js';
import { lookAt, verifyStore } from './store.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const LONG = { timeout: 60_000 };

it('an index under which the store is emptied, and written to at once, keeps nothing of before', LONG, async () => {
  const test = await openTestApp();
  ends.push(test.end);
  const { app, call, redis, index } = test;
  for (let i = 0; i < 30; i++) await app.commands.remember({ content: `The old barge carried cargo${i}.`, force: true }, call);
  await app.commands.suppressTopic({ topic: 'barge' }, call);
  expect(index.documents.size).toBe(30);
  await redis.flushall();
  const kept = await app.commands.remember({ content: 'The new barge carries salt.', force: true }, call);
  await expect.poll(() => index.documents.size, { timeout: 20_000 }).toBe(1);
  expect([...index.documents.keys()]).toEqual(kept.status === 'stored' ? [kept.key] : []);
  expect(index.suppressed.topics.size).toBe(0);
  expect(index.words('episodic').stats()).toMatchObject({ memories: 1 });
  const { results } = await app.queries.recall({ query: 'the new barge carries salt, not the old cargo7' }, call);
  expect(results.map(({ content }) => content)).toEqual(['The new barge carries salt.']);
});

it('a server whose store is emptied says so in red, shows nothing of before, and remembers anew', LONG, async () => {
  const dataDir = mkdtempSync('/tmp/omt-');
  const server = await startServerProcess(dataDir);
  ends.push(async () => {
    await server.kill();
    await endOrphan(`${dataDir}/valkey`);
    rmSync(dataDir, { recursive: true, force: true });
  });
  await using tools = await connectTools(server.url);
  for (let i = 0; i < 12; i++) await tools.call('remember', { content: `The old ferry crossed at pier${i}.`, force: true });
  const store = await lookAt(dataDir);
  ends.push(async () => store.close());
  await store.redis.flushall();
  const codes = async (): Promise<readonly string[]> => {
    const { issues } = (await tools.call('health')) as { issues: { code: string; severity: string }[] };
    return issues.filter(({ severity }) => severity === 'red').map(({ code }) => code);
  };
  await expect.poll(codes, { timeout: 20_000 }).toEqual(['STORE_CHANGED']);
  const recalled = async (query: string): Promise<unknown[]> => ((await tools.call('recall', { query })) as { results: unknown[] }).results;
  expect(await recalled('the old ferry crossed at pier7')).toEqual([]);
  await tools.call('remember', { content: 'The new ferry crosses at noon.', force: true });
  expect(await recalled('when does the new ferry cross, at noon')).toMatchObject([{ content: 'The new ferry crosses at noon.' }]);
  expect(await codes()).toEqual(['STORE_CHANGED']);
  const anew = await lookAt(dataDir);
  ends.push(async () => anew.close());
  await verifyStore(anew);
});
