import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { isLive, type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { handleCommand, type Stamped } from '../../../services/eventlog/handle.js';
import type { EventLog } from '../../../services/eventlog/log.js';
import { newId, newKey, newMemory, openTestLog, rememberedWith, TEST_TIME, type TestLog } from '../../support/eventlog.js';
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

const stamp = (fields: Partial<Stamped> = {}): Stamped => ({ commandId: newId(), actor: 'test', at: TEST_TIME, ...fields });

const remember = (log: EventLog, subject: string, content: string, claim?: string) =>
  handleCommand<Memory>(log, memoryDecider, [subject], stamp(), ([loaded]) => ({
    writes: [
      {
        subject,
        events: memoryDecider.decide({ type: 'RememberMemory', data: rememberedWith(content) }, loaded?.state ?? { status: 'absent' }),
        claims: claim ? [{ claim, mode: 'free' }] : [],
      },
    ],
    result: { key: subject },
  }));

/** Reads the text, adds a letter and writes it back: lost updates would show in its length. */
const addLetter = (log: EventLog, subject: string, letter: string, between: () => Promise<unknown> = async () => undefined) =>
  handleCommand<Memory>(
    { ...log, append: (append) => between().then(() => log.append(append)) },
    memoryDecider,
    [subject],
    stamp(),
    ([loaded]) => {
      if (!loaded || !isLive(loaded.state)) throw new Error('a memory was remembered');
      const data = { content: loaded.state.content + letter };
      return { writes: [{ subject, events: memoryDecider.decide({ type: 'ReviseMemory', data }, loaded.state) }], result: { data } };
    },
  );

const contentOf = async (subject: string): Promise<string> => {
  const answer = await handleCommand<Memory>(test.log, memoryDecider, [subject], stamp(), ([loaded]) => ({
    writes: [],
    result: { content: loaded && isLive(loaded.state) ? loaded.state.content : '' },
  }));
  return 'result' in answer ? String(answer.result.content) : '';
};

describe('a command', () => {
  it('loads, decides and appends', async () => {
    const subject = newKey();
    expect(await remember(test.log, subject, 'a')).toMatchObject({
      result: { key: subject },
      appended: { outcome: 'appended', events: [{ n: 1 }] },
    });
    expect(await contentOf(subject)).toBe('a');
  });

  it('that changes nothing appends nothing', async () => {
    const subject = newKey();
    await remember(test.log, subject, 'a');
    const size = await test.log.size();
    expect(await addLetter(test.log, subject, '')).toMatchObject({ appended: undefined, result: { data: { content: 'a' } } });
    expect(await test.log.size()).toBe(size);
  });

  it('that is refused appends nothing', async () => {
    const subject = newKey();
    await remember(test.log, subject, 'a');
    await expect(remember(test.log, subject, 'b')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await contentOf(subject)).toBe('a');
  });

  it('tells who holds a claim', async () => {
    const [first, second] = [newKey(), newKey()];
    await remember(test.log, first, 'a', 'same');
    expect(await remember(test.log, second, 'a', 'same')).toEqual({ claimedBy: first });
  });

  it('repeated by its caller answers what it answered first, although it would now do nothing', async () => {
    const subject = newKey();
    await remember(test.log, subject, 'a');
    const repeatable = stamp({ repeatable: true });
    const archive = () =>
      handleCommand<Memory>(test.log, memoryDecider, [subject], repeatable, ([loaded]) => {
        const events = memoryDecider.decide({ type: 'ArchiveMemory', data: {} }, loaded?.state ?? { status: 'absent' });
        return { writes: [{ subject, events }], result: { archived: events.length } };
      });
    expect(await archive()).toMatchObject({ result: { archived: 1 }, appended: { outcome: 'appended' } });
    expect(await archive()).toMatchObject({ result: { archived: 1 }, appended: { outcome: 'repeated' } });
  });

  it('decides again when a subject that it only read has changed', async () => {
    const [source, fact] = [newKey(), newKey()];
    await remember(test.log, source, 'a');
    const seen: number[] = [];
    await handleCommand<Memory>(test.log, memoryDecider, [source, fact], stamp(), ([read]) => {
      seen.push(read?.version ?? -1);
      return { writes: [newMemory('fact', { subject: fact })], result: {} };
    });
    expect(seen).toEqual([1]);

    const late = newKey();
    let changes = 0;
    const racing: EventLog = {
      ...test.log,
      append: async (append) => {
        if (changes++ === 0) await addLetter(test.log, source, 'b');
        return test.log.append(append);
      },
    };
    seen.length = 0;
    await handleCommand<Memory>(racing, memoryDecider, [source, late], stamp(), ([read]) => {
      seen.push(read?.version ?? -1);
      return { writes: [newMemory('fact', { subject: late })], result: {} };
    });
    expect(seen).toEqual([1, 2]);
  });

  it('gives up with CONFLICT when others are faster five times', async () => {
    const subject = newKey();
    await remember(test.log, subject, 'a');
    let tries = 0;
    const faster = async (): Promise<void> => {
      tries += 1;
      await addLetter(test.log, subject, 'b');
    };
    const refusal = await addLetter(test.log, subject, 'c', faster).catch((error: unknown) => error);
    expect(isDomainError(refusal, 'CONFLICT')).toBe(true);
    expect(tries).toBe(5);
    expect(await contentOf(subject)).toBe('abbbbb');
  });
});

describe('two writers of one memory', () => {
  it('lose no update', async () => {
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    const subject = newKey();
    await remember(test.log, subject, '.');
    const writer = async (log: EventLog, letter: string): Promise<void> => {
      for (let done = 0; done < 40; ) {
        try {
          await addLetter(log, subject, letter);
          done += 1;
        } catch (error) {
          if (!isDomainError(error, 'CONFLICT')) throw error;
        }
      }
    };
    await Promise.all([writer(test.log, 'a'), writer(other.log, 'b'), writer(other.log, 'c')]);
    const content = await contentOf(subject);
    expect([...content].sort().join('')).toBe(`.${'a'.repeat(40)}${'b'.repeat(40)}${'c'.repeat(40)}`);
    expect(await test.log.load([subject])).toMatchObject([{ version: 121 }]);
  });

  it('make one memory when both remember the same key', async () => {
    await using other = await openTestLog({ valkey, tenant: test.keys.tenant });
    for (let round = 0; round < 10; round++) {
      const subject = newKey();
      const answers = await Promise.allSettled([remember(test.log, subject, 'a'), remember(other.log, subject, 'b')]);
      expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await test.log.load([subject])).toMatchObject([{ version: 1 }]);
    }
  });
});
