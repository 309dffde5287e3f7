import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAINTENANCE_LEASE, oneAtATime } from '../../../services/commands/maintenance/lease.js';
import { openTestApp, type TestApp } from '../../support/app.js';

const running = { state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined } as const;
const HOUR_MS = 60 * 60_000;

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.end());

const parts = () => ({ redis: test.redis, keys: test.keys, now: Date.now });
const lease = () => test.keys.lease(MAINTENANCE_LEASE);

it('a run holds a lease of seconds, which is renewed while it goes on, and another is told since when', async () => {
  await oneAtATime(parts(), async () => {
    expect(await test.redis.pttl(lease())).toBeLessThanOrEqual(15_000);
    await test.redis.pexpire(lease(), 10_000);
    await expect.poll(() => test.redis.pttl(lease()), { timeout: 12_000, interval: 100 }).toBeGreaterThan(10_000);
    const at = (await test.redis.hgetall(test.keys.counter('maintenance_begun'))).at ?? 'none';
    await expect(test.app.commands.maintain({ project: 'moss' }, test.call)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`since ${at}`),
      hint: expect.stringContaining('15 seconds'),
    });
  });
  expect(await test.redis.exists(lease())).toBe(0);
}, 30_000);

it('says no time for a holder that told none', async () => {
  await test.redis.set(lease(), '999', 'PX', HOUR_MS);
  await expect(oneAtATime(parts(), async () => undefined)).rejects.toMatchObject({ message: 'Maintenance is running already' });
});

it('whoever starts on a server of its own does not wait for a run that was killed', async () => {
  await test.redis.set(lease(), '999', 'PX', HOUR_MS);
  const other = await test.another({ supervised: () => running });
  try {
    await other.app.whenReady(10_000);
    await expect
      .poll(() => other.app.commands.maintain({ project: 'moss' }, test.call).catch(({ code }) => ({ status: code })), { timeout: 10_000 })
      .toMatchObject({ status: 'nothing_to_do' });
  } finally {
    await other.close();
  }
});
