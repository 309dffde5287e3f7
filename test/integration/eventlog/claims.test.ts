import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendOf, newMemory, openTestLog, revised, snapshot, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestLog;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const claiming = (claim: string, mode: 'free' | 'ifFree' = 'free') => newMemory(claim, { claims: [{ claim, mode }] });
const holders = () => test.redis.hgetall(test.keys.claims);
const claimsOf = async (subject: string) => (await test.log.load([subject]))[0]?.claims;

describe('a claim', () => {
  beforeAll(async () => {
    test = await openTestLog({ valkey });
  });
  afterAll(() => test.close());

  it('that must be free refuses a second subject and names the holder', async () => {
    const [first, second] = [claiming('a'), claiming('a')];
    await test.log.append(appendOf([first]));
    const before = await snapshot(test.redis, test.keys);
    expect(await test.log.append(appendOf([newMemory('beside'), second]))).toEqual({
      outcome: 'claimed',
      subject: second.subject,
      claim: 'a',
      holder: first.subject,
    });
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('may be taken again by its holder', async () => {
    const write = claiming('again');
    await test.log.append(appendOf([write]));
    expect(await test.log.append(appendOf([{ ...write, expected: 1, events: [revised('b')] }]))).toMatchObject({ outcome: 'appended' });
    expect(await claimsOf(write.subject)).toEqual(['again']);
  });

  it('stays with its holder when another takes it only if free', async () => {
    const [first, second] = [claiming('b'), claiming('b', 'ifFree')];
    await test.log.append(appendOf([first]));
    expect((await test.log.append(appendOf([second]))).outcome).toBe('appended');
    expect(await holders()).toMatchObject({ b: first.subject });
    expect(await claimsOf(second.subject)).toEqual([]);
  });

  it('is taken if free', async () => {
    const write = claiming('c', 'ifFree');
    await test.log.append(appendOf([write]));
    expect(await holders()).toMatchObject({ c: write.subject });
    expect(await claimsOf(write.subject)).toEqual(['c']);
  });

  it('moves when released, in the command that takes another', async () => {
    const write = claiming('old');
    await test.log.append(appendOf([write]));
    await test.log.append(
      appendOf([
        { subject: write.subject, expected: 1, events: [revised('new')], release: ['old'], claims: [{ claim: 'new', mode: 'free' }] },
      ]),
    );
    expect(await claimsOf(write.subject)).toEqual(['new']);
    expect(await holders()).not.toHaveProperty('old');
    const next = claiming('old');
    expect((await test.log.append(appendOf([next]))).outcome).toBe('appended');
    expect(await holders()).toMatchObject({ old: next.subject, new: write.subject });
  });

  it('of another is not released', async () => {
    const [owner, stranger] = [claiming('mine'), newMemory('stranger')];
    await test.log.append(appendOf([owner, stranger]));
    await test.log.append(appendOf([{ subject: stranger.subject, expected: 1, events: [revised('x')], release: ['mine'] }]));
    expect(await holders()).toMatchObject({ mine: owner.subject });
  });

  it('leaves no empty field when the last one goes', async () => {
    const write = claiming('last');
    await test.log.append(appendOf([write]));
    await test.log.append(appendOf([{ subject: write.subject, expected: 1, events: [revised('x')], release: ['last'] }]));
    expect(await claimsOf(write.subject)).toEqual([]);
  });

  it('taken twice in one command refuses it whole', async () => {
    const [first, second] = [claiming('twice'), claiming('twice')];
    expect(await test.log.append(appendOf([first, second]))).toMatchObject({ outcome: 'claimed', holder: first.subject });
    expect(await test.log.load([first.subject])).toMatchObject([{ version: 0 }]);
  });

  it('lets one of two identical memories at once through', async () => {
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    for (let round = 0; round < 20; round++) {
      const [one, two] = [claiming(`race ${round}`), claiming(`race ${round}`)];
      const answers = await Promise.all([test.log.append(appendOf([one])), (round % 2 ? test : other).log.append(appendOf([two]))]);
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['appended', 'claimed']);
    }
  });
});
