import { afterEach, expect, it } from 'vitest';
import { PROJECTIONS } from '../../services/views.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { TEST_SEED } from '../support/chance.js';
import { seededNumbers } from '../support/eventlog.js';
import { startValkey } from '../support/valkey.js';
import { startWorker, type Worker } from './worker.js';

const ROUNDS = Number(process.env.TEST_ROUNDS ?? 2);

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
});
const start = async (test: TestApp): Promise<Worker> => {
  const worker = await startWorker(test);
  workers.push(worker);
  return worker;
};

/** Many at once, since a write waits for its visibility while no worker works. */
const write = ({ app, call }: TestApp, name: string, count: number, kinds: 'all' | 'no forgetting' | 'plain' = 'all'): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const stored = await app.commands.remember({ content: `Crew ${name} loaded barrel${name}x${n}.`, force: true, tags: ['new'] }, call);
      if (stored.status !== 'stored') throw new Error('not stored');
      const { key } = stored;
      if (kinds === 'plain') return key;
      if (n % 3 === 0) await app.commands.retag({ key, add: [`t${n}`] }, call);
      if (n % 4 === 0) await app.commands.revise({ key, content: `Crew ${name} unloaded barrel${name}x${n}.` }, call);
      if (n % 7 === 0 && kinds === 'all') await app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, call);
      return key;
    }),
  );

const tail = async ({ redis, keys }: TestApp): Promise<number> => Number(await redis.xlen(keys.log));

it('a lease holder that was stopped and wakes after its successor has worked doubles nothing', { timeout: 120_000 }, async () => {
  const valkey = await startValkey();
  // This process writes and reads and leaves the views to workers.
  const test = await openTestApp({ valkey, options: { projects: false } });
  try {
    const first = await start(test);
    await first.holding(PROJECTIONS.length);
    await write(test, 'a', 12);
    // Stopped in the middle of work, so that it has read what it has not applied.
    const writing = write(test, 'b', 20, 'plain');
    first.process.kill('SIGSTOP');
    await writing;
    const second = await start(test);
    await second.holding(PROJECTIONS.length);
    await write(test, 'c', 12);
    const events = await tail(test);
    first.process.kill('SIGCONT');
    await write(test, 'd', 12);
    await first.kill('SIGTERM');
    expect(await tail(test)).toBeGreaterThan(events);
    await test.verifyAll();
    const audit = await test.app.queries.memoryAudit({ limit: 500 }, test.call);
    const expected = 12 + 20 + 12 + 12 - (2 + 2 + 2);
    expect(audit).toMatchObject({ total: expected, returned: expected, summary: { deleted: 6 } });
    expect(new Set(audit.entries.map(({ key }) => key)).size).toBe(expected);
    const [best] = (await test.app.queries.recall({ query: 'barrelbx19' }, test.call)).results;
    expect(best?.content).toBe('Crew b loaded barrelbx19.');
  } finally {
    await test.end();
    await valkey.stop();
  }
});

it(`a projector that is killed between its batches leaves no view half (TEST_SEED=${TEST_SEED}, ${ROUNDS} times)`, {
  timeout: 180_000,
}, async () => {
  const random = seededNumbers(TEST_SEED);
  const valkey = await startValkey();
  const test = await openTestApp({ valkey, options: { projects: false } });
  try {
    let last: string | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const worker = await start(test);
      // Forgetting waits for the views, and there are none while no worker works.
      const writing = write(test, `r${round}`, 25, 'no forgetting');
      await worker.holding(PROJECTIONS.length);
      await new Promise((resolve) => setTimeout(resolve, random() * 300));
      await worker.kill('SIGKILL');
      last = (await writing).at(-1);
    }
    const heir = await start(test);
    await heir.holding(PROJECTIONS.length);
    await expect
      .poll(async () => (await test.app.queries.recallDetail({ keys: [last ?? ''] }, test.call)).results, { timeout: 60_000 })
      .toMatchObject([{ state: 'active' }]);
    await test.verifyAll();
    const audit = await test.app.queries.memoryAudit({ limit: 500 }, test.call);
    expect(audit.total).toBe(ROUNDS * 25);
  } finally {
    await test.end();
    await valkey.stop();
  }
});

it('with a server of its own a process waits for no dead holder of a lease', { timeout: 120_000 }, async () => {
  const test = await openTestApp();
  try {
    await write(test, 'a', 3);
    await test.close();
    const client = test.valkey.client();
    for (const { name } of PROJECTIONS) await client.set(test.keys.lease(name), '999', 'PX', 3_600_000);
    const next = await test.another({
      supervised: () => ({ state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined }),
    });
    await next.app.whenReady(30_000);
    const [other = ''] = await write({ ...test, ...next }, 'c', 1, 'plain');
    await expect
      .poll(async () => (await next.app.queries.recallDetail({ keys: [other] }, test.call)).results[0], { timeout: 30_000 })
      .toMatchObject({ key: other, state: 'active' });
    await next.close();
  } finally {
    await test.end();
  }
});
