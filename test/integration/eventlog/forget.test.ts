import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { type Forget, RECALL_COUNTERS } from '../../../services/eventlog/forget.js';
import {
  appendOf,
  keysHolding,
  newId,
  newMemory,
  openTestLog,
  readAll,
  remembered,
  revised,
  snapshot,
  TEST_TIME,
  type TestLog,
} from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestLog;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
  test = await openTestLog({ valkey });
});
afterAll(async () => {
  await test.close();
  await valkey.stop();
});

const SECRET = 'the launch code is crimson-otter-4711, say nobody';
const MODEL = 'model-1';

const forgetOf = (subjects: Forget['subjects'], fields: Partial<Forget> = {}): Forget => ({
  commandId: newId(),
  actor: 'test',
  at: TEST_TIME,
  subjects,
  result: { forgotten: subjects.length },
  ...fields,
});

/** A memory with all that can be known of it: two wordings, vectors, a claim, counters and a row in a view. */
const wellKnown = async (claim: string) => {
  const write = newMemory('', {
    events: [remembered(SECRET, { tags: [SECRET] }), revised(`${SECRET}!`)],
    claims: [{ claim, mode: 'free' }],
    vectors: { model: MODEL, bytes: Buffer.from(new Float32Array(4).fill(0.5).buffer) },
  });
  const { subject } = write;
  await test.log.append(appendOf([write]));
  const row = test.keys.row('memories', 1, subject);
  await test.redis.hset(row, 'content', SECRET);
  for (const name of Object.values(RECALL_COUNTERS)) await test.redis.hset(test.keys.counter(name), subject, '3', 'another', '1');
  return { subject, row, deletes: [row, test.keys.embedding(MODEL, subject)] };
};

describe('forgetting', () => {
  it('leaves no byte of the text in any key', async () => {
    const { subject, row, deletes } = await wellKnown('secret');
    expect(await keysHolding(test.redis, test.keys, 'crimson-otter-4711')).toEqual([test.keys.payloads(subject), row].sort());
    const erasures = await test.log.erasures();

    const answer = await test.log.forget(forgetOf([{ subject, expected: 2, deletes }]));

    expect(answer).toMatchObject({ outcome: 'appended', events: [{ n: 3 }], result: { forgotten: 1 } });
    for (const part of ['crimson-otter-4711', 'launch', 'nobody']) expect(await keysHolding(test.redis, test.keys, part)).toEqual([]);
    expect(await test.redis.exists(...deletes)).toBe(0);
    expect(await test.log.erasures()).toBe(erasures + 1);
    expect(Object.keys(await test.redis.hgetall(test.keys.payloads(subject))).sort()).toEqual(['3', 'f', 'v']);
    expect(await test.redis.hget(test.keys.claims, 'secret')).toBeNull();
    for (const name of Object.values(RECALL_COUNTERS)) expect(await test.redis.hgetall(test.keys.counter(name))).toEqual({ another: '1' });
  });

  it('leaves husks, and the event that tells of it', async () => {
    await using fresh = await openTestLog({ valkey });
    const write = newMemory('', { events: [remembered(SECRET), revised('x')] });
    const neighbour = newMemory('stays');
    await fresh.log.append(appendOf([write, neighbour]));
    const before = await readAll(fresh.log);
    await fresh.log.forget(forgetOf([{ subject: write.subject, expected: 2, deletes: [] }]));
    const envelopes = before.map((entry) => entry.kind === 'event' && { envelope: entry.event.envelope, position: entry.event.position });
    expect(await readAll(fresh.log)).toMatchObject([
      { kind: 'husk', husk: envelopes[0] },
      { kind: 'husk', husk: envelopes[1] },
      { kind: 'event', event: { data: { content: 'stays' } } },
      { kind: 'event', event: { type: 'MemoryForgotten', data: {}, envelope: { n: 3, subject: write.subject } } },
    ]);
    expect(await fresh.log.load([write.subject])).toEqual([
      { subject: write.subject, version: 3, claims: [], events: [{ type: 'MemoryForgotten', data: {}, n: 3, at: TEST_TIME }] },
    ]);
  });

  it('frees the text for a new memory', async () => {
    const { subject, deletes } = await wellKnown('freed');
    const copy = newMemory(SECRET, { claims: [{ claim: 'freed', mode: 'free' }] });
    expect((await test.log.append(appendOf([copy]))).outcome).toBe('claimed');
    await test.log.forget(forgetOf([{ subject, expected: 2, deletes }]));
    expect((await test.log.append(appendOf([copy]))).outcome).toBe('appended');
  });

  it('does nothing when any of the memories has changed since it was read', async () => {
    const [one, two] = [await wellKnown('one'), await wellKnown('two')];
    await test.log.append(appendOf([{ subject: two.subject, expected: 2, events: [revised('newer')] }]));
    const before = await snapshot(test.redis, test.keys);
    const answer = await test.log.forget(forgetOf([one, two].map(({ subject, deletes }) => ({ subject, expected: 2, deletes }))));
    expect(answer).toEqual({ outcome: 'version', subject: two.subject, actual: 3 });
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('answers the first result when it is met again', async () => {
    const { subject, deletes } = await wellKnown('again');
    const forget = forgetOf([{ subject, expected: 2, deletes }]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => test.log.forget(forget)));
    const before = await snapshot(test.redis, test.keys);
    const last = await test.log.forget({ ...forget, result: { another: true } });
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['appended', ...Array.from({ length: 19 }, () => 'repeated')]);
    for (const answer of [...answers, last]) expect(answer).toMatchObject({ events: [{ n: 3 }], result: { forgotten: 1 } });
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('leaves the claim of another alone', async () => {
    const owner = newMemory('x', { claims: [{ claim: 'shared', mode: 'free' }] });
    const second = newMemory('x', { claims: [{ claim: 'shared', mode: 'ifFree' }] });
    await test.log.append(appendOf([owner, second]));
    await test.log.forget(forgetOf([{ subject: second.subject, expected: 1, deletes: [] }]));
    expect(await test.redis.hget(test.keys.claims, 'shared')).toBe(owner.subject);
  });

  it('takes a command id from an append as one that was met', async () => {
    const write = newMemory('x');
    const command = appendOf([write], { result: { first: true } });
    await test.log.append(command);
    const answer = await test.log.forget(
      forgetOf([{ subject: write.subject, expected: 1, deletes: [] }], { commandId: command.commandId }),
    );
    expect(answer).toMatchObject({ outcome: 'repeated', result: { first: true } });
  });

  it('takes 300 memories at once', async () => {
    await using fresh = await openTestLog({ valkey });
    const writes = Array.from({ length: 300 }, (_, i) => newMemory(`${SECRET} ${i}`));
    await fresh.log.append(appendOf(writes));
    await fresh.log.forget(forgetOf(writes.map(({ subject }) => ({ subject, expected: 1, deletes: [] }))));
    expect(await keysHolding(fresh.redis, fresh.keys, 'crimson-otter-4711')).toEqual([]);
    expect((await readAll(fresh.log)).map(({ kind }) => kind)).toEqual([...writes.map(() => 'husk'), ...writes.map(() => 'event')]);
  });
});

describe('at the memory limit', () => {
  it('appends fail whole, reads go on and forgetting works, also for a server that never met its script', async () => {
    const { subject, deletes } = await wellKnown('limit');
    await test.redis.script('FLUSH');
    const before = await snapshot(test.redis, test.keys);
    await test.redis.config('SET', 'maxmemory', '1mb');
    try {
      const refusal = await test.log.append(appendOf([newMemory('one'), newMemory('two')])).catch((error: unknown) => error);
      expect(isDomainError(refusal, 'UNAVAILABLE') && refusal.hint).toMatch(/maxmemory/);
      expect(await snapshot(test.redis, test.keys)).toEqual(before);
      expect((await test.log.load([subject]))[0]?.version).toBe(2);
      expect((await readAll(test.log)).length).toBeGreaterThan(0);
      expect((await test.log.forget(forgetOf([{ subject, expected: 2, deletes }]))).outcome).toBe('appended');
      expect((await test.log.load([subject]))[0]?.version).toBe(3);
    } finally {
      await test.redis.config('SET', 'maxmemory', '0');
    }
    expect((await test.log.append(appendOf([newMemory('one')]))).outcome).toBe('appended');
  });
});
