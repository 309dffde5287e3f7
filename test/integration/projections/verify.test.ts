import type { Redis } from 'iovalkey';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counters, sets } from '../../../projections/counters.js';
import { servingGeneration } from '../../../projections/generation.js';
import { memories } from '../../../projections/memories.js';
import type { Projection } from '../../../projections/projection.js';
import { replayProjection } from '../../../projections/replay.js';
import { projectionStatus } from '../../../projections/status.js';
import { verify } from '../../../projections/verify.js';
import { openTestLog } from '../../support/eventlog.js';
import { caughtUp, expectVerified, projectorDeps, rememberMany, startProjector } from '../../support/projector.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

type Plant = (redis: Redis, row: (name: string) => string, key: string) => Promise<unknown>;
const planted: readonly (readonly [string, Projection, Plant, (key: string) => string])[] = [
  ['a field edited by hand', memories, (redis, row, key) => redis.hset(row(key), 'content', 'edited'), (key) => key],
  ['a field too many', memories, (redis, row, key) => redis.hset(row(key), 'title', 'none'), (key) => key],
  ['a missing row', memories, (redis, row, key) => redis.del(row(key)), (key) => key],
  ['a row too many', memories, (redis, row) => redis.hset(row('mem:ghost'), 'content', 'boo'), () => 'mem:ghost'],
  [
    'a count that is off',
    counters,
    (redis, row) => redis.zadd(row(sets.state('episodic', 'active')), 0, 'x'),
    () => 'state:episodic:active',
  ],
  ['a row of another type', memories, (redis, row, key) => redis.del(row(key)).then(() => redis.set(row(key), 'x')), (key) => key],
];

describe('verify', () => {
  it.each(planted)('finds %s, and only that', async (_, projection, plant, name) => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const [, key = ''] = await rememberMany(test, 30);
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    await expectVerified(projector.deps);
    const generation = (await servingGeneration(redis, keys, projection.name)) ?? 0;
    await plant(redis, (row) => keys.row(projection.name, generation, row), key);
    expect(await verify(projector.deps, projection)).toMatchObject({ equal: false, differing: [name(key)], differingCount: 1 });
  });

  it('is followed by a replay that mends what it found', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    const [key = ''] = await rememberMany(test, 30);
    await using projector = startProjector(projectorDeps(test), undefined, { tickMs: 1_000, leaseMs: 10_000 });
    await caughtUp(projector);
    const generation = (await servingGeneration(redis, keys, memories.name)) ?? 0;
    await redis.hset(keys.row(memories.name, generation, key), 'content', 'edited');
    expect(await verify(projector.deps, memories)).toMatchObject({ equal: false });
    // The worker does not know yet that its lease was taken for the comparison.
    await replayProjection(redis, keys, memories.name, Date.now());
    expect(await verify(projector.deps, memories)).toMatchObject({ equal: true });
  });

  it('calls a view equal while memories are being written', async () => {
    await using test = await openTestLog({ valkey });
    await rememberMany(test, 50);
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    let writing = true;
    const writer = (async () => {
      while (writing) {
        await rememberMany(test, 3);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await expectVerified(projector.deps);
    expect(await verify(projector.deps, memories, { holding: projector.runner.exclusively })).toMatchObject({ equal: true });
    writing = false;
    await writer;
    await caughtUp(projector);
  });

  it('leaves nothing behind, and refuses to run twice at once', async () => {
    await using test = await openTestLog({ valkey });
    await rememberMany(test, 20);
    await using projector = startProjector(projectorDeps(test), [memories]);
    await caughtUp(projector);
    const before = await test.redis.keys(`${test.keys.prefix}*`);
    const outcomes = await Promise.allSettled([verify(projector.deps, memories), verify(projector.deps, memories)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const temporary = /lease/;
    expect((await test.redis.keys(`${test.keys.prefix}*`)).filter((key) => !temporary.test(key)).sort()).toEqual(
      before.filter((key) => !temporary.test(key)).sort(),
    );
  });
});

describe('status', () => {
  it('tells how far each view is behind', async () => {
    await using test = await openTestLog({ valkey });
    const projector = startProjector(projectorDeps(test), [memories]);
    await rememberMany(test, 4);
    await caughtUp(projector);
    await projector.stop();
    await rememberMany(test, 7);
    const [status, none] = await projectionStatus(test.redis, test.keys, ['memories', 'counters']);
    expect(status).toMatchObject({ name: 'memories', lagEvents: 7, deadLetters: 0, building: undefined });
    expect(status?.generation).toBeGreaterThan(0);
    expect(status?.lagSeconds).toBeLessThan(60);
    expect(none).toMatchObject({ generation: undefined, lagEvents: 11 });
  });
});
