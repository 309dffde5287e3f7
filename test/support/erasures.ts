import type { TestApp } from './app.js';

/** Resolves when the eraser has nothing left to do. */
export const erasuresConfirmed = async (
  { log, redis, keys }: Pick<TestApp, 'log' | 'redis' | 'keys'>,
  patienceMs = 60_000,
): Promise<void> => {
  const wanted = await log.erasures();
  for (const end = performance.now() + patienceMs; ; ) {
    if (Number(await redis.hget(keys.meta, 'erasures_confirmed')) >= wanted) return;
    if (performance.now() > end) throw new Error('the erasure was not confirmed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
