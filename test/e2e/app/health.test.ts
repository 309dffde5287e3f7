import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { writeMarker } from '../../../services/ops/store-marker.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { eventually } from '../../support/mcp.js';

const open: TestApp[] = [];
const openApp = async (options: Parameters<typeof openTestApp>[0] = {}): Promise<TestApp> => {
  const test = await openTestApp(options);
  open.push(test);
  return test;
};
afterEach(async () => {
  for (const test of open.splice(0)) await test.end();
});

const remember = async (test: Pick<TestApp, 'app' | 'call'>, content: string): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const red = async ({ app }: Pick<TestApp, 'app'>): Promise<readonly string[]> =>
  (await app.queries.health()).issues.filter(({ severity }) => severity === 'red').map(({ code }) => code);

describe('health turns red, with the reason', () => {
  it('when the store was emptied under the running server, and still after a restart', async () => {
    const test = await openApp();
    await remember(test, 'The bell tower has ninety-one steps.');
    expect(await red(test)).toEqual([]);
    await test.redis.flushall();
    expect(await red(test)).toContain('STORE_CHANGED');
    await test.close();
    const next = await test.another();
    expect(await red(next)).toContain('STORE_CHANGED');
    await next.close();
  });

  it('when another store answers than before', async () => {
    const test = await openApp();
    await remember(test, 'The bell tower has ninety-one steps.');
    await test.close();
    const client = test.valkey.client();
    await client.hset(test.keys.meta, 'log_id', '01ARZ3NDEKTSV4RRFFQ69G5FAV');
    const next = await test.another();
    const { issues, status } = await next.app.queries.health();
    expect(status).toBe('red');
    expect(issues).toContainEqual(
      expect.objectContaining({ code: 'STORE_CHANGED', message: expect.stringContaining('01ARZ3NDEKTSV4RRFFQ69G5FAV') }),
    );
    // Unless it is here on purpose: a restore that was seen before it ended notes at its end what it leaves.
    const marker = { log_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', events: 1, seen_at: new Date().toISOString() };
    await writeMarker(test.dataDir, test.keys.tenant, marker);
    expect(await red(next)).toEqual([]);
    await client.flushall();
    expect(await red(next)).toContain('STORE_CHANGED');
    await next.close();
  });

  it('when an event cannot be read, and names its memory; the others go on', async () => {
    const test = await openApp();
    const key = await remember(test, 'The ferry bell is cracked.');
    const entry = (await test.redis.xrange(test.keys.log, '-', '+')).find(([, fields]) => fields.includes(key));
    const fields = entry?.[1] ?? [];
    const at = (name: string): number => fields.indexOf(name) + 1;
    fields[at('n')] = '2';
    fields[at('type')] = 'MemoryRevised';
    await test.redis.hset(test.keys.payloads(key), '2', 'no payload of ours', 'v', '2');
    await test.redis.xadd(test.keys.log, '*', ...fields);
    const other = await remember(test, 'The ferry horn is new.');
    await eventually(() => test.index.degraded.has(key));
    await expect.poll(() => red(test), { timeout: 30_000 }).toEqual(expect.arrayContaining(['DEAD_LETTERS', 'INDEX_DEGRADED']));
    const health = await test.app.queries.health();
    expect(health.issues.find(({ code }) => code === 'DEAD_LETTERS')?.message).toContain(key);
    expect((await test.app.queries.recall({ query: 'The ferry horn is new' }, test.call)).results[0]?.key).toBe(other);
  });

  const vector = (values: readonly number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
  it.each([
    ['zero', vector(Array.from({ length: 64 }, () => 0))],
    ['not a number', vector(Array.from({ length: 64 }, () => Number.NaN))],
    ['infinite', vector(Array.from({ length: 64 }, (_, i) => (i === 3 ? Number.POSITIVE_INFINITY : 0)))],
    ['of another length', vector(Array.from({ length: 63 }, () => 0.126))],
    ['no vector at all', Buffer.from('abc')],
    ['not of norm 1', vector(Array.from({ length: 64 }, () => 1))],
  ])('when a stored vector is %s, and mends it when there is a model', async (_what, bytes) => {
    const embedder = hashedEmbedder();
    const test = await openApp({ provider: providerOf(embedder) });
    const key = await remember(test, 'The signal mast carries two lamps.');
    await eventually(() => test.index.serving !== undefined);
    await test.close();
    const client = test.valkey.client();
    await client.hset(test.keys.embedding(embedder.identity.id, key), 'w', bytes);
    const without = await test.another({ provider: providerOf() });
    await without.app.whenReady(30_000);
    await eventually(() => without.index.serving !== undefined);
    expect(await red(without)).toEqual(['VECTORS_REFUSED']);
    expect((await without.app.queries.recall({ query: 'signal mast two lamps' }, test.call)).results[0]?.key).toBe(key);
    await without.close();
    const mended = await test.another({ provider: providerOf(embedder) });
    await mended.app.whenReady(30_000);
    await eventually(
      () => mended.index.serving?.missing.size === 0 && mended.index.serving.refused.size === 0,
      () => mended.index.stats(),
    );
    expect(await red(mended)).toEqual([]);
    await mended.close();
  });

  it('when the vectors are of another model than the embedder', async () => {
    const test = await openApp({ provider: providerOf(hashedEmbedder('one')) });
    await remember(test, 'The signal mast carries two lamps.');
    await eventually(() => test.index.serving !== undefined);
    const next = await test.another({ provider: providerOf(hashedEmbedder('two', 32)) });
    await next.app.whenReady(30_000);
    expect(await red(next)).toEqual(['MODEL_MISMATCH']);
    await next.close();
  });

  it('when the views stand still behind the log', async () => {
    const test = await openApp();
    await remember(test, 'The first entry of the wharf book.');
    await test.close();
    // Nobody writes the views, and the oldest event that they lack is a minute old.
    const client = test.valkey.client();
    const id = `${Date.now() - 60_000}-0`;
    const [last] = await client.xrevrange(test.keys.log, '+', '-', 'COUNT', 1);
    await client.del(test.keys.log);
    await client.xadd(test.keys.log, id, ...(last?.[1] ?? []));
    for (const name of await client.keys(`${test.keys.prefix}proj:*:g*`))
      if ((await client.type(name)) === 'hash' && (await client.hexists(name, 'checkpoint'))) await client.hset(name, 'checkpoint', '0-0');
    rmSync(`${test.dataDir}/store-${test.keys.tenant}.json`);
    const idle = await test.another({ projects: false });
    expect(await red(idle)).toContain('VIEW_BEHIND');
    await idle.close();
  });

  it('when the data folder cannot be written', async () => {
    const test = await openApp();
    // A folder in its place stops the file from being renamed there, whoever the user is.
    rmSync(test.dataDir, { recursive: true });
    writeFileSync(test.dataDir, 'a file where the folder was');
    const { issues, status } = await test.app.queries.health();
    expect(status).toBe('red');
    expect(issues).toContainEqual(expect.objectContaining({ code: 'DATA_DIR', message: expect.stringMatching(/ENOTDIR|ENOENT/) }));
    rmSync(test.dataDir);
    const write = () => test.app.commands.remember({ content: 'Written without a folder.', force: true }, test.call);
    await expect
      .poll(() => write().catch((error) => error), { timeout: 30_000 })
      .toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('data folder'),
        hint: expect.stringMatching(/\S/),
      });
  });

  it('when Valkey does not answer, and is well again when it does', async () => {
    const test = await openApp();
    await remember(test, 'The lamp oil is in the cellar.');
    test.valkey.pause();
    const asleep = await test.app.queries.health();
    test.valkey.resume();
    expect(asleep).toMatchObject({ status: 'red', valkey_connected: false, issues: [{ code: 'VALKEY_DOWN' }] });
    await expect.poll(() => red(test), { timeout: 30_000 }).toEqual([]);
    await test.verifyAll();
  });
});
