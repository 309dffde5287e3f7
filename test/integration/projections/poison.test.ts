import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDeadLetters, readDegraded } from '../../../projections/dead-letter.js';
import { servingGeneration } from '../../../projections/generation.js';
import { memories } from '../../../projections/memories.js';
import type { Projection } from '../../../projections/projection.js';
import { replayProjection } from '../../../projections/replay.js';
import { projectionStatus } from '../../../projections/status.js';
import { verify } from '../../../projections/verify.js';
import { openTestLog, revised, type TestLog } from '../../support/eventlog.js';
import {
  caughtUp,
  expectVerified,
  forgets,
  happens,
  memoryIn,
  PROJECTIONS,
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

/** Three memories; the second is revised twice, and the payload of its first revision cannot be read. */
const withPoison = async (test: TestLog): Promise<readonly [string, string, string]> => {
  const [a = '', b = '', c = ''] = await rememberMany(test, 3);
  await happens(test, b, 1, revised('unreadable'));
  await test.redis.hset(test.keys.payloads(b), '2', 'rotten');
  await happens(test, b, 2, revised('after the poison'));
  await happens(test, c, 1, revised('unharmed'));
  return [a, b, c];
};

const degradedIn = async ({ redis, keys }: TestLog, name: string) =>
  readDegraded(redis, keys, name, (await servingGeneration(redis, keys, name)) ?? 0);

describe('a poison event in the middle', () => {
  it('degrades its subject, whose later events wait; the others go on', async () => {
    await using test = await openTestLog({ valkey });
    const [, b, c] = await withPoison(test);
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    expect((await memoryIn(projector.deps, b))?.content).toBe('memory 1');
    expect((await memoryIn(projector.deps, c))?.content).toBe('unharmed');
    expect((await degradedIn(test, 'memories')).get(b)).toMatchObject({ code: 'DIGEST_MISMATCH', waiting: 1 });
    const letters = (await readDeadLetters(test.redis, test.keys, 10)).filter(({ projection }) => projection === 'memories');
    expect(letters).toMatchObject([{ subject: b, code: 'DIGEST_MISMATCH' }]);
    const [status] = await projectionStatus(test.redis, test.keys, ['memories']);
    expect(status).toMatchObject({ deadLetters: 1, lagEvents: 0 });
    expect([...(status?.degraded.keys() ?? [])]).toEqual([b]);
    const report = await verify(projector.deps, memories);
    expect(report).toMatchObject({ equal: true, degraded: [b] });
  });

  it('is buried once, however often the projector starts', async () => {
    await using test = await openTestLog({ valkey });
    const [, b] = await withPoison(test);
    for (const version of [3, 4, 5]) {
      await using projector = startProjector(projectorDeps(test, { page: 1 }));
      await caughtUp(projector);
      await happens(test, b, version, revised(`version ${version}`));
      await caughtUp(projector);
    }
    expect(await test.redis.xlen(test.keys.deadLetter)).toBe(PROJECTIONS.length);
    expect((await degradedIn(test, 'memories')).get(b)?.waiting).toBe(4);
  });

  it('is healed by a replay once the cause is mended', async () => {
    await using test = await openTestLog({ valkey });
    const [a] = await rememberMany(test, 2);
    let broken = true;
    const moody: Projection = {
      ...memories,
      apply: (event, rows) => {
        if (broken && event.type === 'MemoryRevised') throw new Error('text that must not be kept: 8765');
        return memories.apply(event, rows);
      },
    };
    await using projector = startProjector(projectorDeps(test), [moody]);
    await happens(test, a ?? '', 1, revised('new'));
    await caughtUp(projector);
    expect((await degradedIn(test, 'memories')).get(a ?? '')).toMatchObject({ code: 'APPLY_FAILED' });
    expect(JSON.stringify(await test.redis.xrange(test.keys.deadLetter, '-', '+'))).not.toContain('8765');
    broken = false;
    await replayProjection(test.redis, test.keys, 'memories', Date.now());
    expect((await memoryIn(projector.deps, a ?? ''))?.content).toBe('new');
    expect(await degradedIn(test, 'memories')).toEqual(new Map());
    await expectVerified(projector.deps, [moody]);
  });

  it('does not keep the text of its subject in view when that is forgotten', async () => {
    await using test = await openTestLog({ valkey });
    const [, b] = await withPoison(test);
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    await forgets(test, b, 3);
    await caughtUp(projector);
    expect(await memoryIn(projector.deps, b)).toBeUndefined();
  });

  it('without a readable envelope degrades nobody', async () => {
    await using test = await openTestLog({ valkey });
    await rememberMany(test, 1);
    await test.redis.xadd(test.keys.log, '*', 'nonsense', 'yes');
    const [key = ''] = await rememberMany(test, 1);
    await using projector = startProjector(projectorDeps(test), [memories]);
    await caughtUp(projector);
    expect(await memoryIn(projector.deps, key)).toBeDefined();
    expect(await readDeadLetters(test.redis, test.keys, 10)).toMatchObject([{ code: 'BAD_ENVELOPE', subject: undefined }]);
    expect(await degradedIn(test, 'memories')).toEqual(new Map());
  });
});

describe('a row that Valkey would refuse', () => {
  it('degrades its own subject alone; the batch goes on without it', async () => {
    await using test = await openTestLog({ valkey });
    const keys = await rememberMany(test, 4);
    await using projector = startProjector(projectorDeps(test));
    await caughtUp(projector);
    const generation = (await servingGeneration(test.redis, test.keys, 'memories')) ?? 0;
    const row = test.keys.row('memories', generation, keys[1] ?? '');
    await test.redis.del(row);
    await test.redis.set(row, 'a string');
    await projector.runner.exclusively(async () => {
      await Promise.all(keys.map((key) => happens(test, key, 1, revised('together'))));
    });
    await caughtUp(projector);
    const shown = await Promise.all(keys.filter((_, i) => i !== 1).map((key) => memoryIn(projector.deps, key)));
    expect(shown.map((memory) => memory?.content)).toEqual(['together', 'together', 'together']);
    expect((await degradedIn(test, 'memories')).get(keys[1] ?? '')).toMatchObject({ code: 'APPLY_FAILED' });
    expect(await test.redis.get(row)).toBe('a string');
    expect(await verify(projector.deps, memories)).toMatchObject({ equal: true, degraded: [keys[1]] });
  });
});
