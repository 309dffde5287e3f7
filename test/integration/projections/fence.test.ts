import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ORIGIN, positionOf } from '../../../domain/envelope.js';
import { applyBatch, type Fence } from '../../../projections/apply.js';
import { type Batch, planBatch } from '../../../projections/batch.js';
import { openGeneration, retireGeneration, servingGeneration, versionOf } from '../../../projections/generation.js';
import { createLeases } from '../../../projections/lease.js';
import { memories } from '../../../projections/memories.js';
import { openTestLog, revised, snapshot, type TestLog } from '../../support/eventlog.js';
import {
  caughtUp,
  expectVerified,
  forgets,
  happens,
  memoryIn,
  projectorDeps,
  rememberMany,
  startProjector,
} from '../../support/projector.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

/** A log of three memories, an empty generation under a lease of ours, and the batch that fills it. */
const prepared = async (test: TestLog): Promise<{ readonly fence: Fence; readonly batch: Batch; readonly subjects: readonly string[] }> => {
  const { redis, keys, log } = test;
  const subjects = await rememberMany(test, 3);
  const { name } = memories;
  const token = (await createLeases(redis, keys, 60_000).acquire([name])).get(name) ?? 0;
  const opening = { state: 'serving', version: versionOf(memories, ''), logId: log.logId } as const;
  const generation = await openGeneration({ redis, keys, name, token, now: 1 }, opening);
  const fence: Fence = { name, generation, token, from: ORIGIN, erasures: await log.erasures(), mayExceedMemory: false };
  const context = { projection: memories, name, generation, degraded: new Map(), condemned: new Set<string>(), rows: new Map(), size: 1e6 };
  return { fence, batch: planBatch(context, await log.read(ORIGIN, 100)), subjects };
};

describe('a batch', () => {
  it('is applied once, and answers "already" when it is sent again', async () => {
    await using test = await openTestLog({ valkey });
    const { fence, batch } = await prepared(test);
    expect(await applyBatch(test.redis, test.keys, fence, batch)).toEqual({ kind: 'applied' });
    const after = await snapshot(test.redis, test.keys);
    expect(await applyBatch(test.redis, test.keys, fence, batch)).toEqual({ kind: 'already', checkpoint: batch.to });
    expect(await snapshot(test.redis, test.keys)).toEqual(after);
  });

  const refusals: readonly (readonly [
    string,
    (test: TestLog, fence: Fence, batch: Batch) => Promise<{ fence?: Fence; batch?: Batch }>,
    object,
  ])[] = [
    ['whose token is not the lease', async (_, fence) => ({ fence: { ...fence, token: fence.token + 1 } }), { kind: 'lost' }],
    [
      'whose lease ran out',
      async ({ redis, keys }) => {
        await redis.del(keys.lease('memories'));
        return {};
      },
      { kind: 'lost' },
    ],
    ['of a generation that does not exist', async (_, fence) => ({ fence: { ...fence, generation: 99 } }), { kind: 'gone' }],
    [
      'of a generation that retired',
      async ({ redis, keys }, { name, token, generation }) => {
        await retireGeneration({ redis, keys, name, token, now: 1 }, generation);
        return {};
      },
      { kind: 'gone' },
    ],
    [
      'that does not begin at the checkpoint',
      async (_, fence) => ({ fence: { ...fence, from: '5-5' } }),
      { kind: 'moved', checkpoint: ORIGIN },
    ],
    [
      'whose payloads were read before something was forgotten',
      async ({ redis, keys }) => {
        await redis.incr(keys.erasures);
        return {};
      },
      { kind: 'erased', erasures: 1 },
    ],
  ];

  it.each(refusals)('%s is refused and changes nothing', async (_, meddle, expected) => {
    await using test = await openTestLog({ valkey });
    const made = await prepared(test);
    const { fence = made.fence, batch = made.batch } = await meddle(test, made.fence, made.batch);
    const before = await snapshot(test.redis, test.keys);
    expect(await applyBatch(test.redis, test.keys, fence, batch)).toEqual(expected);
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('with a row of another type is refused whole, and names the event', async () => {
    await using test = await openTestLog({ valkey });
    const { fence, batch, subjects } = await prepared(test);
    await test.redis.set(test.keys.row('memories', fence.generation, subjects[1] ?? ''), 'in the way');
    const before = await snapshot(test.redis, test.keys);
    const second = (await test.log.read(ORIGIN, 2)).at(1);
    expect(await applyBatch(test.redis, test.keys, fence, batch)).toEqual({ kind: 'refused', origin: second && positionOf(second) });
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('may be larger than what a script can unpack at once', async () => {
    await using test = await openTestLog({ valkey });
    const { fence, batch } = await prepared(test);
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, `v${n}`]));
    const large: Batch = { ...batch, writes: [{ op: 'set', row: 'large', fields }], origins: [batch.to] };
    expect(await applyBatch(test.redis, test.keys, fence, large)).toEqual({ kind: 'applied' });
    expect(await test.redis.hlen(test.keys.row('memories', fence.generation, 'large'))).toBe(20_000);
  });
});

describe('the lease', () => {
  it('goes to one of two projectors, and to the other when the first stops', async () => {
    await using test = await openTestLog({ valkey });
    const first = startProjector(projectorDeps(test));
    await rememberMany(test, 5);
    await caughtUp(first);
    await using second = startProjector(projectorDeps(test));
    await rememberMany(test, 5);
    await caughtUp(second);
    expect([first.runner.state().held.length, second.runner.state().held.length]).toEqual([4, 0]);
    await first.stop();
    await rememberMany(test, 5);
    await vi.waitFor(() => expect(second.runner.state().held.length).toBe(4), { timeout: 5_000 });
    await caughtUp(second);
    await expectVerified(second.deps);
  });

  it('of a projector that dies between two batches runs out, and its successor goes on where it stopped', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    await rememberMany(test, 60);
    const deps = projectorDeps(test, { page: 10 });
    let applied = 0;
    const dying = {
      ...memories,
      apply: (...args: Parameters<typeof memories.apply>) => {
        applied += 1;
        if (applied === 35) deps.redis.disconnect();
        return memories.apply(...args);
      },
    };
    const first = startProjector(deps, [dying], { leaseMs: 300 });
    await vi.waitFor(() => expect(applied).toBeGreaterThanOrEqual(35), { timeout: 5_000 });
    await first.stop();
    await using second = startProjector(projectorDeps(test, { page: 10 }), [memories]);
    await caughtUp(second);
    expect(await redis.exists(keys.deadLetter)).toBe(0);
    await expectVerified(second.deps, [memories]);
  });

  it('that was taken while its holder slept makes the holder start over, not overwrite', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    await using sleeper = startProjector(projectorDeps(test), [memories]);
    const [key = ''] = await rememberMany(test, 1);
    await caughtUp(sleeper);

    let applied: readonly string[] = [];
    await sleeper.runner.exclusively(async () => {
      // The holder sleeps: a successor takes the lease, applies two events and gives the lease back.
      const leases = createLeases(redis, keys, 60_000);
      const token = await leases.seize('memories');
      await happens(test, key, 1, revised('second'));
      await happens(test, key, 2, revised('third'));
      const generation = (await servingGeneration(redis, keys, 'memories')) ?? 0;
      const from = (await redis.hget(keys.generation('memories', generation), 'checkpoint')) ?? '';
      const entries = await test.log.read(from, 10);
      const context = {
        projection: memories,
        name: 'memories',
        generation,
        degraded: new Map(),
        condemned: new Set<string>(),
        rows: new Map(),
        size: 1e6,
      };
      const batch = planBatch(context, entries);
      const fence = { name: 'memories', generation, token, from, erasures: await test.log.erasures(), mayExceedMemory: false };
      expect(await applyBatch(redis, keys, fence, batch)).toEqual({ kind: 'applied' });
      applied = entries.map(positionOf);
      await leases.release(new Map([['memories', token]]));
    });
    await happens(test, key, 3, revised('fourth'));
    await caughtUp(sleeper);
    expect(applied).toHaveLength(2);
    expect((await memoryIn(sleeper.deps, key))?.content).toBe('fourth');
    await expectVerified(sleeper.deps, [memories]);
  });

  it('that lapsed by time while its holder stalled is said to have lapsed, and is taken again', async () => {
    await using test = await openTestLog({ valkey });
    const warned: string[] = [];
    const logger = { info: () => undefined, warn: (_: object, message: string) => void warned.push(message) };
    await using holder = startProjector(projectorDeps(test, { logger }), [memories]);
    await rememberMany(test, 1);
    await caughtUp(holder);
    await test.redis.del(test.keys.lease('memories'));
    await vi.waitFor(() => expect(warned.length).toBeGreaterThan(0), { timeout: 10_000 });
    expect(warned[0]).toContain('lapsed or was taken');
    await rememberMany(test, 1);
    await caughtUp(holder);
    await expectVerified(holder.deps, [memories]);
  });
});

describe('an erasure', () => {
  it('between the read and the apply of a page makes the projector read again', async () => {
    await using test = await openTestLog({ valkey });
    const keys = await rememberMany(test, 10, (n) => `secret ${n}`);
    let forgotten = false;
    const log = {
      ...test.log,
      read: async (after: string, count: number) => {
        const entries = await test.log.read(after, count);
        if (!forgotten) {
          forgotten = true;
          await forgets(test, keys[4] ?? '', 1);
        }
        return entries;
      },
    };
    const seen: string[] = [];
    const spying = {
      ...memories,
      apply: (...args: Parameters<typeof memories.apply>) => {
        seen.push(`${args[0].type} ${args[0].envelope.subject}`);
        return memories.apply(...args);
      },
    };
    await using projector = startProjector(projectorDeps(test, { log }), [spying]);
    await caughtUp(projector);
    expect(seen.filter((line) => line === `MemoryRemembered ${keys[4]}`)).toHaveLength(1);
    expect(await memoryIn(projector.deps, keys[4] ?? '')).toBeUndefined();
    expect(await memoryIn(projector.deps, keys[5] ?? '')).toBeDefined();
    await expectVerified(projector.deps, [memories]);
  });
});
