import { afterAll, beforeAll, expect, it } from 'vitest';
import { ages, oldEvent } from '../../specs/catalogue/artificial.js';
import { appendOf, newKey, newMemory, openTestLog, readAll, remembered, rememberedWith, snapshot } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

it('lifts what older programs wrote, for readers and for deciders, and never rewrites it', async () => {
  const tenant = 'ages';
  const subjects = [newKey(), newKey(), newKey()] as const;
  const write = async (age: keyof typeof ages, subject: string, data: unknown): Promise<void> => {
    await using test = await openTestLog({ valkey, tenant, catalogue: ages[age] });
    await test.log.append(appendOf([newMemory('', { subject, events: [oldEvent(data)] })]));
  };
  await write('first', subjects[0], { text: 'one' });
  await write('second', subjects[1], { content: 'two', tag: 'x' });
  await write('third', subjects[2], rememberedWith('three'));

  await using test = await openTestLog({ valkey, tenant, catalogue: ages.third });
  const stored = await snapshot(test.redis, test.keys);
  const lifted = [rememberedWith('one'), rememberedWith('two', { tags: ['x'] }), rememberedWith('three')];
  const entries = await readAll(test.log);
  expect(entries.map((entry) => entry.kind === 'event' && [entry.event.envelope.v, entry.event.data])).toEqual(
    lifted.map((data, i) => [i + 1, data]),
  );
  const histories = await test.log.load(subjects);
  expect(histories.map(({ events }) => events.map(({ data }) => data))).toEqual(lifted.map((data) => [data]));
  expect(await snapshot(test.redis, test.keys)).toEqual(stored);
});

it('tells a reader that an event is too new for it, and lets no decider act on it', async () => {
  const tenant = 'newer';
  await using newer = await openTestLog({ valkey, tenant, catalogue: ages.second });
  const write = newMemory('', { events: [oldEvent({ content: 'two' })] });
  await newer.log.append(appendOf([write]));
  await using older = await openTestLog({ valkey, tenant, catalogue: ages.first });
  expect(await readAll(older.log)).toMatchObject([{ kind: 'fault', fault: { code: 'UNKNOWN_VERSION', subject: write.subject } }]);
  await expect(older.log.load([write.subject])).rejects.toMatchObject({ code: 'INTERNAL' });
});

it('refuses to write what the catalogue does not know', async () => {
  await using test = await openTestLog({ valkey });
  await expect(test.log.append(appendOf([newMemory('')]))).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('MemoryRemembered'),
  });
  await expect(test.log.append(appendOf([newMemory('x', { events: [remembered('x'), oldEvent({})] })]))).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  expect(await test.log.size()).toBe(0);
});
