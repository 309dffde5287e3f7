import { afterAll, beforeAll, expect, it } from 'vitest';
import { ORIGIN } from '../../../domain/envelope.js';
import type { RawEntry } from '../../../services/backup/entry.js';
import { createReadback, type Readback } from '../../../services/backup/readback.js';
import { readRaw } from '../../../services/backup/source.js';
import { createWriter } from '../../../services/backup/writer.js';
import { contents, liveALittle } from '../../support/backup.js';
import { openTestLog, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const expecting = async ({ redis, keys }: TestLog): Promise<{ readonly readback: Readback; readonly entries: readonly RawEntry[] }> => {
  const entries = await readRaw(redis, keys, ORIGIN, 5_000);
  const readback = createReadback(redis, keys);
  for (const entry of entries) readback.expect(entry, entry.payload);
  return { readback, entries };
};

it('what a store holds is held against what it must hold, with bytes that are no text and entries that nobody can read', async () => {
  await using test = await openTestLog({ valkey });
  await liveALittle(test, 11, 60);
  const { redis, keys } = test;
  await redis.xadd(keys.log, '*', Buffer.from([0xff, 0x00, 0xfe]), 'x', 'subject', '');
  const { readback, entries } = await expecting(test);
  expect(entries.length).toBeGreaterThan(60);
  expect(await readback.holds()).toBe(true);

  const some = entries.find(({ state }) => state === 'p') as RawEntry;
  const subject = String(some.fields[some.fields.indexOf('subject') + 1]);
  const n = String(some.fields[some.fields.indexOf('n') + 1]);
  const altered = Buffer.from(some.payload as Buffer);
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  await redis.hset(keys.payloads(subject), n, altered);
  expect(await readback.holds()).toBe(false);
  await redis.hdel(keys.payloads(subject), n);
  expect(await readback.holds()).toBe(false);
  await redis.hset(keys.payloads(subject), n, some.payload as Buffer);
  expect(await readback.holds()).toBe(true);
  await redis.xdel(keys.log, some.position);
  expect(await readback.holds()).toBe(false);
});

it('steps that are sent together, to a server that knows no script, arrive in their order, and none of them twice', async () => {
  await using source = await openTestLog({ valkey });
  await liveALittle(source, 12, 60);
  const entries = await readRaw(source.redis, source.keys, ORIGIN, 5_000);
  await using target = await openTestLog({ valkey });
  const { redis, keys } = target;
  await redis.hset(keys.restoring, { token: 'mine', at: '0', backup: 'b' });
  await redis.script('FLUSH');
  const parts = { redis, keys, token: 'mine', fates: new Map(), forgotten: new Set<string>(), textKeys: undefined };
  const write = createWriter(parts, { length: 0, head: ORIGIN });
  const steps = [0, 1, 2, 3].map((i) => write(entries.slice(i * 20, i === 3 ? undefined : (i + 1) * 20)));
  await Promise.all(steps);
  const log = async (test: TestLog) => [...(await contents(test.redis, test.keys, ['log']))].find(([name]) => name === 'log');
  expect(await log(target)).toEqual(await log(source));

  await redis.hset(keys.restoring, 'token', 'another');
  await expect(createWriter(parts, { length: entries.length, head: entries.at(-1)?.position ?? '' })(entries)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});
