import { afterAll, beforeAll, expect, it } from 'vitest';
import { Progress } from '../../../projections/recall/progress.js';
import { openTestApp, type TestApp } from '../../support/app.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.end());

/** A wait that nothing but the signal ends. */
const FOREVER_MS = 2 ** 31 - 1;

it('a start whose index can never follow the log ends when it is called off', async () => {
  await test.app.commands.remember({ content: 'Whoever waits can be called off.' }, test.call);
  await test.redis.set(test.keys.vectors, 'no stream');
  const troubles: string[] = [];
  const stuck = await test.another();
  const calledOff = new AbortController();
  const starting = stuck.app.whenReady(FOREVER_MS, (what) => troubles.push(what), calledOff.signal);
  setTimeout(() => calledOff.abort(), 300);
  await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
  expect(troubles).toEqual(['the views of the log']);
  expect(stuck.index.progress.everCaughtUp).toBe(false);
  await stuck.close();
  await test.redis.del(test.keys.vectors);
});

it('who waits for a view is let go by the signal, and by nothing else before its time', async () => {
  const progress = new Progress();
  const calledOff = new AbortController();
  const waits = [calledOff.signal, undefined].map((signal) => progress.waitFor('end', FOREVER_MS, signal));
  calledOff.abort();
  expect(await waits[0]).toBe('late');
  progress.caughtUp();
  expect(await waits[1]).toBe('reached');
  expect(await progress.waitFor('9-0', FOREVER_MS, calledOff.signal)).toBe('late');
});
