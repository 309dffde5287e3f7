import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { connectTools, keyOf, resultsOf, waitingEmbedder } from '../e2e/app/client.js';
import { startWhole } from '../e2e/app/instance.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { hashedEmbedder, providerOf } from '../support/embedders.js';
import { eventually } from '../support/mcp.js';
import { startValkey } from '../support/valkey.js';
import { keysWithText, lookAt, verifyStore } from './store.js';

/** The scan must not be blinded by compression. */
const plainValkey = () => startValkey({ config: { rdbcompression: 'no' } });

const open: TestApp[] = [];
const openPlain = async (options: Parameters<typeof openTestApp>[0] = {}): Promise<TestApp> => {
  const valkey = await plainValkey();
  const test = await openTestApp({ valkey, ...options });
  open.push(test);
  return test;
};
afterEach(async () => {
  for (const test of open.splice(0)) {
    await test.verifyAll();
    await test.end();
    await test.valkey.stop();
  }
});

const remember = async (test: TestApp, content: string): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const forget = (test: TestApp, key: string) => test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);

describe('forget means gone', () => {
  it('from every key, the queries that showed it and its old wording included; others stay', async () => {
    const test = await openPlain();
    const key = await remember(test, 'The vault code word is quetzalcoatl, said Mira.');
    const other = await remember(test, 'The cafeteria opens at eight.');
    await test.app.commands.revise({ key, content: 'The vault code word is huitzilopochtli, said Mira.' }, test.call);
    await test.app.commands.deprioritise(
      { key_or_query: key, reason: 'spoken aloud: tezcatlipoca', reinstate_hints: ['coatlicue'] },
      test.call,
    );
    const shown = await test.app.queries.recall({ query: 'The vault code word, said Mira, xolotl' }, test.call);
    await test.app.queries.recall({ query: 'the cafeteria opens at eight' }, test.call);
    const secrets = ['quetzalcoatl', 'huitzilopochtli', 'tezcatlipoca', 'coatlicue', 'The vault code word, said Mira, xolotl'];
    // First prove that the scan finds each of them.
    await eventuallyHeld(test, 'The vault code word, said Mira, xolotl');
    expect(shown.results.map((found) => found.key)).toContain(key);
    for (const secret of secrets) expect(await keysWithText(test.redis, secret), secret).not.toEqual([]);

    expect(await forget(test, key)).toMatchObject({ status: 'deleted', erased: true });
    await eventuallyGone(test, 'The vault code word, said Mira, xolotl');
    for (const secret of secrets) expect(await keysWithText(test.redis, secret), secret).toEqual([]);
    expect(await keysWithText(test.redis, 'the cafeteria opens at eight')).not.toEqual([]);
    expect(await test.redis.keys('*emb*')).toEqual([expect.stringContaining(other)]);
    expect(await test.redis.hkeys(test.keys.counter('recalls'))).toEqual([other]);
    expect((await test.app.queries.recall({ query: 'huitzilopochtli' }, test.call)).results).toEqual([]);
    expect((await test.app.queries.recall({ query: 'coatlicue' }, test.call)).results).toEqual([]);
    // A process that begins now finds nothing either.
    const later = await test.another();
    await later.app.whenReady(30_000);
    expect((await later.app.queries.recall({ query: 'huitzilopochtli' }, test.call)).results).toEqual([]);
    await later.close();
  });

  it('the query texts too when the process that forgot died before it got to them', async () => {
    const test = await openPlain();
    const key = await remember(test, 'The spare key hangs behind the samovar.');
    await test.app.queries.recall({ query: 'the spare key hangs behind the samovar, asked Ondine' }, test.call);
    await eventuallyHeld(test, 'asked Ondine');
    // This one only writes and leaves the cleaning to others; it is gone before they look.
    const writer = await test.another({ projects: false });
    await writer.app.whenReady(30_000);
    await writer.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    await writer.close();
    await test.close();
    expect(await looking(test, 'asked Ondine')).not.toEqual([]);
    const next = await test.another();
    await next.app.whenReady(30_000);
    await eventuallyGone(test, 'asked Ondine');
    await next.close();
    open.length = 0;
    await test.end();
    await test.valkey.stop();
  });

  it('a recall that was on its way leaves no count and no query text', async () => {
    const test = await openPlain();
    const key = await remember(test, 'The heron nests beside the third lock.');
    // The note of a recall is written a moment after the answer: forget in between.
    expect(
      (await test.app.queries.recall({ query: 'the heron nests beside the third lock, asked Ondine' }, test.call)).results[0],
    ).toMatchObject({ key });
    await forget(test, key);
    const another = await remember(test, 'A marker memory about weather.');
    await test.app.queries.recall({ query: 'a marker memory about weather, asked Pernille' }, test.call);
    await eventuallyHeld(test, 'asked Pernille');
    expect(await keysWithText(test.redis, 'asked Ondine')).toEqual([]);
    expect(await test.redis.hkeys(test.keys.counter('recalls'))).toEqual([another]);
    expect(await test.redis.hkeys(test.keys.counter('last-recalled'))).toEqual([another]);
  });

  it('an embedding that was paused and ends after the forget publishes nothing', async () => {
    const waiting = waitingEmbedder(hashedEmbedder(), (text) => text.includes('pelican'));
    const provider = providerOf();
    const test = await openPlain({ provider });
    const key = await remember(test, 'The pelican memo was never sent.');
    const other = await remember(test, 'The stork memo was sent.');
    provider.arrive(waiting.embedder);
    await waiting.reached;
    await forget(test, key);
    waiting.release();
    await eventually(
      () => test.index.serving?.missing.size === 0,
      () => test.index.serving?.missing.size,
      30_000,
    );
    expect(await test.redis.keys('*:emb:*')).toEqual([expect.stringContaining(other)]);
    expect(await keysWithText(test.redis, 'pelican')).toEqual([]);
    expect((await test.app.queries.recall({ query: 'pelican memo' }, test.call)).results.map((found) => found.key)).not.toContain(key);
  });

  it('a revision that was being embedded while its memory was forgotten is refused', async () => {
    const waiting = waitingEmbedder(hashedEmbedder(), (text) => text.includes('cormorant'));
    const test = await openPlain({ provider: providerOf(waiting.embedder) });
    const key = await remember(test, 'The gannet list is short.');
    const revising = test.app.commands.revise({ key, content: 'The cormorant list is long.' }, test.call);
    await waiting.reached;
    await forget(test, key);
    waiting.release();
    await expect(revising).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await keysWithText(test.redis, 'cormorant')).toEqual([]);
    expect(await test.redis.keys('*:emb:*')).toEqual([]);
  });

  it('and from the files of the managed server, once they were rewritten', async () => {
    const dataDir = mkdtempSync('/tmp/omt-');
    const files = `${dataDir}/valkey/appendonlydir`;
    const onDisk = (text: string): boolean =>
      readdirSync(files).some((name) => {
        try {
          return readFileSync(`${files}/${name}`).includes(text);
        } catch {
          return false; // A rewrite has just removed it.
        }
      });
    const instance = await startWhole(dataDir);
    try {
      await using tools = await connectTools(instance.url);
      const key = keyOf(await tools.call('remember', { content: 'Only here stands the word archaeopteryx.' }));
      await tools.call('recall', { query: 'archaeopteryx' });
      expect(onDisk('archaeopteryx')).toBe(true);
      expect(await tools.call('forget', { key_or_query: key, confirm: true, keys: [key] })).toMatchObject({ disk: 'pending' });
      await eventually(
        () => !onDisk('archaeopteryx'),
        () => 'still on the disk',
        60_000,
      );
      const store = await lookAt(dataDir);
      await eventuallyConfirmed(store.redis, store.keys.log);
      expect(await keysWithText(store.redis, 'archaeopteryx')).toEqual([]);
      await verifyStore(store);
      store.close();
      expect(resultsOf(await tools.call('recall', { query: 'archaeopteryx' }))).toEqual([]);
      const health = await tools.call('health');
      expect((health.issues as { code: string }[]).map(({ code }) => code)).not.toContain('ERASURE_PENDING');
    } finally {
      await instance.close();
      expect(readdirSync(dataDir)).not.toContain('instance.json');
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
  for (const end = performance.now() + 30_000; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};
const looking = async ({ valkey }: TestApp, text: string): Promise<string[]> => {
  const client = valkey.client();
  const found = await keysWithText(client, text);
  client.disconnect();
  return found;
};
const eventuallyHeld = (test: TestApp, text: string): Promise<void> =>
  until(async () => (await looking(test, text)).length > 0, `${text} is stored`);
const eventuallyGone = (test: TestApp, text: string): Promise<void> =>
  until(async () => (await looking(test, text)).length === 0, `${text} is gone`);
const eventuallyConfirmed = (redis: TestApp['redis'], log: string): Promise<void> =>
  until(async () => JSON.stringify(await redis.xrevrange(log, '+', '-', 'COUNT', 5)).includes('ErasureConfirmed'), 'ErasureConfirmed');
