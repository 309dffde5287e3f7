import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePositions } from '../../../domain/envelope.js';
import { isDomainError } from '../../../domain/errors.js';
import { systemSubject } from '../../../domain/system/events.js';
import {
  appendOf,
  newId,
  newKey,
  newMemory,
  openTestLog,
  readEvents,
  remembered,
  rememberedWith,
  revised,
  snapshot,
  TEST_TIME,
  type TestLog,
} from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestLog;
beforeAll(async () => {
  valkey = await startValkey();
  test = await openTestLog({ valkey });
});
afterAll(async () => {
  await test.close();
  await valkey.stop();
});

/** Runs a call that must leave every key as it was. */
const changingNothing = async <T>(call: () => Promise<T>): Promise<T> => {
  const before = await snapshot(test.redis, test.keys);
  const answer = await call();
  expect(await snapshot(test.redis, test.keys)).toEqual(before);
  return answer;
};

describe('an append', () => {
  it('is read back with its envelopes', async () => {
    await using fresh = await openTestLog({ valkey, seed: 7 });
    const causation = newId();
    const write = newMemory('a fact', { events: [remembered('a fact'), revised('a better fact')] });
    const command = appendOf([write], { actor: 'mcp:test/1', causation, result: { key: write.subject } });
    const answer = await fresh.log.append(command);
    const events = await readEvents(fresh.log);
    expect(answer).toEqual({
      outcome: 'appended',
      events: events.map(({ envelope, position }) => ({ n: envelope.n, position })),
      result: { key: write.subject },
    });
    const envelope = { v: 1, subject: write.subject, at: TEST_TIME, actor: 'mcp:test/1', correlation: command.commandId, causation };
    expect(events).toMatchObject([
      { type: 'MemoryRemembered', data: rememberedWith('a fact'), envelope: { ...envelope, type: 'MemoryRemembered', n: 1 } },
      { type: 'MemoryRevised', data: { content: 'a better fact' }, envelope: { ...envelope, type: 'MemoryRevised', n: 2 } },
    ]);
    expect(new Set(events.map(({ envelope: { id } }) => id)).size).toBe(2);
  });

  it('is loaded by subject, several in one call, in the order asked for', async () => {
    const [first, second] = [newMemory('one', { claims: [{ claim: 'of-one', mode: 'free' }] }), newMemory('two')];
    await test.log.append(appendOf([first, second]));
    await test.log.append(appendOf([{ subject: first.subject, expected: 1, events: [revised('uno')] }]));
    const absent = newKey();
    expect(await test.log.load([second.subject, absent, first.subject])).toEqual([
      { subject: second.subject, version: 1, claims: [], events: [{ ...remembered('two'), n: 1, at: TEST_TIME }] },
      { subject: absent, version: 0, claims: [], events: [] },
      {
        subject: first.subject,
        version: 2,
        claims: ['of-one'],
        events: [
          { ...remembered('one'), n: 1, at: TEST_TIME },
          { ...revised('uno'), n: 2, at: TEST_TIME },
        ],
      },
    ]);
  });

  it('keeps any text as it is', async () => {
    const texts = [
      'CRLF\r\nend',
      'עברית \u200f',
      '👩‍👩‍👧 🇩🇪',
      '中文内容',
      'Größe',
      'it\'s \\ "quoted" {a|b} * @x:{y}',
      ' ',
      'x'.repeat(50_000),
    ];
    const writes = texts.map((text) => newMemory(text));
    await test.log.append(appendOf(writes));
    const histories = await test.log.load(writes.map(({ subject }) => subject));
    expect(histories.map(({ events }) => events[0]?.data)).toEqual(texts.map((text) => rememberedWith(text)));
  });

  it('follows its predecessors in the order of the writes, without a gap, whoever else appends', async () => {
    const commands = Array.from({ length: 40 }, (_, i) => appendOf([newMemory(`a${i}`), newMemory(`b${i}`), newMemory(`c${i}`)]));
    const answers = await Promise.all(commands.map((command) => test.log.append(command)));
    const order = (await readEvents(test.log)).map(({ position }) => position);
    expect([...order].sort(comparePositions)).toEqual(order);
    answers.forEach((answer, i) => {
      if (answer.outcome !== 'appended') throw new Error(answer.outcome);
      const start = order.indexOf(answer.events[0]?.position ?? '');
      expect(order.slice(start, start + 3)).toEqual(answer.events.map(({ position }) => position));
      expect(
        answer.events.map(({ n }) => n),
        `command ${i}`,
      ).toEqual([1, 1, 1]);
    });
  });

  it('holds up to 2,000 events', async () => {
    await using fresh = await openTestLog({ valkey });
    const writes = Array.from({ length: 2_000 }, (_, i) => newMemory(`memory ${i}`));
    expect(await fresh.log.append(appendOf(writes))).toMatchObject({ outcome: 'appended' });
    expect((await readEvents(fresh.log)).map(({ envelope }) => envelope.subject)).toEqual(writes.map(({ subject }) => subject));
    const subject = newKey();
    const series = [remembered('0'), ...Array.from({ length: 1_999 }, (_, i) => revised(String(i)))];
    expect(await fresh.log.append(appendOf([{ subject, expected: 0, events: series }]))).toMatchObject({ outcome: 'appended' });
    expect((await fresh.log.load([subject]))[0]?.events.map(({ n }) => n)).toEqual(series.map((_, i) => i + 1));
  });

  it('refuses more than 2,000', async () => {
    const writes = Array.from({ length: 2_001 }, (_, i) => newMemory(`memory ${i}`));
    const refusal = await changingNothing(() => test.log.append(appendOf(writes)).catch((error: unknown) => error));
    expect(isDomainError(refusal, 'TOO_LARGE')).toBe(true);
  });

  it('to a series without end needs no version', async () => {
    const subject = systemSubject(TEST_TIME);
    const confirm = (erasures: number) =>
      test.log.append(appendOf([{ subject, expected: 'any', events: [{ type: 'ErasureConfirmed', data: { erasures } }] }]));
    const answers = await Promise.all([confirm(1), confirm(2), confirm(3)]);
    expect(answers.map((answer) => answer.outcome)).toEqual(['appended', 'appended', 'appended']);
    expect((await test.log.load([subject]))[0]).toMatchObject({ version: 3, events: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  });
});

describe('an expected version', () => {
  it.each([
    ['lower', 0],
    ['higher', 2],
  ])('that is %s than the actual one refuses the command', async (_, expected) => {
    const { subject, ...rest } = newMemory('x');
    await test.log.append(appendOf([{ subject, ...rest }]));
    const answer = await changingNothing(() => test.log.append(appendOf([{ subject, expected, events: [revised('y')] }])));
    expect(answer).toEqual({ outcome: 'version', subject, actual: 1 });
  });

  it('that is wrong for the second subject leaves the first untouched', async () => {
    const [first, second] = [newMemory('one'), newMemory('two')];
    await test.log.append(appendOf([first, second]));
    const answer = await changingNothing(() =>
      test.log.append(
        appendOf([
          {
            subject: first.subject,
            expected: 1,
            events: [revised('uno')],
            claims: [{ claim: 'uno', mode: 'free' }],
            vectors: { model: 'm', bytes: Buffer.alloc(16, 1) },
          },
          { subject: second.subject, expected: 0, events: [revised('due')] },
        ]),
      ),
    );
    expect(answer).toEqual({ outcome: 'version', subject: second.subject, actual: 1 });
  });
});

describe('two writes of one command on one subject', () => {
  it('follow each other', async () => {
    const write = newMemory('x');
    await test.log.append(appendOf([write, { ...write, events: [revised('y')] }]));
    expect(await test.log.load([write.subject])).toMatchObject([
      { version: 2, events: [{ type: 'MemoryRemembered' }, { type: 'MemoryRevised', data: { content: 'y' } }] },
    ]);
  });
});

describe('a guard', () => {
  it('refuses the command when a subject that was only read has changed', async () => {
    const source = newMemory('source');
    await test.log.append(appendOf([source]));
    const fact = newMemory('fact');
    const stale = await changingNothing(() => test.log.append(appendOf([fact], { guards: [{ subject: source.subject, version: 0 }] })));
    expect(stale).toEqual({ outcome: 'version', subject: source.subject, actual: 1 });
    const fresh = await test.log.append(appendOf([fact], { guards: [{ subject: source.subject, version: 1 }] }));
    expect(fresh.outcome).toBe('appended');
  });

  it('on the erasure number refuses text that was read before a forget', async () => {
    const gone = newMemory('gone');
    await test.log.append(appendOf([gone]));
    const erasures = await test.log.erasures();
    await test.log.forget({
      commandId: newId(),
      actor: 'test',
      at: TEST_TIME,
      subjects: [{ subject: gone.subject, expected: 1, deletes: [] }],
      result: {},
    });
    const stale = await changingNothing(() => test.log.append(appendOf([newMemory('a copy')], { erasures })));
    expect(stale).toEqual({ outcome: 'erasures', actual: erasures + 1 });
    expect(await test.log.append(appendOf([newMemory('fresh')], { erasures: erasures + 1 }))).toMatchObject({ outcome: 'appended' });
  });
});

describe('a command id met again', () => {
  it('answers the first result and appends nothing, whatever came since', async () => {
    const write = newMemory('x');
    const command = appendOf([write], { result: { key: write.subject, list: ['ü', 1] } });
    const first = await test.log.append(command);
    await test.log.append(appendOf([{ subject: write.subject, expected: 1, events: [revised('y')] }]));
    const again = await changingNothing(() => test.log.append({ ...command, result: { key: 'other' } }));
    expect(again).toEqual({ ...first, outcome: 'repeated' });
    expect(await test.log.firstAnswer(command.commandId)).toEqual(again);
    expect(await test.log.firstAnswer(newId())).toBeUndefined();
  });

  it('fifty times at once makes one event', async () => {
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    const command = appendOf([newMemory('x')]);
    const size = await test.log.size();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? test : other).log.append(command)));
    expect(answers.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    expect(new Set(answers.map((answer) => JSON.stringify({ ...answer, outcome: '' }))).size).toBe(1);
    expect(await test.log.size()).toBe(size + 1);
  });

  it('is kept for a day', async () => {
    const command = appendOf([newMemory('x')]);
    await test.log.append(command);
    expect(await test.redis.ttl(test.keys.commandResult(command.commandId))).toBeGreaterThan(24 * 3600 - 60);
  });

  it('does not remember a refusal', async () => {
    const write = newMemory('x', { expected: 1 });
    const command = appendOf([write]);
    expect((await test.log.append(command)).outcome).toBe('version');
    expect((await test.log.append({ ...command, writes: [{ ...write, expected: 0 }] })).outcome).toBe('appended');
  });
});

describe('vectors', () => {
  const bytes = Buffer.from(new Float32Array([0.5, -0.5, 0.5, 0.5]).buffer);
  const vectorsOf = (subject: string) => test.redis.hgetallBuffer(test.keys.embedding('m', subject));

  it('are stored with the version that set the content', async () => {
    const write = newMemory('x', {
      events: [remembered('x'), revised('y'), { type: 'MemoryArchived', data: {} }],
      vectors: { model: 'm', bytes },
    });
    await test.log.append(appendOf([write]));
    expect(await vectorsOf(write.subject)).toEqual({ n: Buffer.from('2'), w: bytes });
    expect(await test.redis.hget(test.keys.payloads(write.subject), 'cv')).toBe('2');
  });

  it('are not stored by a command that sets no content', async () => {
    const write = newMemory('x', { vectors: { model: 'm', bytes } });
    await test.log.append(appendOf([write]));
    const archive = { subject: write.subject, expected: 1, events: [{ type: 'MemoryArchived', data: {} }] } as const;
    await test.log.append(appendOf([{ ...archive, vectors: { model: 'm', bytes: Buffer.alloc(16, 7) } }]));
    expect(await vectorsOf(write.subject)).toEqual({ n: Buffer.from('1'), w: bytes });
    expect(await test.redis.hget(test.keys.payloads(write.subject), 'cv')).toBe('1');
  });
});
