import { afterEach, expect, it } from 'vitest';
import { erasureIssues } from '../../../services/erasure/issues.js';
import { lateProcesses, ProcessRegister, type RegisterParts } from '../../../services/erasure/register.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { newId } from '../../support/eventlog.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const open = async (): Promise<TestApp> => {
  const test = await openTestApp({ options: { supervised: () => running } });
  ends.push(test.end);
  return test;
};
const running = { state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined } as const;

/** A process whose memory stands at a place that the test moves. */
const another = (test: TestApp, place: { position: string }, drop = (): void => undefined): ProcessRegister => {
  const { redis, keys, log } = test;
  const parts: RegisterParts = {
    redis,
    keys,
    id: newId(),
    name: 'process 4711',
    erasures: log.erasures,
    head: log.head,
    position: () => place.position,
    drop,
    models: () => [],
  };
  const register = new ProcessRegister(parts);
  register.start();
  ends.push(() => register.close());
  return register;
};

const forgetOne = async ({ app, call }: TestApp): Promise<void> => {
  const stored = await app.commands.remember({ content: `The safe opens with ${newId()}.`, force: true }, call);
  if (stored.status !== 'stored') throw new Error('not stored');
  await app.commands.forget({ keys: [stored.key], confirm: true }, call);
};

const confirmed = async ({ redis, keys }: TestApp): Promise<number> => Number((await redis.hget(keys.meta, 'erasures_confirmed')) ?? 0);

it('an erasure is confirmed only when every living process has followed the log beyond it', { timeout: 60_000 }, async () => {
  const test = await open();
  const { log, redis, keys } = test;
  const place = { position: (await log.head())?.position ?? '0-0' };
  let dropped = 0;
  another(test, place, () => {
    dropped += 1;
  });
  await expect.poll(() => redis.hlen(keys.processes), { timeout: 20_000 }).toBe(2);
  const before = dropped;
  await forgetOne(test);
  // Long enough for the file to be rewritten.
  await expect
    .poll(async () => (await lateProcesses(redis, keys, await log.erasures())).map(({ name }) => name), { timeout: 20_000 })
    .toEqual(['process 4711']);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await confirmed(test)).toBe(0);
  expect(dropped).toBe(before);
  place.position = (await log.head())?.position ?? '';
  await expect.poll(() => confirmed(test), { timeout: 30_000 }).toBe(1);
  expect(dropped).toBe(before + 1);
  expect(await lateProcesses(redis, keys, await log.erasures())).toEqual([]);
  const { app } = test;
  expect((await app.queries.health()).issues.map(({ code }) => code)).not.toContain('ERASURE_LATE');
});

it('a process that died is not waited for, and one that ended is in no list', { timeout: 60_000 }, async () => {
  const test = await open();
  const { redis, keys, log } = test;
  const [now] = await redis.time();
  const entry = { name: 'process 1', at: Number(now) - 60, behindSince: 0, erasures: 0 };
  await redis.hset(keys.processes, 'dead', JSON.stringify(entry));
  const register = another(test, { position: '0-0' });
  await forgetOne(test);
  const late = async (): Promise<readonly string[]> => (await lateProcesses(redis, keys, await log.erasures())).map(({ name }) => name);
  await expect.poll(late, { timeout: 20_000 }).toEqual(['process 4711']);
  expect(await redis.hexists(keys.processes, 'dead')).toBe(0);
  await register.close();
  await expect.poll(() => confirmed(test), { timeout: 30_000 }).toBe(1);
});

it('health names who is late, and which erasure was cancelled', () => {
  const late = [{ name: 'process 4711', seconds: 44 }];
  expect(erasureIssues({ cut: 1, cancelled: ['01K0000000000000000000000A'], late })).toMatchObject([
    { code: 'ERASURE_CUT_OFF', severity: 'red' },
    { code: 'ERASURE_CANCELLED', severity: 'amber', hint: expect.stringContaining('omnimem forget --confirm 01K0000000000000000000000A') },
    { code: 'ERASURE_LATE', severity: 'red', message: expect.stringContaining('process 4711') },
  ]);
  expect(erasureIssues({ cut: 0, cancelled: [], late: [] })).toEqual([]);
});

it('an erasure that is cancelled half-way stays so, says how to go on, and goes on when confirmed again', { timeout: 60_000 }, async () => {
  const test = await open();
  const { app, log, call } = test;
  for (let i = 0; i < 3; i++) {
    const contents = Array.from({ length: 150 }, (_, n) => `Crate ${i}.${n} holds nails of sort ${newId()}.`);
    await Promise.all(contents.map((content) => app.commands.remember({ content, force: true, project: 'crates' }, call)));
  }
  const preview = await app.commands.forget({ project: 'crates' }, call);
  if (preview.status !== 'preview') throw new Error(preview.status);
  const stop = new AbortController();
  const confirm = { confirm: true, preview_id: preview.preview_id } as const;
  const cut = app.commands.forget(confirm, { ...call, signal: stop.signal, progress: () => stop.abort() });
  await expect(cut).rejects.toThrow();
  const erased = await log.erasures();
  const codes = async () => (await app.queries.health()).issues.filter(({ code }) => code.startsWith('ERASURE_C'));
  expect(await codes()).toMatchObject([{ code: 'ERASURE_CANCELLED', hint: expect.stringContaining(preview.preview_id) }]);
  expect(await log.erasures()).toBe(erased);
  expect(await app.commands.forget(confirm, call)).toMatchObject({ status: 'deleted', deleted: 450 });
  expect(await codes()).toEqual([]);
});
