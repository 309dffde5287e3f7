import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectionsReached } from '../../../projections/checkpoint.js';
import { counters, countSets, membersOf, sets } from '../../../projections/counters.js';
import { servingGeneration } from '../../../projections/generation.js';
import { readRecordedTopics, readSuppressions, suppressions } from '../../../projections/suppressions.js';
import { readTimeline, timeline } from '../../../projections/timeline.js';
import { openEventLog } from '../../../services/eventlog/log.js';
import { newKey, openTestLog, remembered, revised } from '../../support/eventlog.js';
import {
  appended,
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

describe('suppressed topics', () => {
  it('are read from a view that an older version made, too', async () => {
    await using test = await openTestLog({ valkey });
    const { redis, keys } = test;
    await redis.hset(keys.row(suppressions.name, 7, 'topics'), { tea: JSON.stringify({ reason: 'off', since: 'then' }) });
    expect(await readSuppressions(redis, keys, 7)).toEqual([{ topic: 'tea', reason: 'off', since: 'then', byHand: true, holders: [] }]);
    expect(await readRecordedTopics(redis, keys, 7)).toMatchObject([{ topic: 'tea', subject: 'topic:tea', letIn: false }]);
  });
});

describe('views that follow the log', () => {
  it.each([false, true])('show what happened to a memory (keys of a cluster: %s)', async (cluster) => {
    await using test = await openTestLog({ valkey, cluster });
    await using projector = startProjector(projectorDeps(test));
    const { redis, keys } = projector.deps;
    const key = newKey();
    await happens(test, key, 0, remembered('the port is 8765', { project: 'blue', tags: ['net'], doc_id: 'd', enriched_from: 'mem:x' }));
    await happens(test, key, 1, revised('the port is 9000'));
    await happens(test, key, 2, { type: 'MemoryDeprioritised', data: { reason: 'old', reinstate_hints: ['ports'] } });
    await happens(test, key, 3, { type: 'LicenceStamped', data: { licence: 'open', licence_note: 'MIT', previous: 'own' } });
    await appended(test, {
      subject: 'topic:tea',
      expected: 0,
      events: [{ type: 'TopicSuppressed', data: { topic: 'tea', reason: 'off' } }],
    });
    await caughtUp(projector);

    expect(await memoryIn(projector.deps, key)).toMatchObject({
      content: 'the port is 9000',
      content_version: 2,
      version: 4,
      state: 'deprioritised',
      deprioritised_reason: 'old',
      reinstate_hints: ['ports'],
      licence: 'open',
      licence_note: 'MIT',
      project: 'blue',
      tags: ['net'],
      base_surface: 0.5,
    });
    const at = async (name: string): Promise<number> => (await servingGeneration(redis, keys, name)) ?? 0;
    expect((await readTimeline(redis, keys, await at(timeline.name), key)).map(({ n, type }) => [n, type])).toEqual([
      [1, 'MemoryRemembered'],
      [2, 'MemoryRevised'],
      [3, 'MemoryDeprioritised'],
      [4, 'LicenceStamped'],
    ]);
    expect(await readSuppressions(redis, keys, await at(suppressions.name))).toMatchObject([{ topic: 'tea', reason: 'off' }]);
    const generation = await at(counters.name);
    const names = [sets.state('episodic', 'active'), sets.state('episodic', 'deprioritised'), sets.project('blue'), sets.document('d')];
    expect(await countSets(redis, keys, generation, names)).toEqual([0, 1, 1, 1]);
    expect(await membersOf(redis, keys, generation, sets.facts('mem:x'))).toEqual([key]);
    await expectVerified(projector.deps);
  });

  it('let go of a forgotten memory in every set and row, and keep its envelopes', async () => {
    await using test = await openTestLog({ valkey });
    await using projector = startProjector(projectorDeps(test));
    const { redis, keys } = projector.deps;
    const key = newKey();
    await happens(test, key, 0, remembered('a secret', { project: 'blue', doc_id: 'd' }));
    await caughtUp(projector);
    await forgets(test, key, 1);
    await caughtUp(projector);
    expect(await memoryIn(projector.deps, key)).toBeUndefined();
    const generation = (await servingGeneration(redis, keys, counters.name)) ?? 0;
    const names = [sets.state('episodic', 'active'), sets.project('blue'), sets.document('d'), sets.state('episodic', 'forgotten')];
    expect(await countSets(redis, keys, generation, names)).toEqual([0, 0, 0, 1]);
    const lines = await readTimeline(redis, keys, (await servingGeneration(redis, keys, timeline.name)) ?? 0, key);
    expect(lines.map(({ type }) => type)).toEqual(['MemoryRemembered', 'MemoryForgotten']);
    await expectVerified(projector.deps);
  });

  it('are the same whether they followed along or were told afterwards, many pages at once', async () => {
    await using test = await openTestLog({ valkey });
    await using along = startProjector(projectorDeps(test, { page: 40 }));
    const keys = await rememberMany(test, 250);
    await Promise.all(keys.slice(0, 50).map((key) => happens(test, key, 1, { type: 'MemoryArchived', data: {} })));
    for (const key of keys.slice(20, 30)) await forgets(test, key, 2);
    await caughtUp(along);
    await expectVerified(along.deps);
    await expectVerified(projectorDeps(test, { page: 7 }));
  });

  it('are waited for by a process that writes none of them', async () => {
    await using test = await openTestLog({ valkey });
    const reader = projectorDeps(test);
    await rememberMany(test, 1);
    const { position } = (await test.log.head()) ?? { position: '' };
    expect(await projectionsReached(reader.redis, test.keys, ['memories', 'counters'], position, 50)).toBe('late');
    await using _projector = startProjector(projectorDeps(test));
    expect(await projectionsReached(reader.redis, test.keys, ['memories', 'counters'], position, 10_000)).toBe('reached');
  });
});

describe('an outage', () => {
  it('stops the views, buries nothing, and they go on by themselves', async () => {
    await using own = await startValkey({ aof: 'always' });
    await using test = await openTestLog({ valkey: own });
    const redis = own.client('general', { commandTimeoutMs: 300 });
    const log = await openEventLog({ append: own.client('append'), read: redis, blocking: own.client('blocking') }, test.keys);
    await using projector = startProjector(projectorDeps(test, { redis, log }));
    await rememberMany(test, 20);
    await caughtUp(projector);
    await own.kill();
    await vi.waitFor(() => expect(projector.runner.state().outage).toBeDefined(), { timeout: 10_000 });
    await own.restart();
    const keys = await rememberMany(test, 20);
    await caughtUp(projector);
    expect(await memoryIn(projector.deps, keys[19] ?? '')).toBeDefined();
    expect(await redis.exists(test.keys.deadLetter)).toBe(0);
    expect(projector.runner.state().outage).toBeUndefined();
    await expectVerified(projector.deps);
  });

  it('at the memory limit does not keep a forgotten text in view', async () => {
    await using own = await startValkey();
    await using test = await openTestLog({ valkey: own });
    await using projector = startProjector(projectorDeps(test));
    const [key = ''] = await rememberMany(test, 100);
    await caughtUp(projector);
    await test.redis.config('SET', 'maxmemory', '1mb');
    await forgets(test, key, 1);
    await caughtUp(projector);
    expect(await memoryIn(projector.deps, key)).toBeUndefined();
  });
});
