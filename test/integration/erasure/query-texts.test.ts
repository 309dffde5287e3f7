import type { Redis } from 'iovalkey';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Needle } from '../../../services/erasure/needles.js';
import { QueryTexts } from '../../../services/erasure/queries.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { appendOf, newMemory, remembered } from '../../support/eventlog.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp({ provider: providerOf() });
});
afterAll(() => test.end());

const today = (): string => new Date().toISOString();
const textsKey = (): string => test.keys.recallTexts(today().slice(0, 10));
/** A recall as it is noted, which showed nothing. */
const asked = async (text: string): Promise<void> => {
  const id = (await test.redis.xadd(test.keys.recalls, '*', 'at', today(), 'keys', '[]')) ?? '';
  await test.redis.hset(textsKey(), id, text);
};
const kept = async (): Promise<readonly string[]> => (await test.redis.hvals(textsKey())).sort();
beforeEach(() => test.redis.del(textsKey()));

/** How often the server was asked to go through a hash, as reading all texts does. */
const readings = async (redis: Redis): Promise<number> =>
  Number(/cmdstat_hscan:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);

const STEPS = [['a', 'b'], ['c'], ['d']] as const;
const piece = (memory: string): Needle => ({ memory, bytes: Buffer.from(`the Words of ${memory}`) });
const piecesOf = async (memories: readonly string[]) => memories.map(piece);

describe('the texts of queries', () => {
  it('are read once for a forgetting of many steps, and what holds a piece of any goes before the first', async () => {
    const writes = Array.from({ length: 900 }, (_, i) =>
      newMemory('', { events: [remembered(`what the amber-ibis said on day ${i} of the voyage`, { project: 'voyage' })] }),
    );
    await test.log.append(appendOf(writes));
    for (const day of [3, 450, 899]) await asked(`What the AMBER-IBIS said on day ${day} of the voyage, was it?`);
    await asked('What the amber-ibis did not say');
    const seen = await test.app.commands.forget({ project: 'voyage' }, test.call);
    if (seen.status !== 'preview') throw new Error(seen.status);
    const before = await readings(test.redis);
    const first = vi.fn(async () => expect(await kept()).toEqual(['What the amber-ibis did not say']));
    const answer = await test.app.commands.forget(
      { preview_id: seen.preview_id, confirm: true },
      { ...test.call, progress: () => void first() },
    );
    expect(answer).toMatchObject({ deleted: 900 });
    expect(first).toHaveBeenCalledTimes(5);
    expect((await readings(test.redis)) - before).toBe(1);
    expect(await kept()).toEqual(['What the amber-ibis did not say']);
  });

  it('are read again when there is no room for more pieces', async () => {
    for (const memory of ['a', 'c', 'd', 'e']) await asked(`Which are THE words of ${memory}?`);
    const texts = new QueryTexts({ ...test, now: Date.now }, 2);
    const before = await readings(test.redis);
    const left: string[][] = [];
    for (const [i, step] of STEPS.entries()) {
      await texts.ahead(STEPS.slice(i), piecesOf);
      left.push((await kept()).map((text) => text.at(-2) ?? ''));
      await texts.erasing(step.map(piece), async () => undefined);
    }
    expect(left).toEqual([['c', 'd', 'e'], ['e'], ['e']]);
    expect((await readings(test.redis)) - before).toBe(2);
    expect(await kept()).toEqual(['Which are THE words of e?']);
  });

  it('that are new go after each step, and before the next, without a reading of all', async () => {
    await asked('Which are the words?');
    const texts = new QueryTexts({ ...test, now: Date.now });
    await texts.ahead(STEPS, piecesOf);
    const before = await readings(test.redis);
    await texts.erasing(STEPS[0].map(piece), () => asked('Are those the words of b?'));
    expect(await kept()).toEqual(['Which are the words?']);
    await asked('Are those the words of c?');
    await texts.erasing(STEPS[1].map(piece), async () => expect(await kept()).toEqual(['Which are the words?']));
    expect((await readings(test.redis)) - before).toBe(0);
  });

  it('are read for a piece that nobody had seen coming, and for one step as before', async () => {
    for (const memory of ['a', 'z']) await asked(`Which are the words of ${memory}?`);
    const texts = new QueryTexts({ ...test, now: Date.now });
    await texts.ahead(STEPS, piecesOf);
    await texts.erasing([...STEPS[0].map(piece), piece('z')], async () => expect(await kept()).toEqual([]));
    await asked('Which are the words of c?');
    await new QueryTexts({ ...test, now: Date.now }).erasing([piece('c')], async () => expect(await kept()).toEqual([]));
  });

  it('of more recalls than are looked at in one go are all read', async () => {
    await asked('Which are the words?');
    const texts = new QueryTexts({ ...test, now: Date.now });
    await texts.ahead(STEPS, piecesOf);
    await texts.erasing(STEPS[0].map(piece), async () => {
      await Promise.all(Array.from({ length: 1_200 }, (_, i) => asked(i % 400 === 399 ? 'Are those the words of b?' : `Question ${i}`)));
    });
    expect((await kept()).filter((text) => text.includes('words of'))).toEqual([]);
    expect(await kept()).toHaveLength(1_198);
  });
});
