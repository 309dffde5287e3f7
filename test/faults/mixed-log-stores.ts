import { expect } from 'vitest';
import { servingGeneration } from '../../projections/generation.js';
import { createKeys } from '../../projections/keys.js';
import { VIEW_NAMES } from '../../services/views.js';
import { openTestApp, type TestApp } from '../support/app.js';
import type { TestValkey } from '../support/valkey.js';
import { supervised } from './mixed-log.js';
import { BEGINNING, type Clock } from './mixed-log-world.js';

/** Resolves when views and vectors have met the whole log. */
export const reached = async (test: TestApp, timeout: number): Promise<void> => {
  const head = await test.log.head();
  if (head) await test.runner.waitFor(head.position, timeout, VIEW_NAMES);
  await test.index.settled();
  await expect.poll(() => test.index.serving?.missing.size, { timeout, interval: 20 }).toBe(0);
};

/** The product over a store that is there, at a time when nothing has expired yet, so that it adds nothing by itself. */
export const openStill = async (
  valkey: TestValkey,
  tenant: string,
  timeout: number,
  clock: Clock = { now: BEGINNING },
): Promise<TestApp> => {
  const test = await openTestApp({
    valkey,
    env: { OMNIMEM_TENANT: tenant },
    options: { now: () => clock.now, supervised },
    readyMs: timeout,
  });
  const serving = () => Promise.all(VIEW_NAMES.map((name) => servingGeneration(test.redis, test.keys, name)));
  await expect.poll(serving, { timeout, interval: 50 }).not.toContain(undefined);
  await reached(test, timeout);
  return test;
};

export const dropTenant = async (valkey: TestValkey, tenant: string): Promise<void> => {
  const client = valkey.client();
  const names = await client.keys(`${createKeys(tenant).prefix}*`);
  for (let from = 0; from < names.length; from += 1_000) await client.unlink(names.slice(from, from + 1_000));
  client.disconnect();
};
