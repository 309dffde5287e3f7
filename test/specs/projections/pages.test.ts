import { describe, expect, it } from 'vitest';
import { comparePositions, ORIGIN, positionOf } from '../../../domain/envelope.js';
import { createPages } from '../../../projections/pages.js';
import { type Entry, eventAt, KEYS } from './histories.js';

const log: Entry[] = Array.from({ length: 10 }, (_, i) => eventAt(i + 1, { type: 'MemoryReinstated', data: {} }, KEYS[0] ?? '', i + 1));

const counted = (size: number, fails: (after: string) => boolean = () => false) => {
  const asked: string[] = [];
  const pages = createPages(async (after, count) => {
    asked.push(after);
    if (fails(after)) throw new Error('away');
    return log.filter((entry) => comparePositions(positionOf(entry), after) > 0).slice(0, count);
  }, size);
  return { asked, pages };
};

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('pages', () => {
  it('come in order, whole, and each is read once', async () => {
    const { asked, pages } = counted(3);
    const seen: Entry[] = [];
    for (let page = await pages.take(ORIGIN); page.length > 0; page = await pages.take(positionOf(seen.at(-1) ?? (log[0] as Entry)))) {
      seen.push(...page);
      await settled();
    }
    expect(seen).toEqual(log);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('are read two ahead and no further', async () => {
    const { asked, pages } = counted(2);
    await pages.take(ORIGIN);
    await settled();
    expect(asked).toHaveLength(3);
  });

  it('are read again after a jump, and after what was read ahead is forgotten', async () => {
    const { asked, pages } = counted(2);
    const first = await pages.take(ORIGIN);
    await settled();
    const jump = positionOf(log[6] as Entry);
    expect((await pages.take(jump)).map(positionOf)).toEqual(log.slice(7, 9).map(positionOf));
    await settled();
    pages.forget();
    const before = asked.length;
    expect(await pages.take(ORIGIN)).toEqual(first);
    expect(asked.length).toBeGreaterThan(before);
  });

  it('that fail ahead fail for whoever takes them, and come when asked for again', async () => {
    let away = true;
    const second = positionOf(log[1] as Entry);
    const { pages } = counted(2, (after) => away && after === second);
    await pages.take(ORIGIN);
    await settled();
    await expect(pages.take(second)).rejects.toThrow('away');
    away = false;
    expect((await pages.take(second)).map(positionOf)).toEqual(log.slice(2, 4).map(positionOf));
  });

  it('read ahead where the log ended are read again when it has grown', async () => {
    const grows = log.slice(0, 2);
    const asked: string[] = [];
    const pages = createPages(async (after, count) => {
      asked.push(after);
      return grows.filter((entry) => comparePositions(positionOf(entry), after) > 0).slice(0, count);
    }, 2);
    await pages.take(ORIGIN);
    await settled();
    const end = positionOf(log[1] as Entry);
    expect(asked).toEqual([ORIGIN, end]);
    grows.push(log[2] as Entry);
    expect(await pages.take(end)).toEqual([log[2]]);
  });
});
