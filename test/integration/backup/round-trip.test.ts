import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeDigests } from '../../../services/backup/digests.js';
import { contents, liveALittle, restore, take, temporaryFolder } from '../../support/backup.js';
import { openTestLog, readAll } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

describe('a backup, restored', () => {
  it('brings every key back: log, payloads, versions, claims, erasures, counters, name and salt', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const [one = ''] = await liveALittle(source, 1);
    await source.redis.hset(source.keys.counter('recalls'), one, 7);
    await source.redis.hset(source.keys.counter('last-recalled'), one, '2026-05-03T12:00:00.000Z');
    const before = await contents(source.redis, source.keys);
    const digests = await storeDigests(source.redis, source.keys, source.log.logId);
    const taken = await take(source, folder.path, { segmentEvents: 10 });
    expect(taken).toMatchObject({ events: digests.events, events_added: digests.events, log_digest: digests.log });
    expect(taken.segments_added).toBeGreaterThan(3);

    await using target = await openTestLog({ valkey });
    const report = await restore(target, folder.path, { standby: true });
    expect(report).toMatchObject({ status: 'restored', events_restored: digests.events, digests });
    expect(await contents(target.redis, target.keys)).toEqual(before);
    expect((await readAll(target.log)).filter(({ kind }) => kind === 'fault')).toEqual([]);
  });

  it('may be interrupted half way and is gone on with at once; until then nobody else writes there', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 2);
    const digests = await storeDigests(source.redis, source.keys, source.log.logId);
    await take(source, folder.path);
    await using target = await openTestLog({ valkey });
    const stopping = new AbortController();
    // The lease of a restore that says nothing is the real one: 30 s.
    const options = { standby: true, batch: 4, silentSeconds: undefined };
    const onProgress = (what: string, done: number): void => {
      if (what === 'restoring' && done > 4) stopping.abort();
    };
    await expect(restore(target, folder.path, { ...options, signal: stopping.signal, onProgress })).rejects.toThrow();
    expect(await target.redis.exists(target.keys.restoring)).toBe(1);
    expect(await restore(target, folder.path, options)).toMatchObject({ digests });
    expect(await target.redis.exists(target.keys.restoring)).toBe(0);
  });
});
