import { mkdtempSync, rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { endOrphan } from '../../services/valkey/child.js';
import { connectTools } from '../e2e/app/client.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { appendOf, newMemory, openTestLog } from '../support/eventlog.js';
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
  const anew = await test.another();
  ends.push(anew.close);
  await anew.app.whenReady(20_000);
  const kept = await anew.app.commands.remember({ content: 'The new barge carries salt.', force: true }, call);
  for (const one of [index, anew.index]) {
    await expect.poll(() => one.documents.size, { timeout: 20_000 }).toBe(1);
    expect([...one.documents.keys()]).toEqual(kept.status === 'stored' ? [kept.key] : []);
    expect(one.suppressed.topics.size).toBe(0);
    expect(one.words('episodic').stats()).toMatchObject({ memories: 1 });
  }
  // Both processes may have taken the views by tokens of the same number; the old one has let go by then.
  const recalled = async () => {
    const answer = await anew.app.queries.recall({ query: 'the new barge carries salt, not the old cargo7' }, call).catch(() => undefined);
    return answer?.results.map(({ content }) => content);
  };
  await expect.poll(recalled, { timeout: 30_000 }).toEqual(['The new barge carries salt.']);
});

it.each<[string, (test: TestApp) => Promise<unknown>]>([
  ['is emptied', ({ redis }) => redis.flushall()],
  [
    'is replaced by that of another memory, as long as it was',
    async ({ redis, keys, valkey }) => {
      await using other = await openTestLog({ valkey });
      for (let i = 0; i < 3; i++) await other.log.append(appendOf([newMemory(`The other ferry carries sheep${i}.`)]));
      const mine = await redis.keys(`${keys.prefix}*`);
      await redis.del(...mine);
      for (const name of await redis.keys(`${other.keys.prefix}*`))
        await redis.rename(name, keys.prefix + name.slice(other.keys.prefix.length));
    },
  ],
])('an app without anybody around it whose log %s tells whoever opened it, and shows nothing of before', LONG, async (_how, replace) => {
  let told = 0;
  const test = await openTestApp({ options: { onReplaced: () => void told++ } });
  ends.push(test.end);
  const { app, call } = test;
  for (let i = 0; i < 3; i++) await app.commands.remember({ content: `The old ferry carried cattle${i}.`, force: true }, call);
  const calls = [
    () => app.queries.recall({ query: 'the old ferry carried cattle1' }, call),
    () => app.queries.recall({ query: 'the old ferry carried cattle1', as_of: new Date(Date.now() - 1).toISOString() }, call),
    () => app.commands.remember({ content: 'Said under the salt of another log.' }, call),
    () => app.backups.dump({}, call),
  ];
  await calls[0]?.();
  await replace(test);
  await expect.poll(() => told, { timeout: 20_000 }).toBe(1);
  for (const ask of calls)
    await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/another log/i) });
  expect((await app.queries.health()).issues.map(({ code }) => code)).toContain('STORE_CHANGED');
  const anew = await test.another({ onReplaced: undefined });
  ends.push(anew.close);
  await anew.app.whenReady(10_000);
  const { results } = await anew.app.queries.recall({ query: 'which ferry carried cattle1, or sheep1' }, call);
  expect(results.filter(({ content }) => content.includes('old ferry'))).toEqual([]);
  expect(told).toBe(1);
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
