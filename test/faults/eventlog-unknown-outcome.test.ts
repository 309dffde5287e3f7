import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDomainError } from '../../domain/errors.js';
import { TEST_SEED } from '../support/chance.js';
import {
  appendOf,
  newId,
  newMemory,
  openTestLog,
  readAll,
  readEvents,
  seededNumbers,
  TEST_TIME,
  type TestLog,
} from '../support/eventlog.js';
import { startValkey, type TestValkey } from '../support/valkey.js';
import { type ConnectionFault, FAULTS, type FaultProxy, startProxy } from './eventlog-proxy.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const behindProxy = async (use: (test: TestLog, proxy: FaultProxy) => Promise<void>): Promise<void> => {
  await using proxy = await startProxy(valkey.socket);
  await using test = await openTestLog({ valkey, appendTo: { path: proxy.path }, commandTimeoutMs: 200 });
  await test.log.append(appendOf([newMemory('warm')]));
  await use(test, proxy);
};

describe.each(FAULTS)('a connection with %s', (fault) => {
  it('leaves exactly one event of an append', () =>
    behindProxy(async (test, proxy) => {
      proxy.plan.push(fault);
      const write = newMemory('x');
      const answer = await test.log.append(appendOf([write], { result: { key: write.subject } }));
      expect(proxy.played()).toBe(1);
      expect(answer).toMatchObject({ events: [{ n: 1 }], result: { key: write.subject } });
      expect((await readEvents(test.log)).map(({ envelope }) => envelope.subject).filter((s) => s === write.subject)).toHaveLength(1);
    }));

  it('leaves exactly one event of a forget', () =>
    behindProxy(async (test, proxy) => {
      const write = newMemory('x');
      await test.log.append(appendOf([write]));
      proxy.plan.push(fault);
      const subjects = [{ subject: write.subject, expected: 1, deletes: [] }];
      const answer = await test.log.forget({ commandId: newId(), actor: 'test', at: TEST_TIME, subjects, result: {} });
      expect(proxy.played()).toBe(1);
      expect(answer).toMatchObject({ events: [{ n: 2 }] });
      expect((await readAll(test.log)).map(({ kind }) => kind)).toEqual(['event', 'husk', 'event']);
      expect(await test.log.erasures()).toBe(1);
    }));

  it('that comes again and again ends in UNAVAILABLE, and the same command id settles it later', () =>
    behindProxy(async (test, proxy) => {
      proxy.plan.push(...Array.from({ length: 4 }, (): ConnectionFault => fault));
      const command = appendOf([newMemory('x')]);
      const refusal = await test.log.append(command).catch((error: unknown) => error);
      expect(isDomainError(refusal, 'UNAVAILABLE') && Boolean(refusal.hint)).toBe(true);
      expect(await test.log.append(command)).toMatchObject({ events: [{ n: 1 }] });
      expect(await test.log.size()).toBe(2);
    }));
});

describe('many writers over a connection that breaks at random', () => {
  it('leave one event each, and none half there', { timeout: 120_000 }, () =>
    behindProxy(async (test, proxy) => {
      const random = seededNumbers(TEST_SEED);
      const commands = Array.from({ length: 600 }, (_, i) => appendOf([newMemory(`a${i}`), newMemory(`b${i}`)]));
      const todo = [...commands];
      const writer = async (): Promise<void> => {
        for (let command = todo.pop(); command; command = todo.pop()) {
          if (random() < 0.04 && proxy.plan.length < 2) proxy.plan.push(FAULTS[Math.floor(random() * FAULTS.length)] ?? 'cut after');
          for (let answer: unknown; answer === undefined; ) {
            answer = await test.log.append(command).catch((error: unknown) => {
              if (!isDomainError(error, 'UNAVAILABLE')) throw error;
            });
          }
        }
      };
      await Promise.all(Array.from({ length: 16 }, writer));
      expect(proxy.played(), `TEST_SEED=${TEST_SEED}`).toBeGreaterThan(3);
      const events = (await readEvents(test.log)).map(({ envelope }) => envelope.subject).sort();
      const expected = commands.flatMap(({ writes }) => writes.map(({ subject }) => subject)).sort();
      expect(
        events
          .slice()
          .sort()
          .filter((subject) => expected.includes(subject)),
        `TEST_SEED=${TEST_SEED}`,
      ).toEqual(expected);
      expect(events).toHaveLength(expected.length + 1);
    }),
  );
});

describe('a server that is stopped for a while', () => {
  it('has one event of an append that it met asleep', async () => {
    await using test = await openTestLog({ valkey, commandTimeoutMs: 200 });
    await test.log.append(appendOf([newMemory('warm')]));
    valkey.pause();
    const commands = Array.from({ length: 10 }, () => appendOf([newMemory('x')]));
    const appended = Promise.all(commands.map((command) => test.log.append(command)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    valkey.resume();
    expect((await appended).map((answer) => 'events' in answer && answer.events.length)).toEqual(commands.map(() => 1));
    expect(await test.log.size()).toBe(11);
  });

  it('has at most one event of an append that was given up, and settles it by its id', async () => {
    await using test = await openTestLog({ valkey, commandTimeoutMs: 100 });
    await test.log.append(appendOf([newMemory('warm')]));
    const command = appendOf([newMemory('x')]);
    valkey.pause();
    const refusal = await test.log.append(command).catch((error: unknown) => error);
    valkey.resume();
    expect(isDomainError(refusal, 'UNAVAILABLE')).toBe(true);
    expect(await test.log.append(command)).toMatchObject({ events: [{ n: 1 }] });
    expect(await test.log.size()).toBe(2);
  });
});
