import { expect, it } from 'vitest';
import { isDomainError } from '../../domain/errors.js';
import { openTestApp } from '../support/app.js';
import { eventsTold, newId } from '../support/eventlog.js';
import { startValkey } from '../support/valkey.js';
import { FAULTS, startProxy } from './eventlog-proxy.js';

it.each(FAULTS)(
  'a write whose connection breaks in flight (%s) is done once, and a retry makes no second',
  { timeout: 120_000 },
  async (fault) => {
    const valkey = await startValkey();
    const proxy = await startProxy(valkey.socket);
    const test = await openTestApp({ valkey, options: { target: { path: proxy.path } } });
    try {
      const { commands, queries } = test.app;
      await expect.poll(() => test.index.serving !== undefined, { timeout: 30_000 }).toBe(true);
      const before = await eventsTold(test.log);
      const keys: string[] = [];
      // A silent connection is noticed after seconds, a broken one at once.
      const count = fault.startsWith('cut') ? 3 : 1;
      const found = async (n: number): Promise<string[]> =>
        (await persistently(() => queries.recall({ query: `The ferry leaves pier ${n} at noon` }, test.call))).results.map(
          ({ key }) => key,
        );
      for (let n = 0; n < count; n++) {
        proxy.plan.push(fault);
        const input = { content: `The ferry leaves pier ${n} at noon (${fault}).`, force: true };
        const call = { ...test.call, commandId: newId() };
        const first = await persistently(() => commands.remember(input, call));
        const again = await persistently(() => commands.remember(input, call));
        if (first.status !== 'stored' || again.status !== 'stored') throw new Error('not stored');
        expect(again.key).toBe(first.key);
        keys.push(first.key);
      }
      expect(proxy.played()).toBeGreaterThan(0);
      proxy.plan.length = 0;
      for (const n of keys.keys()) await expect.poll(() => found(n), { timeout: 60_000 }).toContain(keys[n]);
      const audit = await queries.memoryAudit({ limit: 500 }, test.call);
      expect(audit.entries.map(({ key }) => key).sort()).toEqual([...keys].sort());
      expect(await eventsTold(test.log)).toBe(before + count);
      await test.verifyAll();
    } finally {
      await test.end();
      await proxy[Symbol.asyncDispose]();
      await valkey.stop();
    }
  },
);

/** As a client does: the same call again when the answer says that it may be tried again. */
const persistently = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isDomainError(error, 'UNAVAILABLE') || attempt === 10) throw error;
      expect(error.hint).toMatch(/Try again/);
    }
  }
};
