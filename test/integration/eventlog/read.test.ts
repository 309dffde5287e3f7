import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import type { LogEntry } from '../../../domain/envelope.js';
import { digestOf, encodePayload } from '../../../services/eventlog/payload.js';
import {
  appendOf,
  newId,
  newKey,
  newMemory,
  openTestLog,
  readAll,
  readEvents,
  rememberedWith,
  revised,
  TEST_TIME,
  type TestLog,
} from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const contents = (entries: readonly LogEntry<DomainEvent>[]) =>
  entries.map((entry) => (entry.kind === 'event' && entry.event.type === 'MemoryRemembered' ? entry.event.data.content : entry.kind));

describe('reading', () => {
  it('goes from place to place, page by page', async () => {
    await using test = await openTestLog({ valkey });
    expect(await test.log.read('0-0', 10)).toEqual([]);
    expect(await test.log.head()).toBeUndefined();
    const answer = await test.log.append(appendOf(['a', 'b', 'c', 'd'].map((content) => newMemory(content))));
    const positions = 'events' in answer ? answer.events.map(({ position }) => position) : [];
    expect(contents(await test.log.read('0-0', 2))).toEqual(['a', 'b']);
    expect(contents(await test.log.read(positions[1] ?? '', 10))).toEqual(['c', 'd']);
    expect(await test.log.read(positions[3] ?? '', 10)).toEqual([]);
    const last = (await readEvents(test.log)).at(-1);
    expect(await test.log.head()).toEqual({ position: positions[3], eventId: last?.envelope.id });
  });

  it('finds the entries at given places and leaves out those that hold nothing', async () => {
    await using test = await openTestLog({ valkey });
    await test.log.append(appendOf(['a', 'b', 'c'].map((content) => newMemory(content))));
    const [a, , c] = (await readEvents(test.log)).map(({ position }) => position);
    expect(contents(await test.log.at([c ?? '', '1-1', a ?? '']))).toEqual(['c', 'a']);
    expect(await test.log.at([])).toEqual([]);
  });

  it('tells whether this log holds a certain event at a certain place', async () => {
    await using test = await openTestLog({ valkey });
    await test.log.append(appendOf([newMemory('a'), newMemory('b')]));
    const [a, b] = await readEvents(test.log);
    if (!a || !b) throw new Error('two events were appended');
    expect(await test.log.holds(a.position, a.envelope.id)).toBe(true);
    expect(await test.log.holds(a.position, b.envelope.id)).toBe(false);
    expect(await test.log.holds('1-1', a.envelope.id)).toBe(false);
  });

  it('gives each tenant a log of its own, with a lasting identity', async () => {
    await using one = await openTestLog({ valkey });
    await using two = await openTestLog({ valkey });
    await using oneAgain = await openTestLog({ valkey, tenant: one.keys.tenant });
    await one.log.append(appendOf([newMemory('a')]));
    expect(await two.log.size()).toBe(0);
    expect([oneAgain.log.logId, oneAgain.log.salt]).toEqual([one.log.logId, one.log.salt]);
    expect(two.log.logId).not.toBe(one.log.logId);
    expect(two.log.salt).not.toBe(one.log.salt);
  });
});

describe('following', () => {
  const follow = (test: TestLog, count: number, after = '0-0'): Promise<LogEntry<DomainEvent>[]> =>
    (async () => {
      const running = new AbortController();
      const entries: LogEntry<DomainEvent>[] = [];
      for await (const entry of test.log.follow(after, running.signal)) if (entries.push(entry) === count) running.abort();
      return entries;
    })();

  it('gives what is there and then what comes, from this process and from another, to everybody', async () => {
    await using test = await openTestLog({ valkey });
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    await test.log.append(appendOf([newMemory('a')]));
    const followers = [follow(test, 3), follow(test, 3), follow(other, 3)];
    await test.log.append(appendOf([newMemory('b')]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.log.append(appendOf([newMemory('c')]));
    for (const entries of await Promise.all(followers)) expect(contents(entries)).toEqual(['a', 'b', 'c']);
  });

  it('gives everything once and in order across many pages', async () => {
    await using test = await openTestLog({ valkey });
    const names = Array.from({ length: 1_201 }, (_, i) => `m${i}`);
    const following = follow(test, names.length);
    for (let i = 0; i < names.length; i += 200) {
      await test.log.append(appendOf(names.slice(i, i + 200).map((content) => newMemory(content))));
    }
    expect(contents(await following)).toEqual(names);
  });

  it('ends when aborted while it waits', async () => {
    await using test = await openTestLog({ valkey });
    const running = new AbortController();
    const waiting = (async () => {
      for await (const _ of test.log.follow('0-0', running.signal)) throw new Error('nothing was appended');
    })();
    await new Promise((resolve) => setTimeout(resolve, 50));
    running.abort();
    await waiting;
  });

  it('is woken behind a waiter who stands at a place that does not exist', async () => {
    await using test = await openTestLog({ valkey });
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    await test.log.append(appendOf([newMemory('a')]));
    const place = (await test.log.head())?.position ?? '';
    const never = new AbortController();
    const ghost = test.log.waitForMore('9999999999999-0', 60_000, never.signal);
    let woken = false;
    const waiter = test.log.waitForMore(place, 60_000, never.signal).then(() => {
      woken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(woken).toBe(false);
    await other.log.append(appendOf([newMemory('b')]));
    await waiter;
    never.abort();
    await ghost;
  });
});

describe('damage', () => {
  let test: TestLog;
  beforeAll(async () => {
    test = await openTestLog({ valkey });
  });
  afterAll(() => test.close());

  const lastEntry = async () => (await readAll(test.log)).at(-1);
  const write = async (): Promise<string> => {
    const memory = newMemory('a text nobody may see');
    await test.log.append(appendOf([memory]));
    return memory.subject;
  };

  it('to a payload is a fault for readers', async () => {
    const subject = await write();
    const bytes = await test.redis.hgetBuffer(test.keys.payloads(subject), '1');
    if (!bytes) throw new Error('a payload was appended');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await test.redis.hset(test.keys.payloads(subject), '1', bytes);
    expect(await lastEntry()).toMatchObject({ kind: 'fault', fault: { code: 'DIGEST_MISMATCH', subject } });
  });

  it('that took a payload is a fault, and no decider acts on it', async () => {
    const subject = await write();
    await test.redis.hdel(test.keys.payloads(subject), '1');
    expect(await lastEntry()).toMatchObject({ kind: 'fault', fault: { code: 'MISSING_PAYLOAD', subject } });
    await expect(test.log.load([subject])).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('that put another type of key in the place of a subject hides no other entry', async () => {
    const subject = await write();
    await test.redis.set(test.keys.payloads(subject), 'a string');
    const after = await write();
    const page = (await readAll(test.log)).slice(-2);
    expect(page).toMatchObject([
      { kind: 'fault', fault: { code: 'MISSING_PAYLOAD', subject } },
      { kind: 'event', event: { envelope: { subject: after } } },
    ]);
    await expect(test.log.load([subject])).rejects.toThrow();
  });

  /** Puts an event there past the program, as a hand or a newer version might. */
  const smuggle = async (envelope: Record<string, string>, payload?: Buffer): Promise<string> => {
    const subject = newKey();
    const fields = {
      id: newId(),
      type: 'MemoryRemembered',
      v: '1',
      subject,
      n: '1',
      at: TEST_TIME,
      actor: 'hand',
      correlation: newId(),
      digest: digestOf(payload ?? Buffer.alloc(0)),
      ...envelope,
    };
    if (payload) await test.redis.hset(test.keys.payloads(subject), '1', payload, 'v', '1');
    await test.redis.xadd(test.keys.log, '*', ...Object.entries(fields).flat());
    return subject;
  };
  const packed = (content: Partial<Parameters<typeof encodePayload>[1]> = {}): Buffer =>
    encodePayload(Buffer.alloc(16), { type: 'MemoryRemembered', v: 1, at: TEST_TIME, data: rememberedWith('by hand'), ...content });

  it('is no fault of an event that fits, whoever put it there', async () => {
    await smuggle({}, packed());
    expect(await lastEntry()).toMatchObject({ kind: 'event', event: { data: { content: 'by hand' } } });
  });

  it.each([
    ['an unknown type', 'UNKNOWN_TYPE', { type: 'MemoryDreamt' }, packed({ type: 'MemoryDreamt' })],
    ['an unknown version', 'UNKNOWN_VERSION', { v: '99' }, packed({ v: 99 })],
    ['data that does not fit', 'INVALID_DATA', {}, packed({ data: { content: 'a text nobody may see', namespace: 'none' } })],
    ['bytes that are no payload', 'BAD_PAYLOAD', {}, Buffer.from('{"json":"a text nobody may see"}')],
    ['an empty payload', 'BAD_PAYLOAD', {}, Buffer.alloc(0)],
    ['a payload that is cut off', 'BAD_PAYLOAD', {}, packed().subarray(0, 40)],
    ['the payload of another event', 'BAD_PAYLOAD', { type: 'MemoryRevised' }, packed()],
    ['no payload', 'MISSING_PAYLOAD', {}, undefined],
    ['an envelope without an id', 'BAD_ENVELOPE', { id: '' }, packed()],
    ['an envelope without a subject', 'BAD_ENVELOPE', { subject: '' }, packed()],
    ['a version that is no number', 'BAD_ENVELOPE', { n: 'one' }, packed()],
    ['a time that is none', 'BAD_ENVELOPE', { at: 'yesterday' }, packed()],
  ] as const)('by %s is a fault that shows no text, and what follows is read', async (_, code, envelope, payload) => {
    await smuggle(envelope, payload);
    const after = await write();
    const [entry, next] = (await readAll(test.log)).slice(-2);
    expect(entry).toMatchObject({ kind: 'fault', fault: { code } });
    expect(JSON.stringify(entry)).not.toContain('nobody may see');
    expect(next).toMatchObject({ kind: 'event', event: { envelope: { subject: after } } });
  });

  it('by an entry of other fields is a fault', async () => {
    await test.redis.xadd(test.keys.log, '*', 'hello', 'world', '__proto__', 'x');
    expect(await lastEntry()).toMatchObject({ kind: 'fault', fault: { code: 'BAD_ENVELOPE', subject: undefined, eventId: undefined } });
    expect(await test.log.head()).toMatchObject({ eventId: undefined });
  });

  it('by a payload that does not fit lets no decider act', async () => {
    const subject = await smuggle({ v: '99' }, packed({ v: 99 }));
    await expect(test.log.load([subject])).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('to one subject in a group of appends leaves the others with their own answers', async () => {
    const damaged = await write();
    await test.redis.set(test.keys.payloads(damaged), 'a string');
    const commands = [newMemory('x'), { subject: damaged, expected: 1, events: [revised('y')] }, newMemory('z')];
    const answers = await Promise.allSettled(commands.map((command) => test.log.append(appendOf([command]))));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await readAll(test.log)).slice(-2)).toMatchObject([
      { kind: 'event', event: { envelope: { subject: commands[0]?.subject, n: 1 } } },
      { kind: 'event', event: { envelope: { subject: commands[2]?.subject, n: 1 } } },
    ]);
  });
});
