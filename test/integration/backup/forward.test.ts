import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeDigests } from '../../../services/backup/digests.js';
import { parseUntil } from '../../../services/backup/until.js';
import { contents, forget, liveALittle, remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { appendOf, newKey, newMemory, openTestLog, readAll, readEvents } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

describe('a backup is brought up to date', () => {
  it('by new segments only, and not at all when nothing but a backup happened', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 4, 10);
    const first = await take(source, folder.path);
    const idle = await take(source, folder.path);
    expect(idle).toMatchObject({ name: first.name, events_added: 0, segments_added: 0, log_digest: first.log_digest });
    expect(await source.log.size()).toBe(first.events + 1);
    await liveALittle(source, 5, 10);
    const size = await source.log.size();
    const second = await take(source, folder.path);
    expect(second).toMatchObject({ name: first.name, events: size, events_added: size - first.events, segments_added: 1 });
  });

  it('in a set of its own when the history is another, or when it is asked for', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 6, 5);
    const first = await take(source, folder.path);
    const full = await take(source, folder.path, { fresh: true });
    expect(full.name).not.toBe(first.name);
    expect(full.events_added).toBe(first.events + 1);
    await using other = await openTestLog({ valkey });
    await liveALittle(other, 7, 5);
    await expect(take(other, folder.path, { name: first.name })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await take(other, folder.path)).name).not.toBe(full.name);
    await expect(take(source, folder.path, { name: '../out' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('while others write, and misses none of what was acknowledged before it began', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const before: string[] = [];
    for (let i = 0; i < 50; i++) {
      const key = newKey();
      await remember(source, key, `before ${i}`);
      before.push(key);
    }
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) {
        await source.log.append(appendOf([newMemory('meanwhile', { claims: [{ claim: newKey(), mode: 'ifFree' }] })]));
        await sleep(2);
      }
    });
    await take(source, folder.path, { segmentEvents: 200 });
    writing = false;
    await Promise.all(writers);
    await using target = await openTestLog({ valkey });
    await restore(target, folder.path, { standby: true });
    const held = new Set((await readEvents(target.log)).map(({ envelope }) => envelope.subject));
    expect(before.filter((key) => !held.has(key))).toEqual([]);
    const { events, log } = await storeDigests(target.redis, target.keys, source.log.logId);
    const head = (await target.log.head())?.position;
    expect(await storeDigests(source.redis, source.keys, source.log.logId, head)).toMatchObject({ events, log });
  });
});

describe('a restore', () => {
  it('goes on where a beginning of the same history ends', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const alive = await liveALittle(source, 8);
    await take(source, folder.path);
    await using target = await openTestLog({ valkey });
    await restore(target, folder.path, { standby: true });
    const [gone = ''] = alive;
    await target.redis.hset(target.keys.embedding('m', gone), { n: 1, w: 'vector' });
    await target.redis.sadd(target.keys.models, 'm');
    const erasures = await source.log.erasures();
    await forget(source, gone, (await source.log.load([gone]))[0]?.version ?? 0);
    await liveALittle(source, 9);
    const before = await contents(source.redis, source.keys);
    const head = (await source.log.head())?.position;
    await take(source, folder.path);
    const report = await restore(target, folder.path, { standby: true });
    expect(report.status).toBe('forwarded');
    expect(report.head).toBe(head);
    expect(await contents(target.redis, target.keys)).toEqual(before);
    expect(await target.redis.exists(target.keys.embedding('m', gone))).toBe(0);
    expect(await target.log.erasures()).toBeGreaterThan(erasures);
  });

  it('changes nothing the second time, and says so', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 10, 20);
    const { events } = await take(source, folder.path);
    await using target = await openTestLog({ valkey });
    expect(await restore(target, folder.path)).toMatchObject({ status: 'restored', events_restored: events });
    expect((await eventsOf(target)).at(-1)).toMatchObject({ type: 'LogRestored', data: { mode: 'restored', events } });
    const before = await contents(target.redis, target.keys);
    expect(await restore(target, folder.path)).toMatchObject({ status: 'unchanged', events_restored: 0 });
    expect(await contents(target.redis, target.keys)).toEqual(before);
  });

  it('takes a store that only says which model it uses for an empty one', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 11, 10);
    const before = await contents(source.redis, source.keys);
    await take(source, folder.path);
    await using target = await openTestLog({ valkey });
    const named = { type: 'EmbeddingModelChanged', data: { to: 'm-1', name: 'm', dimension: 4 } } as const;
    await target.log.append(appendOf([{ subject: 'system:2026-11-30', expected: 'any', events: [named] }]));
    expect(await restore(target, folder.path, { standby: true })).toMatchObject({ status: 'restored' });
    expect(await contents(target.redis, target.keys)).toEqual(before);
  });

  it('refuses another history, one that went another way, and one that is longer; nothing is written', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 12, 20);
    await take(source, folder.path);
    await using another = await openTestLog({ valkey });
    await liveALittle(another, 13, 5);
    await using apart = await openTestLog({ valkey });
    await restore(apart, folder.path, {
      until: parseUntil((await readAll(source.log)).map((entry) => (entry.kind === 'event' ? entry.event.position : ''))[4] ?? ''),
      standby: true,
    });
    await apart.log.append(appendOf([newMemory('another way')]));
    await source.log.append(appendOf([newMemory('longer')]));
    for (const [store, says] of [
      [another, /another log/],
      [apart, /different ways at entry 6/],
      [source, /1 events more; a restore never makes history shorter/],
    ] as const) {
      const before = await contents(store.redis, store.keys, ['log', 'counter', 'ephemeral']);
      const error = await restore(store, folder.path).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(says) });
      const after = await contents(store.redis, store.keys, ['log', 'counter', 'ephemeral']);
      expect(after).toEqual(before);
    }
  });

  it('stops at a time, a place or an event, and works out who held which text then', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 14);
    const all = (await readAll(source.log)).flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
    await take(source, folder.path, { name: 'b' });
    const cut = all[Math.floor(all.length / 2)];
    if (!cut) throw new Error('no event');
    const ms = Number(cut.position.split('-')[0]);
    for (const until of [cut.position, cut.envelope.id, new Date(ms).toISOString()]) {
      await using target = await openTestLog({ valkey });
      await restore(target, join(folder.path, 'b'), { until: parseUntil(until), standby: true });
      const last = (await target.log.head())?.position ?? '';
      if (until === cut.position || until === cut.envelope.id) expect(last).toBe(cut.position);
      else expect(Number(last.split('-')[0])).toBeLessThanOrEqual(ms);
      expect((await storeDigests(target.redis, target.keys, source.log.logId)).log).toBe(
        (await storeDigests(source.redis, source.keys, source.log.logId, last)).log,
      );
    }
    await using target = await openTestLog({ valkey });
    await expect(restore(target, join(folder.path, 'b'), { until: parseUntil('01ARZ3NDEKTSV4RRFFQ69G5FAV') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await target.log.size()).toBe(0);
  });

  it('keeps everybody else from writing while it writes', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 15, 30);
    await take(source, folder.path);
    await using target = await openTestLog({ valkey });
    const refusals: unknown[] = [];
    await restore(target, folder.path, {
      batch: 5,
      onProgress: (what) => {
        if (what === 'restoring') target.log.append(appendOf([newMemory('no')])).catch((error: unknown) => refusals.push(error));
      },
    });
    await expect.poll(() => refusals.length).toBeGreaterThan(2);
    for (const error of refusals) expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('restored') });
    expect((await target.log.append(appendOf([newMemory('yes')]))).outcome).toBe('appended');
  });
});

const eventsOf = async ({ log }: { log: Parameters<typeof readAll>[0] }) =>
  (await readAll(log)).flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
