import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { digestGeneration } from '../../../projections/digest.js';
import { openGeneration, readGeneration, readPointers, servingGeneration, withServing } from '../../../projections/generation.js';
import { createLeases } from '../../../projections/lease.js';
import { memories } from '../../../projections/memories.js';
import type { RebuildProgress } from '../../../projections/rebuild.js';
import { replayProjection } from '../../../projections/replay.js';
import { newKey, openTestLog, remembered, revised } from '../../support/eventlog.js';
import { caughtUp, expectVerified, happens, memoryIn, projectorDeps, rememberMany, startProjector } from '../../support/projector.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

describe('a rebuild', () => {
  it('runs beside the serving view while memories are written, then serves; the old one goes', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const lines: RebuildProgress[] = [];
    await rememberMany(test, 300);
    await using projector = startProjector(projectorDeps(test, { page: 20 }), [memories], {
      graceMs: 100,
      onRebuild: (line) => lines.push(line),
    });
    await caughtUp(projector);
    const before = (await servingGeneration(redis, keys, 'memories')) ?? 0;
    lines.length = 0;

    let writing = true;
    const written: string[] = [];
    const writer = (async () => {
      while (writing) {
        written.push(...(await rememberMany(test, 5)));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const after = await replayProjection(redis, keys, 'memories', Date.now());
    writing = false;
    await writer;
    await caughtUp(projector);

    expect(after).toBeGreaterThan(before);
    expect(written.length).toBeGreaterThan(0);
    expect(await memoryIn(projector.deps, written.at(-1) ?? '')).toBeDefined();
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.at(-1)?.done).toBeGreaterThanOrEqual(300);
    expect(lines.at(-1)?.total).toBeGreaterThanOrEqual(300);
    await expectVerified(projector.deps, [memories]);
    await vi.waitFor(async () => expect(await rowsOf(before)).toEqual([]), { timeout: 5_000 });
    async function rowsOf(generation: number): Promise<string[]> {
      return redis.keys(`${keys.prefix}*:memories:g${generation}*`);
    }
  });

  it('gives the same bytes each time', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const made = await rememberMany(test, 60);
    await Promise.all(made.slice(0, 20).map((key) => happens(test, key, 1, { type: 'MemoryArchived', data: { reason: 'done' } })));
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    for (const name of ['memories', 'timeline', 'counters']) {
      const first = await digestGeneration(redis, keys, name, (await servingGeneration(redis, keys, name)) ?? 0);
      const again = await replayProjection(redis, keys, name, Date.now());
      expect(await digestGeneration(redis, keys, name, again)).toEqual(first);
      expect(first.rows).toBeGreaterThan(10);
    }
  });

  it('happens by itself when a projection changed, while the old view serves', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const [key = ''] = await rememberMany(test, 10);
    const old = startProjector(projectorDeps(test), [memories]);
    await caughtUp(old);
    await old.stop();
    const before = await servingGeneration(redis, keys, 'memories');

    const changed = { ...memories, version: memories.version + 1, apply: louder };
    await using next = startProjector(projectorDeps(test), [changed]);
    await vi.waitFor(async () => expect(await servingGeneration(redis, keys, 'memories')).not.toBe(before), { timeout: 5_000 });
    await caughtUp(next);
    expect((await memoryIn(next.deps, key))?.content).toBe('MEMORY 0');
    await expectVerified(next.deps, [changed]);
  });

  const louder: typeof memories.apply = (event, rows) =>
    memories
      .apply(event, rows)
      .map((write) =>
        write.op === 'set' ? { ...write, fields: { ...write.fields, content: write.fields.content?.toUpperCase() } } : write,
      );

  it('also when the catalogue changed', async () => {
    await using test = await openTestLog({ valkey });
    await rememberMany(test, 3);
    const old = startProjector(projectorDeps(test), [memories]);
    await caughtUp(old);
    await old.stop();
    const before = await servingGeneration(test.redis, test.keys, 'memories');
    await using _next = startProjector(projectorDeps(test, { fingerprint: 'another' }), [memories]);
    await vi.waitFor(async () => expect(await servingGeneration(test.redis, test.keys, 'memories')).not.toBe(before), { timeout: 5_000 });
  });

  it('that memory does not allow is refused with figures, and the view goes on', async () => {
    await using own = await startValkey();
    await using test = await openTestLog({ valkey: own });
    await rememberMany(test, 500, (n) => `${n} `.repeat(500));
    await using projector = startProjector(projectorDeps(test), [memories]);
    await caughtUp(projector);
    const used = Number(/used_memory:(\d+)/.exec(await test.redis.info('memory'))?.[1]);
    await test.redis.config('SET', 'maxmemory', String(used + 100_000));
    await expect(replayProjection(test.redis, test.keys, 'memories', Date.now())).rejects.toThrow(
      /needs about [1-9]\.\d MiB .* the limit is/,
    );
    const key = newKey();
    await happens(test, key, 0, remembered('still served'));
    await caughtUp(projector);
    expect((await memoryIn(projector.deps, key))?.content).toBe('still served');
  });

  it('that nobody takes up is reported', async () => {
    await using test = await openTestLog({ valkey });
    await expect(replayProjection(test.redis, test.keys, 'memories', 1, { patienceMs: 50 })).rejects.toThrow(/No worker/);
  });

  it('that died is cleaned up by the next worker', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys, log } = test;
    await rememberMany(test, 5);
    const leases = createLeases(redis, keys, 60_000);
    const token = (await leases.acquire(['memories'])).get('memories') ?? 0;
    const abandoned = await openGeneration(
      { redis, keys, name: 'memories', token, now: 1 },
      { state: 'building', version: 'x', logId: log.logId },
    );
    await redis.hset(keys.row('memories', abandoned, 'left'), 'half', 'done');
    await leases.release(new Map([['memories', token]]));
    await using projector = startProjector(projectorDeps(test), [memories]);
    await caughtUp(projector);
    await vi.waitFor(async () => expect(await redis.exists(keys.row('memories', abandoned, 'left'))).toBe(0), { timeout: 5_000 });
    expect((await readPointers(redis, keys, 'memories')).building).toBeUndefined();
    await expectVerified(projector.deps, [memories]);
  });
});

describe('a view of another history', () => {
  it.each([
    ['of a later state of this log', { checkpoint: '9999999999999-0', event_id: '01HF7YAT0000000000000000AA' }],
    ['whose last event the log does not hold', { event_id: '01HF7YAT0000000000000000AA' }],
    ['of another log', { log_id: 'other' }],
  ])('%s is thrown away and rebuilt', async (_, meddled) => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    await rememberMany(test, 5);
    const old = startProjector(projectorDeps(test), [memories]);
    await caughtUp(old);
    await old.stop();
    const ghostly = (await servingGeneration(redis, keys, 'memories')) ?? 0;
    await redis.hset(keys.generation('memories', ghostly), meddled);
    await redis.hset(keys.row('memories', ghostly, 'ghost'), 'content', 'never happened');

    await using next = startProjector(projectorDeps(test), [memories]);
    await caughtUp(next);
    const now = (await servingGeneration(redis, keys, 'memories')) ?? 0;
    expect(now).not.toBe(ghostly);
    expect(await redis.exists(keys.row('memories', now, 'ghost'))).toBe(0);
    await expectVerified(next.deps, [memories]);
  });
});

describe('a read', () => {
  it('runs again when the generation moved meanwhile', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const [key = ''] = await rememberMany(test, 3);
    await using projector = startProjector(projectorDeps(test), [memories]);
    await caughtUp(projector);
    const generations: number[] = [];
    const content = await withServing(redis, keys, 'memories', async (generation) => {
      generations.push(generation);
      if (generations.length === 1) {
        await happens(test, key, 1, revised('newer'));
        await replayProjection(redis, keys, 'memories', Date.now());
      }
      return redis.hget(keys.row('memories', generation, key), 'content');
    });
    expect(generations).toHaveLength(2);
    expect(content).toBe('newer');
    expect((await readGeneration(redis, keys, 'memories', generations[0] ?? 0))?.state).toBe('retired');
  });

  it('is refused as unavailable while the first generation is being built', async () => {
    await using test = await openTestLog({ valkey });
    await expect(withServing(test.redis, test.keys, 'memories', async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
