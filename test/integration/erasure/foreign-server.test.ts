import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { confirmByWord } from '../../../services/erasure/confirm.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { built, environment, omnimem } from '../../e2e/cli/run.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { readAll } from '../../support/eventlog.js';
import { startValkey, type TestValkey, type TestValkeyOptions } from '../../support/valkey.js';

const TEXT = 'The tide gate opens to the word viridian-okapi.';
const SLOW = { timeout: 60_000 };

beforeAll(built, 120_000);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server that is not ours, with its files to be looked at from outside. */
const open = async (
  options: TestValkeyOptions,
  prepare: (valkey: TestValkey) => Promise<unknown> = async () => undefined,
): Promise<TestApp> => {
  const valkey = await startValkey({ ...options, config: { rdbcompression: 'no', ...options.config } });
  ends.push(() => valkey.stop());
  await prepare(valkey);
  const test = await openTestApp({ valkey });
  ends.push(test.end);
  return test;
};

const filesHolding = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesHolding(path);
    return statSync(path).isFile() && readFileSync(path).includes('viridian-okapi') ? [name] : [];
  });

const rememberAndForget = async ({ app, call }: TestApp, between: () => Promise<unknown> = async () => undefined): Promise<void> => {
  const stored = await app.commands.remember({ content: TEXT, force: true }, call);
  if (stored.status !== 'stored') throw new Error('not stored');
  await between();
  expect(await app.commands.forget({ keys: [stored.key], confirm: true }, call)).toMatchObject({ status: 'deleted', disk: 'external' });
};

const issues = async ({ app }: TestApp) => (await app.queries.health()).issues.filter(({ code }) => code.startsWith('ERASURE'));
const confirmations = async ({ log }: TestApp) =>
  (await readAll(log)).flatMap((entry) => (entry.kind === 'event' && entry.event.type === 'ErasureConfirmed' ? [entry.event] : []));

describe('an erasure on a Valkey server that is not ours', () => {
  it.each<[string, TestValkeyOptions]>([
    ['an append-only file', { aof: 'always' }],
    ['snapshots', { config: { save: '3600 1000000' } }],
    ['both', { aof: 'always', config: { save: '3600 1000000' } }],
  ])('leaves %s by the commands of the server, and is confirmed', SLOW, async (_what, options) => {
    const test = await open(options);
    await rememberAndForget(test, async () => {
      if (options.config?.save) await test.redis.save();
      expect(filesHolding(test.valkey.dir)).not.toEqual([]);
    });
    await expect
      .poll(() => confirmations(test), { timeout: 30_000 })
      .toMatchObject([{ envelope: { actor: 'job:eraser' }, data: { erasures: 1 } }]);
    expect(filesHolding(test.valkey.dir)).toEqual([]);
    expect(await issues(test)).toEqual([]);
  });

  it('waits for nothing where nothing is written', SLOW, async () => {
    const test = await open({});
    await rememberAndForget(test);
    await expect.poll(() => confirmations(test), { timeout: 30_000 }).toHaveLength(1);
    expect(readdirSync(test.valkey.dir)).toEqual([]);
  });

  it('is confirmed once by several processes', SLOW, async () => {
    const test = await open({ aof: 'always' });
    const other = await test.another();
    ends.push(other.close);
    await other.app.whenReady(10_000);
    await rememberAndForget(test);
    await expect.poll(async () => (await confirmations(test)).length, { timeout: 30_000 }).toBe(1);
    await expect.poll(async () => (await issues(test)).length, { timeout: 30_000 }).toBe(0);
    expect(await confirmations(test)).toHaveLength(1);
  });

  it('that refuses to write them anew says what to do, in amber, and takes our word that it was done', SLOW, async () => {
    const test = await open({ aof: 'always' }, ({ client }) => client().acl('SETUSER', 'default', '-bgrewriteaof', '-bgsave'));
    await rememberAndForget(test);
    await expect
      .poll(() => issues(test), { timeout: 30_000 })
      .toMatchObject([
        {
          code: 'ERASURE_ON_DISK',
          severity: 'amber',
          message: expect.stringContaining('NOPERM'),
          hint: expect.stringMatching(/BGREWRITEAOF.*omnimem forget --files-rewritten/),
        },
      ]);
    expect(filesHolding(test.valkey.dir)).not.toEqual([]);
    expect(await confirmations(test)).toEqual([]);

    const env = environment(test.dataDir, { VALKEY_URL: test.valkey.url, OMNIMEM_TENANT: test.keys.tenant });
    const { code, out, err } = await omnimem(['forget', '--files-rewritten'], env);
    expect([code, err, out]).toEqual([0, '', expect.stringContaining('on your word')]);
    expect(await confirmations(test)).toMatchObject([{ envelope: { actor: 'cli' }, data: { erasures: 1 } }]);
    expect(await issues(test)).toEqual([]);
    expect(await confirmByWord({ ...test, random: systemRandom(), now: Date.now }, 'cli')).toEqual({ confirmed: 0, erasures: 1 });
  });

  it('goes on by itself once the server allows it', SLOW, async () => {
    const test = await open({ aof: 'always' }, ({ client }) => client().acl('SETUSER', 'default', '-bgrewriteaof'));
    await rememberAndForget(test);
    await expect.poll(async () => (await issues(test)).map(({ code }) => code), { timeout: 30_000 }).toEqual(['ERASURE_ON_DISK']);
    await test.valkey.client().acl('SETUSER', 'default', '+bgrewriteaof');
    const next = await test.another();
    ends.push(next.close);
    await expect.poll(() => confirmations(test), { timeout: 30_000 }).toHaveLength(1);
    expect(filesHolding(test.valkey.dir)).toEqual([]);
  });
});
