import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Append, Appended, Refused } from '../../../services/eventlog/append.js';
import { TEST_SEED } from '../../support/chance.js';
import { appendOf, newMemory, openTestLog, readEvents, revised, seededNumbers } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const scriptCalls = async (): Promise<number> =>
  Number(/cmdstat_evalsha:calls=(\d+)/.exec(await valkey.client().info('commandstats'))?.[1] ?? 0);

describe('commands of one moment', () => {
  it('share one call of the server', async () => {
    await using test = await openTestLog({ valkey });
    await test.log.append(appendOf([newMemory('warm')]));
    const before = await scriptCalls();
    await Promise.all(Array.from({ length: 200 }, (_, i) => test.log.append(appendOf([newMemory(`m${i}`)]))));
    expect(await scriptCalls()).toBe(before + 1);
    expect(await test.log.size()).toBe(201);
  });

  it('take several calls when they are many', async () => {
    await using test = await openTestLog({ valkey });
    const commands = Array.from({ length: 30 }, (_, i) => appendOf(Array.from({ length: 150 }, (__, j) => newMemory(`${i}.${j}`))));
    const before = await scriptCalls();
    await Promise.all(commands.map((command) => test.log.append(command)));
    expect((await scriptCalls()) - before).toBeGreaterThanOrEqual(3);
    expect((await readEvents(test.log)).map(({ envelope }) => envelope.subject)).toEqual(
      commands.flatMap(({ writes }) => writes.map(({ subject }) => subject)),
    );
  });

  it('are each decided on what those before them left', async () => {
    await using test = await openTestLog({ valkey });
    const memory = newMemory('x', { claims: [{ claim: 'x', mode: 'free' }] });
    const first = appendOf([memory], { result: { is: 'first' } });
    const second = { subject: memory.subject, expected: 1, events: [revised('y')] };
    const twin = newMemory('x', { claims: [{ claim: 'x', mode: 'free' }] });
    const commands: readonly [Append, Partial<Appended | Refused>][] = [
      [first, { outcome: 'appended' }],
      [appendOf([memory]), { outcome: 'version', subject: memory.subject, actual: 1 }],
      [first, { outcome: 'repeated', result: { is: 'first' } }],
      [appendOf([twin]), { outcome: 'claimed', claim: 'x', holder: memory.subject }],
      [appendOf([second]), { outcome: 'appended' }],
      [appendOf([second]), { outcome: 'version', actual: 2 }],
      [appendOf([newMemory('z')], { guards: [{ subject: memory.subject, version: 1 }] }), { outcome: 'version', actual: 2 }],
      [appendOf([newMemory('z')], { guards: [{ subject: memory.subject, version: 2 }] }), { outcome: 'appended' }],
      [appendOf([newMemory('z')], { erasures: 5 }), { outcome: 'erasures', actual: 0 }],
      [appendOf([{ ...second, expected: 2, release: ['x'] }]), { outcome: 'appended' }],
      [appendOf([twin]), { outcome: 'appended' }],
    ];
    const before = await scriptCalls();
    const answers = await Promise.all(commands.map(([command]) => test.log.append(command)));
    expect(await scriptCalls()).toBeLessThanOrEqual(before + 2);
    expect(answers).toMatchObject(commands.map(([, expected]) => expected));
    expect(await test.log.size()).toBe(5);
  });

  it('answer as they would one after another, whatever they are', async () => {
    const random = seededNumbers(TEST_SEED);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    await using together = await openTestLog({ valkey });
    await using alone = await openTestLog({ valkey });
    const subjects = Array.from({ length: 4 }, () => newMemory('').subject);
    const ids = Array.from({ length: 60 }, () => appendOf([]).commandId);
    for (let round = 0; round < 15; round++) {
      const commands = Array.from({ length: 40 }, () => {
        const writes = [...new Set([pick(subjects), pick(subjects)])].map((subject) => ({
          subject,
          expected: pick(['any', Math.floor(random() * 6)] as const),
          events: pick([[revised('a')], [revised('b'), revised('c')], []]),
          claims: random() < 0.5 ? [{ claim: pick(['p', 'q', 'r']), mode: pick(['free', 'ifFree'] as const) }] : [],
          release: random() < 0.3 ? [pick(['p', 'q', 'r'])] : [],
        }));
        const guards = random() < 0.2 ? [{ subject: pick(subjects), version: Math.floor(random() * 6) }] : [];
        return appendOf(writes, { commandId: random() < 0.7 ? appendOf([]).commandId : pick(ids), guards });
      });
      const grouped = await Promise.all(commands.map((command) => together.log.append(command)));
      const single = [];
      for (const command of commands) single.push(await alone.log.append(command));
      const outcomes = (answers: readonly (Appended | Refused)[]) =>
        answers.map((answer) => ('events' in answer ? { ...answer, events: answer.events.map(({ n }) => n) } : answer));
      expect(outcomes(grouped), `TEST_SEED=${TEST_SEED}`).toEqual(outcomes(single));
    }
    const contentsOf = async (test: typeof alone) => ({
      histories: await test.log.load(subjects),
      claims: await test.redis.hgetall(test.keys.claims),
      order: (await readEvents(test.log)).map(({ envelope: { subject, n, correlation } }) => ({ subject, n, correlation })),
    });
    expect(await contentsOf(together), `TEST_SEED=${TEST_SEED}`).toEqual(await contentsOf(alone));
  });
});
